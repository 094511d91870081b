"""Sweeping: old items are given an expiry that has passed, so that DynamoDB deletes them.

That is all: the stream brings what it deletes to the archive, by the same way as all that expires.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from tablewright.model.old_items import Sweep
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.archive.rows import PUT_BACK
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport


class Swept(NamedTuple):
    """How many items were expired, and where to go on; None when all were looked at."""

    expired: int
    after: Item | None


class Sweeping:
    """Expires the old items of a table. An item has the same expiry however often a day's run is
    repeated: the midnight before."""

    def __init__(self, caller: Caller, table: str, sweep: Sweep, now: datetime) -> None:
        self._transport = Transport(caller)
        self._table = table
        self._sweep = sweep
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._ends = {"N": str(int(midnight.timestamp()))}
        self._before = {"S": f"{midnight - timedelta(days=sweep.days):%Y-%m-%d}"}

    def run(self, after: Item | None, in_time: Callable[[], bool]) -> Swept:
        """Go through the table from a position on, page by page while there is time."""
        expired = 0
        while True:
            start = {"ExclusiveStartKey": after} if after else {}
            page = self._transport.call("Scan", {**self._request(), **start})
            expired += sum(self._transport.in_parallel(self._expire, page["Items"]))
            after = page.get("LastEvaluatedKey")
            if after is None or not in_time():
                return Swept(expired, after)

    def _request(self) -> dict[str, object]:
        expressions = Expressions()
        names = [*self._sweep.key, self._sweep.field]
        return dict(
            expressions.into(
                {
                    "TableName": self._table,
                    "FilterExpression": self._is_old(expressions),
                    "ProjectionExpression": expressions.projection(names),
                }
            )
        )

    def _is_old(self, expressions: Expressions) -> str:
        """Old, without an expiry that has passed, and not put back to be looked at."""
        field, ttl = (expressions.name(name) for name in (self._sweep.field, self._sweep.ttl))
        ends, mark = expressions.value(self._ends), expressions.value({"S": PUT_BACK})
        conditions = [
            f"{field} < {expressions.value(self._before)}",
            f"(attribute_not_exists({ttl}) OR {ttl} > {ends})",
            f"NOT begins_with({expressions.name(RESTORED_FROM)}, {mark})",
        ]
        if self._sweep.only:
            name = expressions.name(self._sweep.only)
            value = self._sweep.value
            is_one = f"{name} = {expressions.value({'S': value})}" if value else ""
            conditions.append(is_one or f"attribute_exists({name})")
        return " AND ".join(conditions)

    def _expire(self, item: Item) -> bool:
        expressions = Expressions()
        ttl, ends = expressions.name(self._sweep.ttl), expressions.value(self._ends)
        params = {
            "TableName": self._table,
            "Key": {name: item[name] for name in self._sweep.key},
            "UpdateExpression": f"SET {ttl} = {ends}",
            # As it was found: what was deleted or changed since is not brought back or deleted.
            "ConditionExpression": self._is_old(expressions),
        }
        try:
            self._transport.call("UpdateItem", expressions.into(params))
        except Conflict:
            return False
        return True
