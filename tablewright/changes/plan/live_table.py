"""Live table: brought from one form to the next by one update, and waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import find_table, replicas_of
from tablewright.runtime.errors import ResourceMissing

_PAUSE = 1.0
_BUSY = ("CREATING", "DELETING", "UPDATING", "ENABLING", "DISABLING")


class Drifted(TablewrightError):
    """A table that is neither as a step finds it nor as it leaves it."""


class LiveTable:
    """A table that exists, changed by one update at a time."""

    def __init__(
        self, caller: Caller, name: str, *, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = name
        self._caller = caller
        self._wait = wait

    @property
    def form(self) -> TableForm:
        """What it is now."""
        found = find_table(self._caller, self.name)
        if found is None:
            raise ResourceMissing(f"there is no table {self.name}")
        return found.form

    @property
    def size(self) -> tuple[int, int]:
        """Its items and bytes, as DynamoDB last counted them."""
        described = self._described()
        return described.get("ItemCount", 0), described.get("TableSizeBytes", 0)

    @property
    def replicas(self) -> tuple[str, ...]:
        """The regions that it is in beside its own."""
        return replicas_of(self._described())

    def update(self, goal: TableForm) -> None:
        """Make it so by one update, and wait until DynamoDB has done it.

        Nothing is done twice: one that was stopped while it waited goes on waiting.
        """
        self.settle()
        now = self.form
        if now.ttl != goal.ttl:
            self._switch_expiry(now.ttl, goal.ttl)
        if change := _change(now, goal):
            described = self._described()
            if described.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
                _provision(change, described.get("ProvisionedThroughput", {}))
            self._caller.call("UpdateTable", {"TableName": self.name, **change})
        self.settle()
        if (left := self.form) != goal:
            raise Drifted(f"{self.name} is not as this step leaves it: {difference(left, goal)}")

    def settle(self) -> None:
        """Wait until nothing of it is being made or removed."""
        while any(status in _BUSY for status in self._statuses()):
            self._wait(_PAUSE)

    def _statuses(self) -> Iterator[str]:
        described = self._described()
        yield described["TableStatus"]
        for replica in described.get("Replicas") or ():
            yield replica.get("ReplicaStatus", "")
        for index in described.get("GlobalSecondaryIndexes") or ():
            yield index["IndexStatus"]
            if index.get("Backfilling"):
                yield "CREATING"
        live = self._caller.call("DescribeTimeToLive", {"TableName": self.name})
        yield live["TimeToLiveDescription"].get("TimeToLiveStatus", "")

    def _switch_expiry(self, now: str | None, wanted: str | None) -> None:
        setting = {"Enabled": bool(wanted), "AttributeName": wanted or now}
        request = {"TableName": self.name, "TimeToLiveSpecification": setting}
        self._caller.call("UpdateTimeToLive", request)

    def _described(self) -> dict[str, Any]:
        table: dict[str, Any] = self._caller.call("DescribeTable", {"TableName": self.name})[
            "Table"
        ]
        return table


def difference(one: TableForm, other: TableForm) -> str:
    """What two forms differ in: as the one is, and the other is not."""
    told = one.differences(other).items()
    return "; ".join(f"{what} is {is_so}, not {asked}" for what, (is_so, asked) in told)


def _change(now: TableForm, goal: TableForm) -> dict[str, Any]:
    """The arguments of UpdateTable."""
    gone = [{"Delete": {"IndexName": n}} for n in now.indexes if n not in goal.indexes]
    made = [
        {"Create": index.definition(name)}
        for name, index in goal.indexes.items()
        if name not in now.indexes
    ]
    request: dict[str, Any] = {}
    if gone or made:
        request["GlobalSecondaryIndexUpdates"] = [*gone, *made]
        request["AttributeDefinitions"] = goal.attribute_definitions
    if now.stream != goal.stream:
        view = {"StreamViewType": goal.stream} if goal.stream else {}
        request["StreamSpecification"] = {"StreamEnabled": bool(goal.stream), **view}
    return request


def _provision(request: dict[str, Any], throughput: Mapping[str, int]) -> None:
    """Give new indexes what the table has."""
    units = {f"{k}CapacityUnits": throughput.get(f"{k}CapacityUnits", 1) for k in ("Read", "Write")}
    for one in request.get("GlobalSecondaryIndexUpdates", ()):
        if "Create" in one:
            one["Create"]["ProvisionedThroughput"] = units
