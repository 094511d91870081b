"""Tables on the engine, with old and new code, kills and lost answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from time import sleep
from typing import Any

from tablewright.changes.plan.live_table import LiveTable
from tablewright.changes.state import MigrationState
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import InvalidState, Throttled, Unavailable
from tablewright.testing import Database
from tablewright.testing.tables import creation
from tests.unit.changes.oracle.changes import Pair
from tests.unit.changes.oracle.designs import DesignSpec
from tests.unit.changes.oracle.truth import Truth
from tests.unit.changes.oracle.version import Version

CONTROL = "migrations"
Items = dict[str, dict[str, Any]]
_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


class Killed(BaseException):
    """The process is gone."""


class Rough:
    """A caller with others beside it, whose process dies or loses an answer at a random call."""

    def __init__(
        self, caller: Caller, rng: Random, beside: Callable[[], object], *, fails: bool
    ) -> None:
        self._caller, self._rng, self._beside = caller, rng, beside
        # Most faults come early: short works are not spared.
        self._calls = int(rng.expovariate(1 / 20)) if fails else -1
        self._lock = threading.Lock()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            fails, self._calls = self._calls == 0, self._calls - 1
            if self._rng.random() < 0.1:
                self._beside()
            kills = fails and self._rng.random() < 0.5
        if kills:
            raise Killed
        answer = self._caller.call(operation, params)
        if operation == "UpdateTable":
            # DynamoDB Local refuses writes while it makes an index.
            LiveTable(self._caller, params["TableName"], wait=lambda _: sleep(0.01)).settle()
        if fails:
            raise Unavailable("the answer is lost")
        return answer


class Trouble:
    """A pair of versions on the engine, and what went wrong so far."""

    def __init__(self, database: Database, pair: Pair, seed: int) -> None:
        self.pair, self.seed, self.caller = pair, seed, database.caller
        self.rng, self.truth, self.database = Random(seed), Truth(), database
        self.problems: list[str] = []
        self._restarts = 0

    def version(self, label: str, spec: DesignSpec, table: str, caller: Any = None) -> Version:
        # A write that a pointer refuses is as if it was never tried.
        refused = (InvalidState, Throttled)
        return Version(label, spec, caller or self.caller, self.truth, table, refused)

    def create(self, spec: DesignSpec, name: str, *, stream: bool) -> str:
        """Create a table; gives its ARN."""
        request = creation(spec.table, name, stream=False)
        request |= {"StreamSpecification": _STREAM} if stream else {}
        created = self.caller.call("CreateTable", request)["TableDescription"]
        if spec.ttl:
            setting = {"Enabled": True, "AttributeName": spec.ttl}
            self.caller.call(
                "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": setting}
            )
        return str(created["TableArn"])

    def items(self, name: str) -> Items:
        """What is stored, by key."""
        key = (self.pair.old.pk, self.pair.old.sk)
        return {repr([one.get(n) for n in key]): one for one in self.database.items(name)}

    def write(self, *versions: Version, times: int = 1, is_blind: bool = False) -> None:
        for _ in range(times):
            problem = self.rng.choice(versions).write(self.rng, is_blind=is_blind)
            self.problems += [problem] if problem else []

    def check(self, step: str, *versions: Version) -> None:
        for version in versions:
            self.problems += [f"{step}: {text}" for text in version.check()]

    def state(self, caller: Caller, arn: str, migration: str) -> MigrationState:
        """The state of a migration for a process that begins now, when older leases have ended."""
        self._restarts += 1
        now = datetime.now(UTC) + timedelta(hours=self._restarts)
        return MigrationState(
            caller, arn, migration, control_table=CONTROL, owner="test", now=lambda: now
        )

    def run(self, work: Callable[[Caller], Any], *writers: Version) -> Any:
        """Do work to its end, through kills and lost answers, beside writers."""
        for attempt in range(4):
            try:
                beside = partial(self.write, *writers, times=len(writers))
                return work(Rough(self.caller, self.rng, beside, fails=attempt < 2))
            except (Killed, Unavailable):
                continue
        raise AssertionError("the work does not end")
