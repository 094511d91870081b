"""Records: items as they are read, whatever somebody stored."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    Field,
    Get,
    Key,
    ListOf,
    Money,
    Part,
    PartOf,
    Table,
    Text,
    Timestamp,
    Whole,
)
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.records import Records


class Line(Part):
    product: Field[str] = Text()


class Order(Entity, key=Key("{order_id}")):
    order_id: Field[str] = Text()
    total: Field[Decimal | None] = Money(default=None)
    pieces: Field[int | None] = Whole(default=None)
    placed_at: Field[datetime | None] = Timestamp(default=None)
    line: Field[Line | None] = PartOf(Line, default=None)
    lines: Field[tuple[Line, ...] | None] = ListOf(PartOf(Line), default=None)


class Orders(Table, pk="order_id"):
    order = Get(Order)


@pytest.mark.parametrize("name", ["total", "pieces", "placed_at", "line", "lines"])
@pytest.mark.parametrize(
    "wire", [{"S": "many"}, {"BOOL": True}, {"L": [{"N": "1"}]}, {"M": {}}, {"SS": ["many"]}]
)
def test_a_value_that_the_field_cannot_be_is_refused(name: str, wire: dict[str, Any]) -> None:
    records = Records(Orders.__design__, Orders.__design__.entities["Order"])
    with pytest.raises(MalformedItem) as raised:
        records.to_record({"order_id": {"S": "o1"}, name: wire})
    assert (raised.value.attribute, raised.value.value) == (name, wire)


class Person(Entity, key=Key("{name}")):
    name: Field[str] = Text()
    pin: Field[int] = Whole(secret=True)


class People(Table, pk="name"):
    person = Get(Person)


@pytest.mark.parametrize("wire", [{"S": "4711"}, {"N": "4711.5"}, {"L": [{"N": "4711"}]}])
def test_secret_value_is_not_in_the_error(wire: dict[str, Any]) -> None:
    entity = People.__design__.entities["Person"]
    records = Records(People.__design__, entity, secrets=Secrets.in_clear())
    with pytest.raises(MalformedItem) as raised:
        records.to_record({"name": {"S": "ann"}, "pin": wire})
    assert "4711" not in str(raised.value)
    assert (raised.value.attribute, raised.value.value) == ("pin", None)
    assert raised.value.__context__ is None or raised.value.__suppress_context__
