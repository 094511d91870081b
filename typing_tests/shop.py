"""Shop: a table with one of each kind of field and access pattern."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

from tablewright.model import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Binary,
    Check,
    Choice,
    Date,
    Delete,
    Document,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    ListOf,
    Money,
    Number,
    Put,
    Query,
    Scan,
    SetOf,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)

Priority = Literal["low", "high"]


class State(Enum):
    OPEN = "open"
    PAID = "paid"


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    """An order."""

    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()
    due: Field[date | None] = Date(default=None)
    total: Field[Decimal] = Money()
    weight: Field[Decimal | None] = Number(default=None)
    visits: Field[int] = Whole(default=0)
    state: Field[State] = Choice(State, default=State.OPEN)
    priority: Field[Priority] = Choice(Priority)
    gift: Field[bool] = Flag(default=False)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    lines: Field[tuple[str, ...]] = ListOf(Text(), default=())
    address: Field[Mapping[str, Any] | None] = Document(default=None)
    receipt: Field[bytes | None] = Binary(default=None)
    note: Field[str | None] = Text(default=None, secret=True)


class Customer(Entity, key=Key("CUSTOMER#{name}", "CUSTOMER")):
    """A customer."""

    name: Field[str] = Text()


class Shop(Table, pk="PK", sk="SK"):
    """Orders and customers."""

    by_customer = Index(
        pk="CPK", sk="CSK", keys={Order: Key("CUSTOMER#{customer}", "AT#{placed_at}")}
    )
    place = Put(Order, create=True)
    load = BatchPut(Order)
    place_many = BatchCreate(Order)
    order = Get(Order)
    orders = BatchGet(Order)
    change = Update(Order)
    cancel = Delete(Order)
    of_customer = Query(Order, by_customer, range=Order.placed_at)
    every = Scan(Order)
    cancel_many = BatchDelete(Order)
    put_customer = Put(Customer)
    customer = Get(Customer)
    customer_is = Check(Customer)
    move = BatchWrite[Order | Customer](Order, Customer)
