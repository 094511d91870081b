"""A large table that is completed for a new index, through kills, and compared exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.changes.plan.applying import PlanProgress
from tablewright.runtime.aws import Caller
from tablewright.testing import Database
from tests.integration.changes.oracle.in_place import Work
from tests.integration.changes.oracle.live import Killed, Trouble
from tests.unit.changes.oracle.cases import CASES

_PAIR = CASES["1 the query in use stays full beside a new index"]


class Deadly:
    """A caller whose process dies at the call of a number."""

    def __init__(self, caller: Caller, at: int | None) -> None:
        self._caller, self._left = caller, at

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise Killed
        return self._caller.call(operation, params)


def _orders(count: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Items as the old design writes them, and what the new design adds."""
    for number in range(count):
        order, customer, state = f"o{number}", f"c{number % 97}", ("a", "b", "ann")[number % 3]
        day = f"2090-{number % 12 + 1:02}-{number % 28 + 1:02}"
        texts = {"PK": f"ORDER#{order}", "SK": "ORDER", "id": order, "customer": customer,
                 "day": day, "state": state, "CPK": f"C#{customer}", "CSK": f"D#{day}"}  # fmt: skip
        item = {name: {"S": text} for name, text in texts.items()}
        added = {"SPK": {"S": f"C#{customer}"}, "SSK": {"S": f"S#{state}#D#{day}"}}
        yield {**item, "amount": {"N": str(number % 10_000)}}, added


def complete_through_kills(database: Database, *, items: int, kills: int) -> None:
    """Complete a table through kills at random calls, and compare every attribute."""
    trouble = Trouble(database, _PAIR, 0)
    arn = trouble.create(_PAIR.new, "orders", stream=False)
    database.write([item for item, _ in _orders(items)], "orders")
    for turn in range(kills + 1):
        # Together fewer calls than there are items, so that every kill comes before the end.
        at = trouble.rng.randrange(1, items // kills) if turn < kills else None
        deadly = Deadly(database.caller, at)
        state = trouble.state(deadly, arn, "scale")
        try:
            state.acquire()
            Work(_PAIR, "orders", deadly).backfill(PlanProgress(state, 4).items())
            assert turn == kills, "the work ended before its last kill"
        except Killed:
            continue
    wanted = {item["PK"]["S"]: {**item, **added} for item, added in _orders(items)}
    assert {item["PK"]["S"]: item for item in database.items("orders")} == wanted
