"""Verification: tells what is not as the design writes it, in the table and in each index."""

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes import backfill as backfill_package
from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.verification import verify
from tablewright.model import (
    KEYS_ONLY,
    Entity,
    Field,
    Index,
    Key,
    Money,
    Put,
    Table,
    Text,
    Timestamp,
)
from tablewright.runtime.aws import Caller
from tablewright.runtime.retry import Backoff
from tablewright.testing import Database
from tests.integration.changes.designs import (
    ADDITIVE,
    NAME,
    Before,
    Expiring,
    Indexed,
    Line,
    Order,
    completed_item,
    fill,
    item_of,
    line,
    order,
    records,
)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: None)


class IndexWith:
    """A caller to whom answers about an index are told otherwise, as often as there are forms."""

    def __init__(self, caller: Caller, *forms: Callable[[list[Any]], list[Any]]) -> None:
        self._caller = caller
        self._forms = list(forms)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = self._caller.call(operation, params)
        if params.get("IndexName") == "by_owner" and self._forms:
            form = self._forms.pop(0)
            return {**answer, "Items": form(answer["Items"])}
        return answer


@pytest.mark.parametrize("new", ADDITIVE)
def test_a_table_is_sound_once_it_is_backfilled_and_not_before(
    dynamodb: Database, new: type[Table]
) -> None:
    some = records(30)
    fill(dynamodb, new, Before, some)
    before = verify(new, NAME, dynamodb.caller)
    assert not before.is_sound
    assert sum(one.number for one in before.items) == sum(
        completed_item(new, one) != item_of(Before, one) for one in some
    )
    Backfill(new, Before, NAME, dynamodb.caller).run()
    after = verify(new, NAME, dynamodb.caller, old=Before)
    assert after.is_sound, after.lines()
    assert after.entities == {"Order": 20, "Line": 10}
    for index in after.indexes:
        assert index.expected == index.found > 0


