"""Lambda function: places an order, once however often the same event is delivered."""

import os
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

from tablewright.runtime import AlreadyExists, Store, in_time

from NAME.orders import Order, Orders


@cache
def store() -> Store:
    return Store(Orders, os.environ["ORDERS_TABLE"])


@in_time
def handler(event: dict[str, Any], context: object) -> dict[str, bool]:
    order = Order(
        tenant=event["tenant"],
        order_id=event["order_id"],
        customer=event["customer"],
        placed_at=datetime.fromisoformat(event["placed_at"]),
        total=Decimal(str(event["total"])),
    )
    try:
        store().put(Orders.place, order)
    except AlreadyExists:
        return {"placed": False}  # delivered before
    return {"placed": True}
