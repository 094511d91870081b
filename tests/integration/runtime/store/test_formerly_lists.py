"""Lists over items of both forms: as if all of them had been written anew."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from threading import Barrier
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.model import Entity, Index, Key, Put, Query, Shards, Table, replaced
from tablewright.runtime.errors import CursorExpired, NotFound
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.store.two_forms import (
    Before,
    Customer,
    Line,
    Order,
    Orders,
    Plain,
    a_customer,
    an_order,
    new_item,
    old_item,
)

FIRST = date(2026, 1, 1)
DAYS = [FIRST + timedelta(days=number) for number in range(3)]
orders = st.builds(
    an_order,
    st.sampled_from([f"o{number}" for number in range(8)]),
    customer=st.sampled_from(["ann", "bob", "bob a"]),
    day=st.sampled_from(DAYS),
    state=st.sampled_from(["OPEN", "PAID"]),
    total=st.sampled_from([Decimal("1.25"), Decimal("9.95")]),
    note=st.sampled_from([None, "x"]),
)
lines = st.builds(
    Line,
    order_id=st.sampled_from(["o1", "o2"]),
    number=st.integers(1, 5),
    thing=st.sampled_from(["tea", "cup"]),
)
customers = st.builds(
    a_customer,
    st.sampled_from(["ann", "bob", "cid", "dot"]),
    city=st.sampled_from(["Rome", "Rome#"[:4]]),
    email=st.sampled_from([None, "a@b.c"]),
)
# Each with how it is stored: anew, as before, or as before with an earlier state beside it.
stored = st.lists(
    st.tuples(st.one_of(orders, orders, lines, customers), st.sampled_from(["new", "old", "both"])),
    max_size=20,
    unique_by=lambda one: new_item(one[0])["PK"]["S"] + new_item(one[0])["SK"]["S"],
)


def written(record: Entity, form: str) -> Iterator[Item]:
    """The items of a record: if it is there in both forms, the one before is out of date."""
    if form != "old":
        yield new_item(record)
    if form == "old" or (form == "both" and not isinstance(record, Customer)):
        stale = form == "both" and isinstance(record, Order)
        yield old_item(replaced(record, day=FIRST, state="OPEN") if stale else record)


def questions() -> Iterator[tuple[Query[Any], dict[str, Any]]]:
    """Each list with what is asked of it."""
    for customer in ("ann", "bob", "bob a"):
        for query in (Plain.of_customer, Plain.totals_of_customer):
            yield query, {"customer": customer}
    yield Plain.of_customer, {"customer": "ann", "since": DAYS[1]}
    yield Plain.of_customer, {"customer": "ann", "after": DAYS[0], "before": DAYS[2]}
    yield Plain.of_customer, {"customer": "bob", "day": DAYS[1]}
    yield Plain.of_customer, {"customer": "ann", "where": Order.total > 5}
    yield Plain.of_state, {"state": "OPEN"}
    yield Plain.of_state, {"state": "PAID", "until": DAYS[1], "where": Order.note.is_missing()}
    for day in DAYS[:2]:
        for query in (Plain.of_day, Plain.whole_of_day, Plain.notes_of_day):
            yield query, {"day": day}
    yield Plain.of_day, {"day": DAYS[0], "since": "bob", "where": Order.state == "OPEN"}
    yield Plain.whole_of_day, {"day": DAYS[0], "begins_with": "bo", "where": Order.total > 5}
    yield Plain.lines, {"order_id": "o1"}
    yield Plain.lines, {"order_id": "o2", "since": 2, "until": 4}
    yield Plain.lines, {"order_id": "o1", "number": 3}
    yield Plain.order_and_lines, {"order_id": "o1"}
    yield Plain.of_city, {"city": "Rome"}
    yield Plain.of_city, {"city": "Rome", "since": "bob"}
    yield Plain.whole_of_city, {"city": "Rome"}


def by_key(records: list[Any]) -> list[Any]:
    return sorted(records, key=lambda record: sorted(map(str, record.items())))


def pages(store: Store, query: Query[Any], asked: dict[str, Any], size: int) -> list[Any]:
    """A list, read page by page."""
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(100):
        page = store.query(query, **asked, limit=size, cursor=cursor)
        assert len(page.items) <= size
        found += page.items
        if not page.has_more:
            return found
        cursor = page.cursor
    raise AssertionError(f"{query!r} never ends")


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(items=stored, size=st.integers(1, 4), descending=st.booleans())
def test_lists_are_as_if_all_items_were_written_anew(
    dynamodb: Database, items: list[tuple[Entity, str]], size: int, descending: bool
) -> None:
    plain, both = dynamodb.store(Plain), dynamodb.store(Orders)
    dynamodb.empty(Plain)
    dynamodb.empty(Orders)
    dynamodb.write([new_item(record) for record, _ in items], Plain)
    dynamodb.write([item for record, form in items for item in written(record, form)], Orders)
    for query, asked in questions():
        twin = getattr(Orders, query.name)
        directed = {**asked, "descending": descending}
        expected = list(plain.each(query, **directed))
        found = list(both.each(twin, **directed))
        assert [_place(one, query) for one in found] == [_place(one, query) for one in expected]
        assert by_key(found) == by_key(expected), (query, asked)
        assert pages(both, twin, directed, size) == found, (query, asked, "page by page")
        assert both.count(twin, **asked) == len(expected)
        first = both.first(twin, **directed)
        assert first == (found[0] if found else None)
    for scan in (Plain.every_order, Plain.every_customer, Plain.every_by_day):
        every: list[Any] = [*plain.scan(scan)]  # type: ignore[misc]
        assert by_key(list(both.scan(getattr(Orders, scan.name)))) == by_key(every)
    where = Order.total > 5
    assert by_key(list(both.scan(Orders.every_order, where=where))) == by_key(
        list(plain.scan(Plain.every_order, where=where))
    )


def _place(record: Any, query: Query[Any]) -> Any:
    """What a list is sorted by: the order among equals is DynamoDB's."""
    fields = {"by_customer": "day", "by_state": "day", "by_day": "customer", "by_city": "name"}
    if query.index:
        return record.get(fields[query.index])
    return type(record).__name__, record.get("number")


