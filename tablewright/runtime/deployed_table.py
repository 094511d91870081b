"""Deployed table: made from a design, compared with it, dropped; in an account or on an engine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.model.table import Design
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing, StoreError, Unavailable

_PAUSE = 0.5
_PATIENCE = 600.0
_ON = ("ENABLED", "ENABLING")


class Difference(NamedTuple):
    """A part of a table that is not as its design says."""

    what: str
    design: str
    there: str

    def __str__(self) -> str:
        return f"{self.what}: the design says {self.design}, and there is {self.there}"


class DeployedTable(NamedTuple):
    """A table as DynamoDB describes it; `recovery` is None where that is not known."""

    described: dict[str, Any]
    ttl: str | None
    recovery: bool | None

    @property
    def form(self) -> TableForm:
        return TableForm.described(self.described, self.ttl)

    @property
    def replicas(self) -> tuple[str, ...]:
        """The regions that it is in beside its own."""
        return replicas_of(self.described)

    @property
    def is_protected(self) -> bool:
        return bool(self.described.get("DeletionProtectionEnabled"))

    @property
    def billing(self) -> str:
        mode = (self.described.get("BillingModeSummary") or {}).get("BillingMode", "PROVISIONED")
        if mode == "PAY_PER_REQUEST":
            return "on demand"
        units = self.described.get("ProvisionedThroughput", {})
        read, written = (units.get(f"{kind}CapacityUnits", 0) for kind in ("Read", "Write"))
        return f"provisioned, {read} read and {written} write units"

    def differences(self, design: Design) -> list[Difference]:
        """What is not as a design says: keys, indexes, stream, expiry."""
        differing = self.wanted(design).differences(self.form)
        return [Difference(what, *both) for what, both in differing.items()]

    def wanted(self, design: Design) -> TableForm:
        """The form that the table has where it is as a design says."""
        form = TableForm.of(design)
        return form.replicated() if self.replicas else form


def region_of(described: Mapping[str, Any]) -> str:
    """The region of a table, by its ARN."""
    return str(described.get("TableArn", ":::").split(":")[3])


def replicas_of(described: Mapping[str, Any]) -> tuple[str, ...]:
    """The regions of a table's replicas beside its own, by what DescribeTable says."""
    own = region_of(described)
    listed = (one["RegionName"] for one in described.get("Replicas") or ())
    return tuple(region for region in listed if region != own)


def find_table(caller: Caller, name: str) -> DeployedTable | None:
    """The table of this name, None where there is none."""
    try:
        described = caller.call("DescribeTable", {"TableName": name})["Table"]
        live = caller.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    except ResourceMissing:
        return None
    on = live.get("TimeToLiveStatus") in _ON
    return DeployedTable(
        described, live.get("AttributeName") if on else None, _recovery(caller, name)
    )


def create_table(
    caller: Caller,
    design: Design,
    name: str,
    *,
    protected: bool,
    recovery: bool,
    stream: str | None = None,
) -> DeployedTable:
    """Make a design's table, with a stream of this view if one is named, and wait until it can be
    used and is as it should be."""
    form = TableForm.of(design)
    request = form._replace(stream=stream or form.stream).definition(name)
    if protected:
        request["DeletionProtectionEnabled"] = True
    caller.call("CreateTable", request)
    for described in _described(caller, name):
        if described and described["TableStatus"] == "ACTIVE":
            break
    if design.ttl:
        expiry = {"Enabled": True, "AttributeName": design.ttl}
        caller.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": expiry})
    if recovery:
        switch_on_recovery(caller, name)
    made = find_table(caller, name)
    if made is None:
        raise ResourceMissing(f"table {name} was made, and is gone")
    return made


def drop_table(caller: Caller, name: str) -> None:
    """Remove a table with all that is in it, and wait until it is gone."""
    caller.call("DeleteTable", {"TableName": name})
    for described in _described(caller, name):
        if described is None:
            return


def switch_on_recovery(caller: Caller, name: str) -> None:
    """Switch on recovery, which DynamoDB refuses while it makes ready for that."""
    wanted = {"PointInTimeRecoveryEnabled": True}
    request = {"TableName": name, "PointInTimeRecoverySpecification": wanted}
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            caller.call("UpdateContinuousBackups", request)
            return
        except StoreError as error:
            if "ContinuousBackupsUnavailable" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _recovery(caller: Caller, name: str) -> bool | None:
    try:
        answer = caller.call("DescribeContinuousBackups", {"TableName": name})
    except StoreError:
        return None  # engines have none, and who may describe a table need not see it
    found = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    return bool(found.get("PointInTimeRecoveryStatus") == "ENABLED")


def _described(caller: Caller, name: str) -> Iterator[dict[str, Any] | None]:
    """What the table is like, again and again; None when it is not there."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            yield caller.call("DescribeTable", {"TableName": name})["Table"]
        except ResourceMissing:
            yield None
        time.sleep(_PAUSE)
    raise Unavailable(f"table {name} was not ready after {_PATIENCE:.0f} seconds")
