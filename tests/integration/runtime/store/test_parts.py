"""Parts with fields of their own: stored as maps, read back as they were."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum

import pytest

from tablewright.model import (
    Choice,
    Date,
    Entity,
    Field,
    Get,
    Key,
    ListOf,
    Money,
    Part,
    PartOf,
    Put,
    Query,
    SetOf,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.model.errors import InvalidRecord
from tablewright.model.validation.design import check
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class State(Enum):
    OPEN = "open"
    PAID = "paid"


class Address(Part):
    """Where somebody lives."""

    city: Field[str] = Text()
    since: Field[date | None] = Date(default=None)


class Line(Part):
    """A line of an order."""

    product: Field[str] = Text("p")
    pieces: Field[int] = Whole()
    price: Field[Decimal] = Money()
    state: Field[State] = Choice(State, default=State.OPEN)
    sent_to: Field[Address | None] = PartOf(Address, default=None)


class Order(Entity, key=Key("CUSTOMER#{customer}", "ORDER#{order_id}")):
    customer: Field[str] = Text()
    order_id: Field[str] = Text()
    address: Field[Address] = PartOf(Address)
    lines: Field[tuple[Line, ...]] = ListOf(PartOf(Line), default=())
    seen: Field[tuple[datetime, ...]] = ListOf(Timestamp(), default=())
    sizes: Field[set[int] | None] = SetOf(Whole(), default=None)


class Orders(Table, pk="PK", sk="SK"):
    """Orders with their lines."""

    put = Put(Order)
    get = Get(Order)
    change = Update(Order)
    of_customer = Query(Order)


PARIS = Address(city="Paris", since=date(2020, 2, 29))
ORDER = Order(
    customer="ann",
    order_id="1",
    address=PARIS,
    lines=(
        Line(product="tea", pieces=2, price=Decimal("4.50"), sent_to=PARIS),
        Line(product="cup", pieces=1, price=Decimal(9), state=State.PAID),
    ),
    seen=(datetime(2026, 11, 17, 12, tzinfo=UTC),),
    sizes={1, 20},
)
KEY = {"customer": "ann", "order_id": "1"}


@pytest.fixture
def store(dynamodb: Database) -> Store:
    check(Orders)
    store = dynamodb.store(Orders)
    store.put(Orders.put, ORDER)
    return store


def test_what_is_put_comes_back_equal(store: Store, dynamodb: Database) -> None:
    found = store.get(Orders.get, KEY)
    assert found == ORDER
    assert found is not None
    assert isinstance(found.lines[0], Line)
    assert str(found.lines[1].price) == "9.00"
    assert found.lines[0].sent_to == PARIS
    assert found.address.since == date(2020, 2, 29)
    (item,) = dynamodb.items()
    assert item["lines"]["L"][1]["M"] == {
        "p": {"S": "cup"},
        "pieces": {"N": "1"},
        "price": {"N": "9.00"},
        "state": {"S": "paid"},
    }


def test_a_mapping_will_do_and_is_checked() -> None:
    made = Order(**{**ORDER, "address": {"city": "Rome"}, "lines": []})
    assert made.address == Address(city="Rome")
    with pytest.raises(InvalidRecord, match="address is wrong: town is not a field of Address"):
        Order(**{**ORDER, "address": {"town": "Rome"}})
    line = {**ORDER.lines[0], "pieces": -1}
    with pytest.raises(InvalidRecord, match="lines has an entry that is wrong: pieces must be"):
        Order(**{**ORDER, "lines": [line]})
    with pytest.raises(AttributeError):
        made.address.city = "Oslo"


def test_parts_are_changed_by_their_fields(store: Store) -> None:
    store.update(
        Orders.change,
        KEY,
        Order.address.at(Address.city).set("Rome"),
        Order.address.at(Address.since).remove(),
        Order.lines.at(1, Line.price).set(Decimal(8)),
        Order.sizes.add({300}),
    )
    pot = Line(product="pot", pieces=1, price=Decimal(30))
    store.update(Orders.change, KEY, Order.lines.append(pot))
    found = store.get(Orders.get, KEY)
    assert found is not None
    assert found.address == Address(city="Rome")
    assert [str(line.price) for line in found.lines] == ["4.50", "8.00", "30.00"]
    assert found.lines[2].product == "pot"
    assert found.sizes == {1, 20, 300}
    store.update(Orders.change, KEY, Order.lines.at(0).remove(), Order.sizes.subtract([1]))
    found = store.get(Orders.get, KEY)
    assert found is not None
    assert [line.product for line in found.lines] == ["cup", "pot"]
    assert found.sizes == {20, 300}
    with pytest.raises(TypeError, match="lines is changed twice"):
        store.update(Orders.change, KEY, Order.lines.append(pot), Order.lines.at(0).remove())
    with pytest.raises(InvalidRecord, match="price must not be negative"):
        store.update(Orders.change, KEY, Order.lines.at(0, Line.price).set(Decimal(-1)))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Order.address.at(Address.city) == "Paris", True),
        (Order.address.at(Address.since) == date(2020, 2, 29), True),
        (Order.address.at(Address.since) > date(2021, 1, 1), False),
        (Order.lines.at(0, Line.state) == State.OPEN, True),
        (Order.lines.at(0, Line.state) == State.PAID, False),
        (Order.lines.at(0, Line.price).between(Decimal(4), Decimal(5)), True),
        (Order.lines.at(5, Line.price).exists(), False),
        (Order.lines.at(0) == ORDER.lines[0], True),
        (Order.lines.contains(ORDER.lines[1]), True),
        (Order.lines.size() == 2, True),
        (Order.sizes.contains(20), True),
        (Order.sizes.contains(2), False),
        (Order.seen.at(0) < datetime(2027, 1, 1, tzinfo=UTC), True),
    ],
)
def test_conditions_look_into_parts(store: Store, condition: object, holds: bool) -> None:
    assert bool(list(store.each(Orders.of_customer, customer="ann", where=condition))) is holds  # type: ignore[arg-type]
    change = Order.sizes.add({7})
    if holds:
        store.update(Orders.change, KEY, change, when=condition)  # type: ignore[arg-type]
        return
    with pytest.raises(Conflict):
        store.update(Orders.change, KEY, change, when=condition)  # type: ignore[arg-type]