class Fewer(Table, pk="PK", sk="SK"):
    by_day = Index(
        pk="D1",
        sk="D2",
        keys={Order: Key("{shard}", "{day}", shards=Shards(2, by="order_id"))},
    )
    place = Put(Order)
    of_all = Query(Order, by_day)


class More(Table, pk="PK", sk="SK", formerly=Fewer):
    by_day = Index(
        pk="D1",
        sk="D2",
        keys={Order: Key("{shard}", "{day}", shards=Shards(5, by="order_id"))},
    )
    place = Put(Order)
    of_all = Query(Order, by_day)


@pytest.mark.parametrize("descending", [False, True])
def test_shards_can_become_more(dynamodb: Database, descending: bool) -> None:
    new = dynamodb.store(More)
    old = dynamodb.store(Fewer, table=dynamodb.table(More))
    every = [an_order(f"o{number}", day=DAYS[number % 3]) for number in range(12)]
    for record in every[::2]:
        new.put(More.place, record)
    for record in every[1::2]:
        old.put(Fewer.place, record)
    found = pages(new, More.of_all, {"descending": descending}, 2)
    assert by_key(found) == by_key(every)
    assert [one.day for one in found] == sorted((r.day for r in every), reverse=descending)
    assert by_key(list(new.each(More.of_all))) == by_key(every)


def test_old_code_passes_over_what_new_code_has_written(dynamodb: Database) -> None:
    new = dynamodb.store(Orders)
    old = dynamodb.store(Before, table=dynamodb.table(Orders))
    dynamodb.write([old_item(an_order("o1")), new_item(an_order("o2"))])
    dynamodb.write([old_item(Line(order_id="o1", number=1, thing="tea"))])
    for listed in (
        old.each(Before.of_customer, customer="ann"),
        old.each(Before.of_state, state="OPEN"),
    ):
        assert [one.order_id for one in listed] == ["o1"]
    page = old.query(Before.of_state, state="OPEN", limit=1)
    more = old.query(Before.of_state, state="OPEN", limit=1, cursor=page.cursor)
    assert [one.order_id for one in (*page.items, *more.items)] == ["o1"]
    assert len(list(new.each(Orders.of_state, state="OPEN"))) == 2


def test_a_cursor_into_the_form_before_ends_with_that_form(dynamodb: Database) -> None:
    new = dynamodb.store(Orders)
    plain = dynamodb.store(Plain, table=dynamodb.table(Orders))
    dynamodb.write([old_item(an_order(f"o{number}")) for number in range(3)])
    page = new.query(Orders.of_state, state="OPEN", limit=1)
    with pytest.raises(CursorExpired):
        plain.query(Plain.of_state, state="OPEN", limit=1, cursor=page.cursor)


def test_racing_old_and_new_writers_lose_nothing(dynamodb: Database) -> None:
    name = dynamodb.table(Orders)
    ids = [f"o{number}" for number in range(4)]
    dynamodb.write([old_item(an_order(one)) for one in ids])
    together = Barrier(6)

    def by_old(number: int) -> int:
        store, done = dynamodb.store(Before, table=name), 0
        together.wait(30)
        for one in ids:
            with suppress(NotFound):
                store.update(Before.change, {"order_id": one}, {"note": f"old {number}"})
                done += 1
        return done

    def by_new(number: int) -> int:
        store = dynamodb.store(Orders)
        together.wait(30)
        for one in ids:
            store.update(Orders.change, {"order_id": one}, Order.total.add(Decimal("0.25")))
        return len(ids)

    with ThreadPoolExecutor(6) as executor:
        work = [executor.submit(by_old if n % 2 else by_new, n) for n in range(6)]
        assert sum(one.result() for one in work) >= 3 * len(ids)
    store = dynamodb.store(Orders)
    assert len(dynamodb.items()) == len(ids), "each is there once"
    for record in store.scan(Orders.every_order):
        assert record.total == Decimal("10.70"), "what each has added"
        assert record.note == "ring twice" or (record.note or "").startswith("old")


def test_a_list_that_has_one_form_is_read_as_ever(dynamodb: Database) -> None:
    class Renamed(Orders, id="renamed", formerly=Plain):
        pass

    store = dynamodb.store(Renamed, Reading(dynamodb))
    dynamodb.write([new_item(an_order())], Renamed)
    Reading.made.clear()
    assert store.count(Renamed.of_state, state="OPEN") == 1
    assert store.get(Renamed.order, order_id="none") is None
    assert Reading.made == ["Query", "GetItem"]


class Reading:
    """A caller that remembers what was called."""

    made: ClassVar[list[str]] = []

    def __init__(self, dynamodb: Database) -> None:
        self._caller = dynamodb.caller

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.made.append(operation)
        return self._caller.call(operation, params)
