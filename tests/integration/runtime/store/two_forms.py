"""A design and the one before it: keys, shards, stored names and types of items differ."""

from datetime import date
from decimal import Decimal
from typing import Literal

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Check,
    Choice,
    Collection,
    Date,
    Delete,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Scan,
    Shards,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.store.records import Item, Records

State = Literal["OPEN", "PAID", "SENT"]


class OldOrder(Entity, key=Key("ORDER#{order_id}", "ORDER"), name="Order"):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    day: Field[date] = Date()
    state: Field[State] = Choice(State)
    total: Field[str] = Text("amount")
    note: Field[str | None] = Text("n", default=None)


class OldLine(Entity, key=Key("ORDER#{order_id}", "LINE#{number}"), name="Line"):
    order_id: Field[str] = Text()
    number: Field[int] = Whole(digits=4)
    thing: Field[str] = Text()


class OldCustomer(Entity, key=Key("CUSTOMER#{name}", "CUSTOMER"), name="Customer"):
    name: Field[str] = Text()
    city: Field[str] = Text()
    email: Field[str | None] = Text("mail", default=None)
    visits: Field[int] = Whole(default=0)


class Before(Table, pk="PK", sk="SK"):
    by_customer = Index(pk="C1", sk="C2", keys={OldOrder: Key("C#{customer}", "DAY#{day}")})
    by_state = Index(pk="S1", sk="S2", keys={OldOrder: Key("STATE#{state}", "{day}")})
    by_day = Index(
        pk="D1",
        sk="D2",
        keys={OldOrder: Key("DAY#{day}", "{customer}")},
        projects=(OldOrder.state, OldOrder.customer),
    )
    by_city = Index(
        pk="T1", sk="T2", projects=KEYS_ONLY, keys={OldCustomer: Key("CITY#{city}", "{name}")}
    )
    place = Put(OldOrder, create=True)
    change = Update(OldOrder)
    remove = Delete(OldOrder)
    order = Get(OldOrder, consistent=True)
    add = Put(OldLine)
    lines = Query(OldLine)
    enter = Put(OldCustomer)
    visit = Upsert(OldCustomer)
    of_customer = Query(OldOrder, by_customer)
    of_state = Query(OldOrder, by_state)


class Order(Entity, key=Key("O#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    day: Field[date] = Date()
    state: Field[State] = Choice(State)
    total: Field[Decimal] = Money()
    note: Field[str | None] = Text(default=None)
    gift: Field[bool] = Flag(default=False)


class Line(Entity, key=Key("O#{order_id}", "LINE#{number}")):
    order_id: Field[str] = Text()
    number: Field[int] = Whole(digits=4)
    thing: Field[str] = Text()


class Customer(Entity, key=Key("CUSTOMER#{name}", "CUSTOMER")):
    name: Field[str] = Text()
    city: Field[str] = Text()
    email: Field[str | None] = Text(default=None)
    visits: Field[int] = Whole(default=0)


class Plain(Table, pk="PK", sk="SK"):
    by_customer = Index(
        pk="C1",
        sk="C2",
        keys={Order: Key("CUST#{customer}#{shard}", "ON#{day}", shards=Shards(3, by="order_id"))},
    )
    by_state = Index(pk="S1", sk="S2", keys={Order: Key("STATE#{state}", "{day}")})
    by_day = Index(
        pk="D1",
        sk="D2",
        keys={Order: Key("DAY#{day}", "{customer}")},
        projects=(Order.state, Order.customer),
    )
    by_city = Index(
        pk="T1", sk="T2", projects=KEYS_ONLY, keys={Customer: Key("TOWN#{city}", "{name}")}
    )
    place = Put(Order, create=True)
    store = Put(Order)
    change = Update(Order)
    remove = Delete(Order)
    known = Check(Order)
    order = Get(Order, consistent=True)
    orders = BatchGet(Order)
    create = BatchCreate(Order)
    store_all = BatchPut(Order)
    remove_all = BatchDelete(Order)
    every_order = Scan(Order)
    order_and_lines = Collection(Order, Line)
    move = BatchWrite(Order, Line)
    add = Put(Line)
    line = Get(Line)
    lines = Query(Line, range=Line.number, consistent=True)
    enter = Put(Customer)
    register = Put(Customer, create=True)
    change_customer = Update(Customer)
    visit = Upsert(Customer)
    leave = Delete(Customer)
    is_customer = Check(Customer)
    customer = Get(Customer)
    customers = BatchGet(Customer)
    every_customer = Scan(Customer)
    of_customer = Query(Order, by_customer, range=Order.day)
    totals_of_customer = Query(Order, by_customer, select=(Order.total,))
    of_state = Query(Order, by_state, range=Order.day)
    of_day = Query(Order, by_day, range=Order.customer)
    whole_of_day = Query(Order, by_day, range=Order.customer, hydrate=True)
    notes_of_day = Query(Order, by_day, select=(Order.note,), hydrate=True)
    every_by_day = Scan(Order, by_day)
    of_city = Query(Customer, by_city, range=Customer.name)
    whole_of_city = Query(Customer, by_city, hydrate=True)


class Orders(Plain, formerly=Before):
    """The same, of which there may be items in the form before."""


OLD: dict[str, type[Entity]] = {"Order": OldOrder, "Line": OldLine, "Customer": OldCustomer}


def new_item(record: Entity) -> Item:
    """The item that the design writes for a record."""
    return _item(Plain, record)


def old_item(record: Entity) -> Item:
    """The item that the design before has written for a record."""
    kind = OLD[type(record).__name__]
    values = {name: value for name, value in record.items() if name in kind.__entity__.by_name}
    if "total" in values:
        values["total"] = str(values["total"])
    return _item(Before, kind(**values))


def _item(table: type[Table], record: Entity) -> Item:
    design = table.__design__
    return Records(design, design.entities[record.__entity__.name]).to_item(record)


def an_order(order_id: str = "o1", **others: object) -> Order:
    values = {
        "customer": "ann",
        "day": date(2026, 1, 31),
        "state": "OPEN",
        "total": Decimal("9.95"),
        "note": "ring twice",
    }
    return Order(order_id=order_id, **{**values, **others})  # type: ignore[arg-type]


def a_customer(name: str = "ann", **others: object) -> Customer:
    return Customer(name=name, **{"city": "Rome", "email": "a@b.c", "visits": 3, **others})  # type: ignore[arg-type]