def test_what_differs_is_told_with_an_example(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Indexed, records(6))
    stale = {**item_of(Indexed, order(1)), "D1": {"S": "CUSTOMER#another"}}
    alien = {"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}, "D1": {"S": "a"}, "D2": {"S": "b"}}
    dynamodb.write([stale, alien], NAME)
    lines = verify(Indexed, NAME, dynamodb.caller).lines()
    assert lines[:2] == ["2 items of Line", "4 items of Order"]
    assert "1 items differ: Order has another D1 than its record (PK ORDER#o1, SK ORDER)" in lines
    foreign = "of no entity of the design; name the old design if it has one for them"
    assert f"1 items differ: {foreign} (PK SOMETHING, SK ELSE)" in lines
    lines = verify(Indexed, NAME, dynamodb.caller, old=Before).lines()
    assert "1 items of no entity of the design (PK SOMETHING, SK ELSE)" in lines
    assert "index by_owner: 5 entries, as it should be" in lines
    assert "index everything: 2 entries, as it should be" in lines


def test_a_later_expiry_is_right_where_that_is_asked_for(dynamodb: Database) -> None:
    fill(dynamodb, Expiring, Expiring, [order(1)])
    dynamodb.write([{**item_of(Expiring, order(2)), "ttl": {"N": "9999999999"}}], NAME)
    assert not verify(Expiring, NAME, dynamodb.caller).is_sound
    assert verify(Expiring, NAME, dynamodb.caller, keep_later=True).is_sound


def test_an_index_that_is_not_there_is_told(dynamodb: Database) -> None:
    fill(dynamodb, Before, Indexed, records(3))
    found = verify(Indexed, NAME, dynamodb.caller)
    assert [one.differences for one in found.indexes] == [
        [],
        ["does not exist"],
        ["does not exist"],
    ]
    assert not found.is_sound


def without_first(entries: list[Any]) -> list[Any]:
    return entries[1:]


def other_total(entries: list[Any]) -> list[Any]:
    return [{**one, "total": {"N": "77"}} for one in entries]


@pytest.mark.parametrize("form", [without_first, other_total])
def test_an_index_that_is_behind_is_looked_at_again(
    dynamodb: Database, form: Callable[[list[Any]], list[Any]]
) -> None:
    fill(dynamodb, Indexed, Indexed, records(6))
    behind = IndexWith(dynamodb.caller, form, form, form)
    assert verify(Indexed, NAME, behind, segments=1).is_sound


@pytest.mark.parametrize(
    ("form", "told"),
    [(without_first, "lacks the entry"), (other_total, "has another entry")],
)
def test_an_index_that_stays_wrong_is_told(
    dynamodb: Database, form: Callable[[list[Any]], list[Any]], told: str
) -> None:
    fill(dynamodb, Indexed, Indexed, records(6))
    wrong = IndexWith(dynamodb.caller, *[form] * 100)
    found = verify(Indexed, NAME, wrong, segments=1)
    assert not found.is_sound
    differing = {one.name: one.differences for one in found.indexes if one.differences}
    assert differing.keys() == {"by_owner"}
    assert told in differing["by_owner"][0]


def test_an_entry_too_many_is_told(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Indexed, records(3))
    ghost = {name: item_of(Indexed, order(9))[name] for name in ("PK", "SK", "D1", "D2")}

    def haunted(entries: list[Any]) -> list[Any]:
        return [*entries, ghost]

    found = verify(Indexed, NAME, IndexWith(dynamodb.caller, *[haunted] * 100), segments=1)
    differing = {one.name: list(one.differences) for one in found.indexes}
    assert differing["by_owner"] == ["has an entry too many, of PK ORDER#o9, SK ORDER"]


def test_differences_are_named_up_to_a_number(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Indexed, records(60))

    def empty(entries: list[Any]) -> list[Any]:
        return []

    found = verify(Indexed, NAME, IndexWith(dynamodb.caller, *[empty] * 1000), segments=1)
    assert "index by_owner: 0 entries, 20 or more differ" in found.lines()


class Swapped(Entity, key=Key("ORDER#{order_id}", "ORDER"), name="Order"):
    """Orders with two attributes that changed hands."""

    order_id: Field[str] = Text()
    customer: Field[str] = Text("note", max_length=4000)
    placed_at: Field[datetime] = Timestamp()
    total: Field[Decimal] = Money()
    note: Field[str | None] = Text("customer", default=None)


class SwappedOrders(Table, id="orders", pk="PK", sk="SK"):
    place = Put(Swapped)


class OtherWay(Before, keys={Line: Key("ORDER#{product}", "LINE#{order_id}")}):
    """Two fields of a key exchanged: every key is read, as another one."""


class OrdersAlone(Table, id="orders", pk="PK", sk="SK", ttl="ttl"):
    by_customer = Index(
        pk="C1", sk="C2", projects=KEYS_ONLY, keys={Order: Key("C#{customer}", "AT#{placed_at}")}
    )
    place = Put(Order)


def test_an_item_that_the_designs_read_as_different_records_is_named(dynamodb: Database) -> None:
    fill(dynamodb, Before, Before, [order(1, note="a note"), line(1)])
    found = verify(SwappedOrders, NAME, dynamodb.caller, old=Before)
    assert [one.reason for one in found.items] == [
        "Order.customer is another value for the old design"
    ]
    assert verify(Before, NAME, dynamodb.caller, old=Before).is_sound


def test_a_key_that_is_read_as_another_one_is_named(dynamodb: Database) -> None:
    fill(dynamodb, Before, Before, [line(1)])
    found = verify(OtherWay, NAME, dynamodb.caller, old=Before)
    assert not found.is_sound


def test_items_of_an_entity_that_was_dropped_are_counted_and_no_difference(
    dynamodb: Database,
) -> None:
    fill(dynamodb, Before, Before, [order(1), line(1), line(2)])
    found = verify(OrdersAlone, NAME, dynamodb.caller, old=Before)
    assert found.is_sound, found.lines()
    assert [(one.reason, one.number) for one in found.foreign] == [
        ("of no entity of the design", 2)
    ]
    counts = Backfill(OrdersAlone, Before, NAME, dynamodb.caller).run()
    assert counts == {"foreign": 2, "unchanged": 1}


def test_an_item_that_the_new_design_no_longer_knows_is_named(dynamodb: Database) -> None:
    class Elsewhere(Before, keys={Line: Key("LINES#{order_id}", "LINE#{product}")}):
        pass

    fill(dynamodb, Before, Before, [line(1)])
    found = verify(Elsewhere, NAME, dynamodb.caller, old=Before)
    assert [one.reason for one in found.items] == [
        "Line for the old design, nothing for the new one"
    ]


def test_verification_shares_no_code_with_the_backfill() -> None:
    """Neither imports the other's reading, writing or comparison of items."""
    folder = Path(backfill_package.__path__[0])
    imports = {
        file: set(re.findall(r"changes\.backfill\.(\w+) import", (folder / file).read_text()))
        for file in ("verification.py", "item_check.py", "differing.py", "entries.py", "sums.py")
    }
    assert set().union(*imports.values()) <= {
        "differing", "entries", "item_check", "pace", "sums"
    }  # fmt: skip
