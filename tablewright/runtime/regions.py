"""Regions of a system: which of them is active, and calls that fall over to the next one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unreachable
from tablewright.runtime.refreshed import Reading, Refreshed
from tablewright.runtime.store.reader import Reader

# How old the answer of the switch may be, and for how long it serves while none can be had.
_REFRESH_SECONDS = 5.0
_HELD_SECONDS = 60.0
# For so long a region that could not be reached is asked last.
_AVOIDED_SECONDS = 10.0


class Regions:
    """The regions of a system, and which of them is active, as the switch says.

    `names` has the home region first, which is active as long as the switch says nothing. What the
    switch says is known within five seconds: one thread reads it again. While that takes long or
    fails, all use what it said last, for a minute.

    Example::

        regions = Regions(Store(RegionSwitch, "prod-regions", client), "sentiment",
                          ["us-east-1", "us-west-2"])
        regions.active()
    """

    def __init__(
        self,
        switch: Reader,
        system: str,
        names: Sequence[str],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._switch = switch
        self._system = system
        self._names = tuple(names)
        self._active = Refreshed(f"active region of {system}", self._read, clock=clock)

    def active(self) -> str:
        """The region that takes in; one that the system is not in counts as its home."""
        return self._active.get()

    def order(self) -> tuple[str, ...]:
        """All regions, in the order in which a call tries them: every client has the same."""
        active = self.active()
        return (active, *(name for name in self._names if name != active))

    def _read(self, now: float) -> Reading[str]:
        found = self._switch.get(RegionSwitch.active_region, system=self._system)
        return Reading(self._known(found), now + _REFRESH_SECONDS, now + _HELD_SECONDS)

    def _known(self, found: ActiveRegion | None) -> str:
        return found.region if found and found.region in self._names else self._names[0]


class RegionalCaller:
    """A `Caller` over the replicas of a table: the first region that can be reached has the call.

    Only a call that was never sent goes to the next region. One that was sent and not answered may
    have had its effect, and is the caller's to repeat. `order` names the regions, `connect` makes
    the caller of one when it is first needed.

    Example::

        caller = RegionalCaller(regions.order, lambda name: connect(session, "dynamodb",
                                                                    region=name))
        items = Store(Items, "prod-items", caller)
    """

    def __init__(
        self,
        order: Callable[[], Sequence[str]],
        connect: Callable[[str], Caller],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._order = order
        self._connect = connect
        self._clock = clock
        self._lock = threading.Lock()
        self._callers: dict[str, Caller] = {}
        self._avoided: dict[str, float] = {}

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation in the first region that can be reached; raises StoreError."""
        failure: Unreachable | None = None
        for region in self._tried():
            try:
                return self._caller(region).call(operation, params)
            except Unreachable as error:
                self._avoided[region] = self._clock() + _AVOIDED_SECONDS
                failure = error
        raise failure or Unreachable(f"{operation}: there is no region to call")

    def _tried(self) -> list[str]:
        now = self._clock()
        # Stable: among those that are avoided, and among the others, the order stays.
        return sorted(self._order(), key=lambda region: self._avoided.get(region, now) > now)

    def _caller(self, region: str) -> Caller:
        with self._lock:
            if region not in self._callers:
                self._callers[region] = self._connect(region)
            return self._callers[region]
