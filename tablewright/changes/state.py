"""Migration state: the progress of a migration and its lease, in a control table.

The state belongs to one table, by its ARN, and to one migration. Each of them has an item of its
own, so a migration of a second table starts from zero. A runner writes the state only while it
holds the lease, so two runners cannot overwrite each other's progress.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from tablewright.model.declaration import Entity, Table
from tablewright.model.entity import Key
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import Text
from tablewright.model.patterns import Get, Put
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import create_table
from tablewright.runtime.errors import Conflict, InvalidState, ResourceMissing, StoreError
from tablewright.runtime.retry import Backoff
from tablewright.runtime.store.records import Item

CONTROL_TABLE = "tablewright-migrations"
LEASE_SECONDS = 60

# UpdateItem writes these names as aliases: some are reserved words of DynamoDB.
_NAMES = {
    "#state": "state",
    "#owner": "lease_owner",
    "#token": "lease_token",
    "#until": "lease_until",
}
_IS_HELD = "#token = :token"


class Migration(
    Entity,
    key=Key("{table_arn}", "{migration}"),
    example={"table_arn": "arn:aws:dynamodb:eu-west-1:111122223333:table/orders"},
):
    """The progress of a migration of one table. The lease is in further attributes of the item."""

    table_arn: Field[str] = Text(max_length=1024)
    migration: Field[str] = Text(max_length=512)
    state: Field[str] = Text(max_length=350_000)


class Migrations(Table, id="migrations", pk="table_arn", sk="migration"):
    """The control table: one item for each table and migration."""

    migration = Get(Migration, consistent=True)
    save = Put(Migration)


class LeaseHeld(TablewrightError):
    """Another runner holds the lease: `owner` until the time `until`, if they are known."""

    def __init__(self, migration: str, owner: str | None, until: datetime | None) -> None:
        self.owner = owner
        self.until = until
        holder = f"{owner} until {until:%Y-%m-%d %H:%M:%S} UTC" if owner and until else "nobody"
        super().__init__(
            f"migration {migration}: this runner does not hold the lease; it is held by {holder}. "
            "Wait until the other runner ends, or until its lease runs out"
        )


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MigrationState:
    """The state of a migration of one table, and the lease on it.

    `acquire` takes the lease if it is free or has run out, and makes the control table if it does
    not exist. `save` extends the lease. A runner whose lease was taken over gets LeaseHeld from
    `save` and `renew`. Repeating any call is safe.

    Example::

        state = MigrationState(caller, table_arn, "0003_orders_by_state", owner="ci-17")
        with state.hold():
            state.save({"step": 2})
    """

    def __init__(
        self,
        caller: Caller,
        table_arn: str,
        migration: str,
        *,
        control_table: str = CONTROL_TABLE,
        owner: str,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._caller = caller
        self._migration = migration
        self._key = {"table_arn": {"S": table_arn}, "migration": {"S": migration}}
        self._control_table = control_table
        self._owner = owner
        self._now = now
        self._seconds = LEASE_SECONDS
        # The owner's name may repeat. The token does not, and is the same in a retry.
        self._token = os.urandom(16).hex()

    def acquire(self, seconds: int = LEASE_SECONDS) -> None:
        """Take the lease for so many seconds; raises LeaseHeld if another runner holds it."""
        self._seconds = seconds
        condition = f"attribute_not_exists(#token) OR #until < :now OR {_IS_HELD}"
        now = {":now": {"N": str(self._now().timestamp())}}
        try:
            self._extend(condition, now)
        except ResourceMissing:
            self._create_control_table()
            self._extend(condition, now)

    def renew(self) -> None:
        """Extend the lease; raises LeaseHeld if another runner took it over."""
        self._extend(_IS_HELD)

    def release(self) -> None:
        """Give the lease up, if this runner holds it."""
        try:
            self._update("REMOVE #owner, #token, #until", _IS_HELD, {}, "#owner #token #until")
        except (LeaseHeld, ResourceMissing):
            return  # it was taken over, or released before

    @contextmanager
    def hold(self, seconds: int = LEASE_SECONDS) -> Iterator[None]:
        """Hold the lease for as long as the block runs, however long it does not save."""
        self.acquire(seconds)
        ended = threading.Event()
        heartbeat = threading.Thread(target=self._beat, args=(ended, seconds / 3), daemon=True)
        heartbeat.start()
        try:
            yield
        finally:
            ended.set()
            heartbeat.join()
            self.release()

    def _beat(self, ended: threading.Event, pause: float) -> None:
        while not ended.wait(pause):
            try:
                self.renew()
            except LeaseHeld:
                return  # the next save raises it too
            except StoreError:
                continue

    def load(self) -> dict[str, Any]:
        """The saved values; empty for a migration that nobody began."""
        request = {"TableName": self._control_table, "Key": self._key, "ConsistentRead": True}
        try:
            item: Item = self._caller.call("GetItem", request).get("Item", {})
        except ResourceMissing:
            return {}
        values: dict[str, Any] = json.loads(item["state"]["S"]) if "state" in item else {}
        return values

    def save(self, values: Mapping[str, Any]) -> None:
        """Replace the saved values and extend the lease; raises LeaseHeld without the lease."""
        self._extend(_IS_HELD, {":state": {"S": json.dumps(values)}}, "#state = :state, ")

    def _extend(
        self, condition: str, values: Mapping[str, Any] | None = None, change: str = ""
    ) -> None:
        until = self._now() + timedelta(seconds=self._seconds)
        lease = {":owner": {"S": self._owner}, ":until": {"N": str(until.timestamp())}}
        self._update(
            f"SET {change}#owner = :owner, #token = :token, #until = :until",
            condition,
            {**lease, **(values or {})},
            "#owner #token #until" + (" #state" if change else ""),
        )

    def _update(
        self, expression: str, condition: str, values: Mapping[str, Any], names: str
    ) -> None:
        request = {
            "TableName": self._control_table,
            "Key": self._key,
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {name: _NAMES[name] for name in names.split()},
            "ExpressionAttributeValues": {":token": {"S": self._token}, **values},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        try:
            self._caller.call("UpdateItem", request)
        except Conflict as conflict:
            raise self._held_by(getattr(conflict, "item", None) or {}) from None

    def _held_by(self, item: Item) -> LeaseHeld:
        if "lease_until" not in item:
            return LeaseHeld(self._migration, None, None)
        until = datetime.fromtimestamp(float(item["lease_until"]["N"]), UTC)
        return LeaseHeld(self._migration, item["lease_owner"]["S"], until)

    def _create_control_table(self) -> None:
        design = Migrations.__design__
        try:
            # Without it a migration starts from zero, which loses nothing.
            create_table(self._caller, design, self._control_table, protected=False, recovery=False)
        except InvalidState:
            # Another runner is making it.
            for _ in Backoff(attempts=30, first=0.1, longest=2):
                request = {"TableName": self._control_table}
                if self._caller.call("DescribeTable", request)["Table"]["TableStatus"] == "ACTIVE":
                    return
