"""The files as whoever queries them sees them."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from tablewright.catalog.portal.events import Events
from tablewright.catalog.sales.design import Sales
from tablewright.model.archive import ArchivePlan, athena_type
from tablewright.runtime.archive.parquet import all_columns, to_parquet
from tablewright.runtime.archive.rows import Row
from tablewright.runtime.store.records import Item
from tablewright.runtime.streams.changes import Change
from tests.unit.runtime.archive.archive_world import EXPIRED_AT, PLAN, WRITTEN, note, removal


def queried(tmp_path: Path, *items: Item, plan: ArchivePlan = PLAN) -> list[dict[str, Any]]:
    rows = [
        Row.of(Change(removal(item, number)), item, plan.key) for number, item in enumerate(items)
    ]
    (tmp_path / "f.parquet").write_bytes(to_parquet(rows, plan))
    with duckdb.connect() as engine:
        found = engine.from_parquet(str(tmp_path / "f.parquet"))
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_columns_have_the_types_of_the_fields(tmp_path: Path) -> None:
    more = {"n": Decimal("0.1234567890123456789"), "a": ["x", None]}
    whole = note(
        7, price=Decimal("9.90"), score=Decimal("0.5"), done=True, tags={"b", "a"}, more=more
    )
    (found,) = queried(tmp_path, whole)
    assert found.pop("archive_item")
    assert found == {
        "id": "n7",
        "at": WRITTEN.replace(tzinfo=None),
        "price": Decimal("9.90"),
        "score": 0.5,
        "reads": 7,
        "done": True,
        "tags": ["a", "b"],
        "more": '{"a":["x",null],"n":0.1234567890123456789}',
        "archive_sequence": "0",
        "archive_time": EXPIRED_AT.replace(tzinfo=None),
    }


def test_what_a_type_cannot_hold_is_empty_and_costs_no_row(tmp_path: Path) -> None:
    odd: Item = {
        **note(1),
        "price": {"S": "dear"},
        "reads": {"S": "often"},
        "done": {"N": "7"},
        "tags": {"S": "a"},
        "at": {"N": "5"},
    }
    first, second = queried(tmp_path, odd, note(2))
    names = ("price", "reads", "tags", "at")
    assert [first[name] for name in names] == [None] * 4
    assert '"dear"' in first["archive_item"]
    assert second["reads"] == 2


def test_the_same_rows_are_the_same_bytes() -> None:
    rows = [
        Row.of(Change(removal(note(number), number)), note(number), PLAN.key) for number in range(9)
    ]
    assert to_parquet(rows, PLAN) == to_parquet(rows, PLAN)


def test_examples_of_the_catalogue_are_read_as_typed_columns(tmp_path: Path) -> None:
    design = Sales.__design__
    sale = design.entities["Sale"]
    item = {"PK": {"S": "p"}, "SK": {"S": "s"}, "saleDate": {"S": sale.example["sale_date"]}}
    (found,) = queried(tmp_path, item, plan=ArchivePlan.of(design))
    assert found["saledate"] == date(2025, 12, 29)
    event = Events.__design__.entities["Event"]
    plan = ArchivePlan.of(Events.__design__)
    wire: Item = {
        "date_bucket": {"S": "2025-01-26"},
        "ts#event_id": {"S": "t#e"},
        "timestamp": {"S": event.example["timestamp"]},
        "metadata": {"M": {"referrer": {"S": "search"}}},
    }
    (found,) = queried(tmp_path, wire, plan=plan)
    assert found["timestamp"] == datetime(2025, 1, 26, 10, 4)  # noqa: DTZ001
    assert found["metadata"] == '{"referrer":"search"}'


def test_every_column_has_a_type_that_athena_knows() -> None:
    known = {"string", "timestamp", "date", "double", "bigint", "boolean", "decimal(38,2)"}
    for column in all_columns(PLAN):
        assert column.type in known | {"array<string>"}
    assert athena_type(Sales.__design__.entities["Sale"].by_name["sale_price"]) == "decimal(38,2)"
