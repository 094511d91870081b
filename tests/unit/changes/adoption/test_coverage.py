"""Coverage: an item counts if a design makes it again, and the reason is told if not."""

from typing import Any

import pytest

from tablewright.changes.adoption.coverage import coverage
from tablewright.model import Entity, Expiry, Field, Get, Index, Key, Put, Query, Table, Text, Whole
from tablewright.model.fields.specifiers import Date, SetOf


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER"), expires=Expiry("day", days=1)):
    order_id: Field[str] = Text()
    customer: Field[str] = Text(max_length=8)
    day: Field[Any] = Date()
    total: Field[int | None] = Whole(default=None)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)


class Orders(Table, pk="PK", sk="SK", ttl="ttl"):
    by_customer = Index(pk="CPK", keys={Order: Key("CUSTOMER#{customer}")})
    put = Put(Order)
    get = Get(Order)
    of_customer = Query(Order, by_customer)


def order(**other: Any) -> dict[str, dict[str, Any]]:
    item = {
        "PK": {"S": "ORDER#o1"},
        "SK": {"S": "ORDER"},
        "order_id": {"S": "o1"},
        "customer": {"S": "ann"},
        "day": {"S": "2026-01-31"},
        "CPK": {"S": "CUSTOMER#ann"},
        "ttl": {"N": "1769904000"},
        **other,
    }
    return {name: wire for name, wire in item.items() if wire is not None}


@pytest.mark.parametrize(
    "item",
    [
        order(),
        order(total={"N": "12"}),
        order(total={"N": "12.0"}),
        order(tags={"SS": ["b", "a"]}),
    ],
)
def test_an_item_as_the_design_writes_it_is_made_again(item: dict[str, Any]) -> None:
    found = coverage(Orders, [item])
    assert (found.items, found.rederived, found.gaps) == (1, 1, ())
    assert str(found) == "1 items sampled, 100 % re-derive byte for byte"


@pytest.mark.parametrize(
    ("other", "entity", "reason"),
    [
        ({"CPK": None}, "Order", "lack the key of index by_customer"),
        ({"CPK": {"S": "CUSTOMER#bob"}}, "Order", "have another key of index by_customer"),
        ({"ttl": None}, "Order", "lack the expiry 'ttl'"),
        ({"ttl": {"N": "1769904001"}}, "Order", "have another expiry 'ttl'"),
        (
            {"note": {"S": "?"}},
            "Order",
            "have the attribute 'note', which the design does not make",
        ),
        (
            {"total": {"NULL": True}},
            "Order",
            "have NULL for 'total', which is read as absent and would not be written",
        ),
        (
            {"customer": {"S": "annabella"}, "CPK": {"S": "CUSTOMER#annabella"}},
            "Order",
            "have a value that is refused: customer must have 1 to 8 characters",
        ),
        ({"PK": {"S": "BILL#b1"}}, None, "are of no entity"),
    ],
)
def test_why_an_item_is_not_made_again_is_told(
    other: dict[str, Any], entity: str | None, reason: str
) -> None:
    (gap,) = coverage(Orders, [order(**other)]).gaps
    assert (gap.entity, gap.reason, gap.items) == (entity, reason, 1)


class Typed(Table, pk="PK", sk="SK", entity_type="type"):
    put = Put(Order)
    get = Get(Order)


def test_an_item_that_says_its_entity_must_have_its_key() -> None:
    said = {"type": {"S": "Order"}, "CPK": None, "ttl": None}
    (gap,) = coverage(Typed, [order(**said, PK={"S": "BILL#b1"})]).gaps
    assert gap.entity == "Order"
    (gap,) = coverage(Typed, [order(**{**said, "type": {"S": "Bill"}})]).gaps
    assert (gap.entity, gap.reason) == (None, "are of no entity")


def test_a_number_is_not_a_flag() -> None:
    assert not coverage(Orders, [order(total={"BOOL": True})]).rederived


def test_reasons_are_grouped_the_most_frequent_first_each_with_an_example() -> None:
    found = coverage(
        Orders, [order(), order(ttl=None), *(order(CPK=None) for _ in range(2)), *[order()] * 996]
    )
    assert found.share == 0.997
    assert str(found) == (
        "1,000 items sampled, 99.7 % re-derive byte for byte, 3 do not: "
        "2 of Order lack the key of index by_customer (such as PK=ORDER#o1, SK=ORDER); "
        "1 of Order lack the expiry 'ttl' (such as PK=ORDER#o1, SK=ORDER)"
    )


def test_nothing_less_than_all_is_a_hundred_percent() -> None:
    found = coverage(Orders, [order(ttl=None), *[order()] * 9999])
    assert "99.9 % re-derive" in str(found)
