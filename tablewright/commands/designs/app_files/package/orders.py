"""Orders of many tenants: found by id, and by customer, newest first."""

from datetime import datetime
from decimal import Decimal

from tablewright.model import (
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
)


class Order(
    Entity,
    key=Key("TENANT#{tenant}#ORDER#{order_id}", "ORDER"),
    expires=Expiry("placed_at", years=7),
):
    """An order of a customer."""

    tenant: Field[str] = Text(max_length=64, pattern="[a-z0-9-]+")
    order_id: Field[str] = Text()
    customer: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()
    total: Field[Decimal] = Money()


class Orders(Table, pk="PK", sk="SK", ttl="ttl", tenant="tenant"):
    """Orders of many tenants."""

    by_customer = Index(
        pk="CPK",
        sk="CSK",
        keys={Order: Key("TENANT#{tenant}#CUSTOMER#{customer}", "AT#{placed_at}")},
    )
    place = Put(Order, create=True)
    order = Get(Order)
    of_customer = Query(Order, by_customer, range=Order.placed_at, descending=True)
