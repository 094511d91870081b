"""Random layouts: `check` refuses a design, or its records are read back as they were stored.

The oracle compares records, and the types of key attributes with those that CreateTable declares.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from types import new_class
from typing import Any

from tablewright.model import (
    Binary,
    Date,
    DesignError,
    Document,
    Entity,
    EpochTimestamp,
    Field,
    Flag,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Number,
    Part,
    PartOf,
    SetOf,
    Table,
    Tally,
    Text,
    Whole,
)
from tablewright.model.table_form import TableForm
from tablewright.model.validation.design import validate
from tablewright.runtime.store.records import Records

DESIGNS = 2000
SEED = int(os.environ.get("SEED", "20261119"))
# Few names, which many fields, keys and settings of a table share.
NAMES = ("PK", "SK", "IPK", "ISK", "ttl", "type", "a", "ab", "b", "c")
PREFIXES = ("a", "ab", "t", "I", "k_")


class Sound(Part):
    one: Field[str] = Text("x")
    two: Field[str | None] = Text("y", default=None)


class Clashing(Part):
    one: Field[str] = Text("x")
    two: Field[str] = Text("x")


KINDS: tuple[tuple[Callable[[str | None], Field[Any]], Any], ...] = (
    (Text, "u"),
    (Text, "v"),
    (lambda stored: Whole(stored, digits=2), 7),
    (Binary, b"u"),
    (Flag, True),
    (Date, date(2026, 1, 1)),
    (lambda stored: EpochTimestamp(stored, resolution="s"), datetime(2026, 1, 1, tzinfo=UTC)),
    (Number, Decimal("1.5")),
    (Money, Decimal("1.50")),
    (lambda stored: SetOf(Text(), stored), {"a"}),
    (lambda stored: ListOf(Text(), stored), ("a",)),
    (Document, {"z": 1}),
    (lambda stored: PartOf(Sound, stored), Sound(one="1", two="2")),
    (lambda stored: PartOf(Clashing, stored), Clashing(one="1", two="2")),
    (lambda stored: ListOf(PartOf(Clashing), stored), (Clashing(one="1", two="2"),)),
)


def entity_of(random: Random, name: str) -> tuple[Any, dict[str, Any]]:
    """An entity of random fields, and the values of a record."""
    members: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for field in random.sample(["id", "f1", "f2", "f3"], random.randrange(1, 5)):
        if random.random() < 0.25:
            members[field] = Tally(prefix=random.choice(PREFIXES))
            values[field] = {random.choice(["x", "b", "tl"]): Decimal(random.randrange(9))}
        else:
            kind, values[field] = random.choice(KINDS)
            members[field] = kind(random.choice(NAMES) if random.random() < 0.5 else None)
    members["key"] = Text()
    values["key"] = "k"
    keywords = {"key": key_of(random, name, members)}
    return new_class(name, (Entity,), keywords, lambda body: body.update(members)), values


def key_of(random: Random, name: str, members: Mapping[str, Any]) -> Key:
    forms = ["{%s}", f"{name}#{{%s}}", "x#{%s}", name]
    chosen = (random.choice(forms) for _ in range(2))
    return Key(*(one.replace("%s", random.choice(sorted(members))) for one in chosen))


def layout_of(random: Random, entities: list[tuple[Any, dict[str, Any]]]) -> type[Table]:
    """A table of these entities, with random settings and perhaps an index."""
    members: dict[str, Any] = {one.__name__: Get(one) for one, _ in entities}
    if random.random() < 0.6:
        one, _ = random.choice(entities)
        keys = {one: key_of(random, "I", one.__entity__.by_name)}
        names = random.choice([("IPK", "ISK"), ("IPK", "b"), ("a", "ISK"), ("IPK", "PK")])
        members["by_index"] = Index(pk=names[0], sk=names[1], keys=keys, sparse=True)
    settings: dict[str, Any] = {"pk": "PK", "sk": "SK"}
    settings["entity_type"] = random.choice([None, "type", "b"])
    settings["ttl"] = random.choice([None, "ttl", "a"])
    return new_class("Layout", (Table,), settings, lambda body: body.update(members))


def designs(random: Random) -> Iterator[tuple[type[Table], list[tuple[Any, dict[str, Any]]]]]:
    """Random tables that can be declared, with their entities."""
    for _ in range(DESIGNS):
        try:
            entities = [entity_of(random, name) for name in ("One", "Two")[: random.choice((1, 2))]]
            table = layout_of(random, entities)
        except (DesignError, TypeError, ValueError):
            continue
        yield table, entities


def fault_of(table: type[Table], entity: Any, values: dict[str, Any]) -> str | None:
    """What is wrong with a stored record, None if nothing is."""
    design = table.__design__
    records, record = Records(design, entity.__entity__), entity(**values)
    item = records.to_item(record)
    if records.to_record(item) != record:
        return f"{record} is read as {records.to_record(item)}"
    declared = TableForm.of(design).definition("layout")["AttributeDefinitions"]
    for name, kind in ((one["AttributeName"], one["AttributeType"]) for one in declared):
        if name in item and [*item[name]] != [kind]:
            return f"{name} is {item[name]}, but the table declares {kind}"
    return None


def test_records_of_accepted_designs_are_read_back() -> None:
    sys.stdout.write(f"SEED={SEED}\n")
    accepted = 0
    for table, entities in designs(Random(SEED)):
        if validate(table):
            continue
        accepted += 1
        for entity, values in entities:
            fault = fault_of(table, entity, values)
            assert fault is None, (
                f"SEED={SEED}: {fault}: {table.__design__} {entity.__entity__.key}"
            )
    assert accepted > DESIGNS / 20
