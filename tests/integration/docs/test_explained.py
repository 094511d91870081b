"""What `tablewright explain` says of a pattern is what a store does on the engine."""

from decimal import Decimal
from typing import Any

import pytest

from examples.designs.chat import Chat
from examples.designs.clickstream import Clickstream
from examples.designs.employees import Employees
from examples.designs.leaderboard import Leaderboard
from examples.designs.shop import Shop
from tablewright.catalog.sales.design import Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.model import Table
from tablewright.model.patterns import (
    BatchCreate,
    BatchPut,
    BatchWrite,
    Pattern,
    Put,
    Upsert,
)
from tablewright.pages.explained.calls import Explained, explained_calls
from tablewright.pages.explained.example_table import example_items
from tablewright.pages.explained.rehearsal import rehearse
from tablewright.pages.explained.units import Load, explained_units
from tablewright.testing import Database, FaithfulMeter
from tablewright.testing.dynamodb_local import DynamoDbLocal

TABLES: list[type[Table]] = [Shop, Chat, Sales, Leaderboard, Employees, Clickstream, Dashboard]
PATTERNS = [(table, pattern) for table in TABLES for pattern in table.__design__.pattern_list]
NEW = (BatchCreate, BatchPut, BatchWrite, Put, Upsert)


@pytest.fixture(scope="module")
def database(dynamodb_local: DynamoDbLocal) -> Database:
    database = Database(dynamodb_local)
    for table in TABLES:
        database.table(table)
    return database


def put_examples(database: Database, table: type[Table], pattern: Pattern[Any]) -> None:
    """Have the example of each entity there, but for those that the pattern makes."""
    design = table.__design__
    for entity, item in example_items(design, design.id, database.caller):
        if isinstance(pattern, NEW) and entity.name in pattern.entities:
            key = {name: item[name] for name in design.key.names}
            database.caller.call("DeleteItem", {"TableName": design.id, "Key": key})
        else:
            database.caller.call("PutItem", {"TableName": design.id, "Item": item})


@pytest.mark.parametrize(
    ("table", "pattern"), PATTERNS, ids=[f"{t.__name__}-{p.name}" for t, p in PATTERNS]
)
def test_the_calls_and_units_explained_are_those_of_the_engine(
    database: Database, table: type[Table], pattern: Pattern[Any]
) -> None:
    design = table.__design__
    put_examples(database, table, pattern)
    explained = explained_calls(design, pattern, rehearse(table, pattern, design.id))
    asked = sum(call.times for call in explained[0].calls if call.operation == "Query")
    units = explained_units(design, pattern, Load(items=1), shards=asked)
    meter = FaithfulMeter(database.caller, design)
    measured: list[tuple[Decimal, Decimal]] = []
    made: list[Explained] = []
    for way in rehearse(table, pattern, design.id, meter):
        made += explained_calls(design, pattern, [way])
        measured.append((meter.read_units, meter.write_units))
        meter.reset()
    assert made == explained
    if not design.epochs:
        assert measured[: len(units)] == [(one.read, one.write) for one in units]
