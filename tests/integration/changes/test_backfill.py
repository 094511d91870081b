"""Backfill: items get the attributes that they lack, and nothing that they have changes."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.changes.backfill.backfill import Backfill, Contraction
from tablewright.changes.backfill.refusals import NotBackfillable
from tablewright.changes.backfill.state_progress import StateProgress
from tablewright.model import (
    Choice,
    Entity,
    Expiry,
    Field,
    Index,
    Key,
    Money,
    Put,
    Table,
    Text,
    Whole,
    replaced,
)
from tablewright.model.sizes import ITEM_BYTES, item_bytes
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Item
from tablewright.testing import Database
from tests.integration.changes.designs import (
    ADDITIVE,
    AT,
    CHANGING,
    NAME,
    Bare,
    Before,
    Contracted,
    Expiring,
    Indexed,
    Order,
    completed_item,
    completed_items,
    fill,
    in_order,
    item_of,
    items_of,
    line,
    order,
    records,
    stored,
)


def backfill(
    database: Database, new: type[Table], old: type[Table] | None = Before, **options: Any
) -> Counter[str]:
    return Backfill(new, old, NAME, database.caller, segments=2, **options).run()


@pytest.mark.parametrize("new", ADDITIVE)
@pytest.mark.parametrize("old", [Before, None])
def test_items_get_what_the_new_design_writes_and_keep_all_that_they_have(
    dynamodb: Database, new: type[Table], old: type[Table] | None
) -> None:
    some = records(40)
    fill(dynamodb, new, Before, some)
    counts = backfill(dynamodb, new, old)
    assert stored(dynamodb) == completed_items(new, some)
    changed = [one for one in some if completed_item(new, one) != item_of(Before, one)]
    assert counts["completed"] == len(changed)
    assert backfill(dynamodb, new, old) == Counter(unchanged=40)


@pytest.mark.parametrize("new", CHANGING)
@pytest.mark.parametrize("old", [Before, None])
def test_items_that_would_change_are_left_counted_and_named(
    dynamodb: Database, new: type[Table], old: type[Table] | None
) -> None:
    some = [order(1), line(2), line(7)]
    fill(dynamodb, Before, Before, some)
    work = Backfill(new, old, NAME, dynamodb.caller)
    counts = work.run()
    assert stored(dynamodb) == items_of(Before, some)
    assert counts.keys() <= {"left", "foreign", "unchanged"}
    assert counts["left"] + counts["foreign"] > 0
    assert all(reason.example.startswith("PK ORDER#o") for reason in work.reasons)


def test_a_dry_run_counts_and_writes_nothing(dynamodb: Database) -> None:
    some = records(9)
    fill(dynamodb, Indexed, Before, some)
    assert backfill(dynamodb, Indexed, dry_run=True) == Counter(completed=9)
    assert stored(dynamodb) == items_of(Before, some)


def test_what_cannot_be_completed_is_left_counted_and_named(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    alien = {"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}
    without = {n: w for n, w in item_of(Before, order(2)).items() if n != "customer"}
    dynamodb.write([alien, without, {**alien, "SK": {"S": "MORE"}}], NAME)
    work = Backfill(Indexed, Before, NAME, dynamodb.caller, segments=1)
    assert work.run() == Counter({"completed": 1, "left": 1, "foreign": 2})
    reasons = {one.text: (one.number, one.example) for one in work.reasons}
    assert reasons["Order: customer is required"] == (1, "PK ORDER#o2, SK ORDER")
    assert reasons["of no entity of the design"][0] == 2
    assert alien in stored(dynamodb)
    assert without in stored(dynamodb)


def test_an_item_that_dynamodb_refuses_is_left_and_named(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [order(1)])
    # Beside which there is no room for the new attributes.
    item = item_of(Before, order(2))
    size = item_bytes({name: decode(wire) for name, wire in item.items()})
    large = {**item, "more": {"S": "x" * (ITEM_BYTES - size - 5)}}
    dynamodb.write([large], NAME)
    work = Backfill(Indexed, Before, NAME, dynamodb.caller)
    assert work.run() == Counter(completed=1, refused=1)
    assert "size" in work.reasons[0].text
    assert large in stored(dynamodb)


def test_attributes_of_other_programs_stay(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, [])
    odd = {
        **item_of(Before, order(1)),
        "note": {"NULL": True},
        "total": {"N": "1.250"},
        "tags": {"SS": ["b", "a"]},
        "by_hand": {"M": {"x": {"L": [{"N": "1"}]}}},
    }
    dynamodb.write([odd], NAME)
    (before,) = stored(dynamodb)
    assert backfill(dynamodb, Indexed) == Counter(completed=1)
    (after,) = stored(dynamodb)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {"D1", "D2", "type"}


class Product(Entity, key=Key("P#{id}")):
    id: Field[str] = Text()
    price: Field[Decimal] = Money("cost")


class Rounded(Entity, key=Key("P#{id}"), name="Product"):
    id: Field[str] = Text()
    price: Field[int] = Whole("cost")
    state: Field[str] = Choice(["NEW", "SOLD"], default="NEW")


class Exchanged(Entity, key=Key("P#{id}"), name="Product"):
    id: Field[str] = Text()
    price: Field[Decimal] = Money(default=Decimal(1))
    cost: Field[Decimal | None] = Money(default=None)


class Products(Table, id="products", pk="PK"):
    put = Put(Product)


class RoundedProducts(Table, id="products", pk="PK"):
    by_price = Index(pk="B1", sk="B2", keys={Rounded: Key("ALL", "{price}")})
    put = Put(Rounded)


class ExchangedProducts(Table, id="products", pk="PK"):
    put = Put(Exchanged)


@pytest.mark.parametrize("new", [RoundedProducts, ExchangedProducts])
@pytest.mark.parametrize("price", ["0.99", "12.75", "12.755"])
def test_no_value_is_rounded_converted_or_exchanged(
    dynamodb: Database, new: type[Table], price: str
) -> None:
    dynamodb.table(new, NAME)
    item: Item = {"PK": {"S": "P#1"}, "id": {"S": "1"}, "cost": {"N": price}}
    dynamodb.write([item], NAME)
    backfill(dynamodb, new, Products)
    (after,) = dynamodb.items(NAME)
    assert {name: after[name] for name in item} == item


class Ticket(Entity, key=Key("T#{id}")):
    id: Field[str] = Text()
    state: Field[str | None] = Text(default=None)


class OpenTicket(Entity, key=Key("T#{id}"), name="Ticket"):
    id: Field[str] = Text()
    state: Field[str] = Text(default="OPEN")
    queue: Field[str] = Text(default="ANY")


class Tickets(Table, id="tickets", pk="PK"):
    put = Put(Ticket)


class OpenTickets(Table, id="tickets", pk="PK"):
    put = Put(OpenTicket)


class QueuedTickets(Table, id="tickets", pk="PK"):
    by_queue = Index(pk="queue", keys={OpenTicket: Key("{queue}")})
    put = Put(OpenTicket)


class TicketsByState(Table, id="tickets", pk="PK"):
    by_state = Index(pk="state", keys={OpenTicket: Key("{state}")})
    put = Put(OpenTicket)


def test_defaults_are_added_unless_the_old_design_reads_another_value(dynamodb: Database) -> None:
    item: Item = {"PK": {"S": "T#1"}, "id": {"S": "1"}}
    for new in (OpenTickets, QueuedTickets):
        dynamodb.clear()
        dynamodb.table(new, NAME)
        dynamodb.write([item], NAME)
        assert backfill(dynamodb, new, Tickets) == Counter(completed=1)
        # The old design would read state as OPEN, where it has read None.
        assert dynamodb.items(NAME) == [{**item, "queue": {"S": "ANY"}}]


def test_an_index_on_a_default_holds_the_items_of_before(dynamodb: Database) -> None:
    dynamodb.table(TicketsByState, NAME)
    dynamodb.write([{"PK": {"S": f"T#{n}"}, "id": {"S": str(n)}} for n in range(10)], NAME)
    assert backfill(dynamodb, TicketsByState, OpenTickets) == Counter(completed=10)
    index = dynamodb.client().scan(TableName=NAME, IndexName="by_state")
    assert index["Count"] == 10
    # Of the design that reads None, such an item would become another one.
    dynamodb.empty(NAME)
    dynamodb.write([{"PK": {"S": "T#1"}, "id": {"S": "1"}}], NAME)
    work = Backfill(TicketsByState, Tickets, NAME, dynamodb.caller)
    assert work.run() == Counter(left=1)
    assert work.reasons[0].text == "Ticket: the old design would read another record"


def test_an_item_whose_key_does_not_follow_from_its_fields_is_left(dynamodb: Database) -> None:
    class Account(Entity, key=Key("A#{email}")):
        email: Field[str] = Text(max_length=40)

    class Accounts(Table, pk="PK"):
        by_email = Index(pk="E1", keys={Account: Key("E#{email}")})
        put = Put(Account)

    dynamodb.table(Accounts, NAME)
    odd: Item = {"PK": {"S": "A#old@x"}, "email": {"S": "new@x"}}
    dynamodb.write([odd], NAME)
    work = Backfill(Accounts, None, NAME, dynamodb.caller)
    assert work.run() == Counter(left=1)
    assert work.reasons[0].text.startswith("Account: PK must have the form A#{email}")
    assert dynamodb.items(NAME) == [odd]


def test_an_expiry_that_items_have_changes_only_on_request(dynamodb: Database) -> None:
    class Both(Indexed, expires={Order: Expiry("placed_at", days=30)}):
        pass

    fill(dynamodb, Expiring, Before, [order(1), order(2), line(3)])
    later = {**item_of(Before, order(4)), "ttl": {"N": "9999999999"}}
    odd = {**item_of(Before, order(5)), "ttl": {"S": "tomorrow"}}
    dynamodb.write([later, odd], NAME)
    work = Backfill(Expiring, Before, NAME, dynamodb.caller, dry_run=True)
    assert work.run() == Counter(completed=2, unchanged=1, left=2)
    assert "`tablewright backfill --only ttl` changes it" in work.reasons[0].text
    counts = backfill(dynamodb, Both, only_expiry=True, keep_later=True)
    assert counts == Counter({"completed": 2, "unchanged": 2, "left": 1})
    there = stored(dynamodb)
    assert [one for one in there if one in (later, odd)] == [later, odd]
    assert completed_item(Expiring, order(1)) in there, "and nothing but the expiry"
    assert backfill(dynamodb, Expiring, only_expiry=True) == Counter(
        {"expiry changed": 2, "unchanged": 3}
    )
    assert stored(dynamodb) == items_of(Expiring, [order(1), order(2), line(3), order(4), order(5)])


def test_an_expiry_that_the_design_no_longer_has_is_removed_only_on_request(
    dynamodb: Database,
) -> None:
    fill(dynamodb, Expiring, Expiring, [order(1), order(2)])
    assert backfill(dynamodb, Before, Expiring) == Counter(unchanged=2)
    assert backfill(dynamodb, Before, None, only_expiry=True) == Counter(unchanged=2)
    assert backfill(dynamodb, Before, Expiring, only_expiry=True) == Counter({"expiry changed": 2})
    assert stored(dynamodb) == items_of(Before, [order(1), order(2)])


def test_contraction_removes_what_the_old_design_alone_computed(dynamodb: Database) -> None:
    some = records(12)
    fill(dynamodb, Indexed, Indexed, some)
    odd = {**item_of(Indexed, order(99)), "D3": {"S": "of others"}}
    dynamodb.write([odd], NAME)
    work = Contraction(Contracted, Indexed, NAME, dynamodb.caller)
    assert work.run() == Counter(removed=9, unchanged=4)
    there = stored(dynamodb)
    without = {name: wire for name, wire in odd.items() if name not in ("C1", "C2")}
    assert without in there
    assert [one for one in there if one != without] == items_of(Contracted, some)


def test_designs_that_no_backfill_can_follow_are_refused(dynamodb: Database) -> None:
    class Elsewhere(Table, pk="id", sk="SK"):
        place = Put(Order)

    with pytest.raises(NotBackfillable, match="never changes"):
        backfill(dynamodb, Elsewhere, Before)
    with pytest.raises(NotBackfillable, match="no ttl"):
        backfill(dynamodb, Elsewhere, None, only_expiry=True)


def test_progress_counts_items_and_units_over_runs(dynamodb: Database) -> None:
    fill(dynamodb, Indexed, Before, records(6))
    dynamodb.write([{"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}], NAME)
    saved: dict[str, Any] = {}

    def run(segments: int) -> tuple[StateProgress, Backfill]:
        progress = StateProgress(dict(saved), segments, saved.update)
        work = Backfill(Indexed, Before, NAME, dynamodb.caller, progress=progress)
        work.run()
        return progress, work

    first, _ = run(3)
    again, work = run(16)
    assert again.resumed
    assert again.segments == 3
    assert again.outcomes == Counter(completed=6, foreign=1)
    assert work.reasons[0].example == "PK SOMETHING, SK ELSE"
    assert again.units == first.units
    assert first.units[1] > 6, "of table and indexes"


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    new=st.sampled_from(ADDITIVE),
    written=st.dictionaries(
        st.integers(0, 30), st.tuples(st.booleans(), st.text("abc", max_size=5)), max_size=8
    ),
)
def test_any_mixture_of_old_and_new_items_ends_complete(
    dynamodb: Database, new: type[Table], written: dict[int, tuple[bool, str]]
) -> None:
    table = f"{NAME}-{new.__name__}"
    dynamodb.table(new, table)
    dynamodb.empty(table)
    some = {number: order(number, note=note or None) for number, (_, note) in written.items()}
    by = {number: new if is_new else Before for number, (is_new, _) in written.items()}
    dynamodb.write([item_of(by[number], one) for number, one in some.items()], table)
    Backfill(new, Before, table, dynamodb.caller, segments=1).run()
    assert sorted(dynamodb.items(table), key=in_order) == completed_items(new, some.values())


ODD_WIRES = st.one_of(
    st.builds(lambda text: {"S": text}, st.sampled_from(["", "a", "CUSTOMER#a", "2026-01-31"])),
    st.builds(lambda n: {"N": str(n)}, st.integers(-5, 10**10)),
    st.just({"NULL": True}),
    st.just({"BOOL": False}),
)
ATTRIBUTES = ("customer", "placed_at", "total", "note", "C1", "C2", "D1", "D2", "ttl", "type", "x")
DESIGNS: list[type[Table]] = [*ADDITIVE, *CHANGING, Contracted]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    new=st.sampled_from(DESIGNS),
    old=st.sampled_from([Before, None, *DESIGNS]),
    odd=st.dictionaries(st.sampled_from(ATTRIBUTES), ODD_WIRES, max_size=4),
    lacks=st.sets(st.sampled_from(ATTRIBUTES), max_size=3),
    hours=st.integers(0, 3),
)
def test_whatever_the_designs_and_the_item_no_attribute_changes(
    dynamodb: Database,
    new: type[Table],
    old: type[Table] | None,
    odd: Item,
    lacks: set[str],
    hours: int,
) -> None:
    # A table without indexes takes any item.
    dynamodb.table(Bare, NAME)
    dynamodb.empty(NAME)
    record = order(1, placed_at=AT + timedelta(hours=hours))
    item = {n: w for n, w in {**item_of(Before, record), **odd}.items() if n not in lacks}
    dynamodb.write([item], NAME)
    (before,) = dynamodb.items(NAME)
    backfill(dynamodb, new, old)
    (after,) = dynamodb.items(NAME)
    assert {name: after[name] for name in before} == before


def test_stale_index_keys_of_the_new_design_alone_are_corrected(dynamodb: Database) -> None:
    """New code put the order, and a program of the old design then changed its customer."""
    fill(dynamodb, Indexed, Before, [])
    new, old = dynamodb.store(Indexed, table=NAME), dynamodb.store(Before, table=NAME)
    new.put(Indexed.place, order(1))
    old.update(Before.change, order(1), {"customer": "another"})
    changed = replaced(order(1), customer="another")
    assert dynamodb.items(NAME) != [item_of(Indexed, changed)]
    assert backfill(dynamodb, Indexed) == Counter(completed=1)
    assert dynamodb.items(NAME) == [item_of(Indexed, changed)]
    foreign = {**item_of(Indexed, changed), "D1": {"S": "of another program"}}
    dynamodb.write([foreign], NAME)
    assert backfill(dynamodb, Indexed) == Counter(left=1)
    assert dynamodb.items(NAME) == [foreign]
