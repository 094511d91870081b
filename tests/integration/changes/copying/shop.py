"""A shop before and after a change that no table can take in place, and its items by hand.

Items are written here as plain dicts, without the library: they are what its copies must equal.
"""

from typing import Any

from tablewright.model import (
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Whole,
)


class Order(Entity, key=Key("ORDER#{order_id}", "ORDER")):
    order_id: Field[str] = Text()
    status: Field[str] = Text()
    bill_to: Field[str] = Text("a")
    ship_to: Field[str] = Text("b")
    total: Field[int] = Whole(digits=6)
    note: Field[str | None] = Text(default=None)


class Line(Entity, key=Key("ORDER#{order_id}", "LINE#{product}")):
    order_id: Field[str] = Text()
    product: Field[str] = Text()
    pieces: Field[int] = Whole(digits=4)


class ShopBefore(Table, id="shop", pk="PK", sk="SK"):
    place = Put(Order)
    order = Get(Order)
    add = Put(Line)


OldOrder: Any = Order


class Order(Entity, key=Key("STATE#{state}", "ORDER#{order_id}")):  # type: ignore[no-redef]
    order_id: Field[str] = Text()
    state: Field[str] = Text()
    bill_to: Field[str] = Text("b")
    ship_to: Field[str] = Text("a")
    total: Field[int] = Whole(digits=6)
    note: Field[str | None] = Text(default=None)


class Line(Entity, key=Key("PRODUCT#{product}", "ORDER#{order_id}")):  # type: ignore[no-redef]
    order_id: Field[str] = Text()
    product: Field[str] = Text()
    pieces: Field[int] = Whole(digits=4)


class Shop(Table, id="shop", pk="pk", sk="sk"):
    """Another key of the table, keys by state, and two attributes that change places."""

    by_order = Index(pk="opk", sk="osk", keys={Order: Key("ORDER#{order_id}", "{state}")})
    place = Put(Order)
    order = Get(Order)
    add = Put(Line)
    of_order = Query(Order, by_order)


NewOrder: Any = Order
WAS = {"Order.state": "Order.status"}

Plain = dict[str, Any]


def order(number: int, **others: Any) -> Plain:
    """The values of an order."""
    values = {"id": f"o{number}", "state": f"s{number % 3}", "bill": f"bill{number}"}
    return {**values, "ship": f"ship{number}", "total": number, "note": None, **others}


def old_order(values: Plain) -> Plain:
    """The item of an order as the old shop stores it."""
    item = {
        "PK": {"S": f"ORDER#{values['id']}"},
        "SK": {"S": "ORDER"},
        "order_id": {"S": values["id"]},
        "status": {"S": values["state"]},
        "a": {"S": values["bill"]},
        "b": {"S": values["ship"]},
        "total": {"N": str(values["total"])},
    }
    return item | ({"note": {"S": values["note"]}} if values["note"] else {})


def new_order(values: Plain) -> Plain:
    """The item of an order as the new shop stores it."""
    item = {
        "pk": {"S": f"STATE#{values['state']}"},
        "sk": {"S": f"ORDER#{values['id']}"},
        "opk": {"S": f"ORDER#{values['id']}"},
        "osk": {"S": values["state"]},
        "order_id": {"S": values["id"]},
        "state": {"S": values["state"]},
        "b": {"S": values["bill"]},
        "a": {"S": values["ship"]},
        "total": {"N": str(values["total"])},
    }
    return item | ({"note": {"S": values["note"]}} if values["note"] else {})


def old_line(order_id: str, product: str, pieces: int) -> Plain:
    values = {"order_id": {"S": order_id}, "product": {"S": product}, "pieces": {"N": str(pieces)}}
    return {"PK": {"S": f"ORDER#{order_id}"}, "SK": {"S": f"LINE#{product}"}, **values}


def new_line(order_id: str, product: str, pieces: int) -> Plain:
    values = {"order_id": {"S": order_id}, "product": {"S": product}, "pieces": {"N": str(pieces)}}
    return {"pk": {"S": f"PRODUCT#{product}"}, "sk": {"S": f"ORDER#{order_id}"}, **values}
