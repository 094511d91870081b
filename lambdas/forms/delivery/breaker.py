"""Circuit breakers, one for each destination, kept on its item.

After so many failures in a row nothing is tried for a while. Then one attempt is let through, and
what comes of it decides: a success closes the breaker, a failure makes the pause twice as long.

Everything that follows from an attempt is written for the version of the destination that was
attempted: what the old address did says nothing about the new one.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from lambdas.forms.tenants.versions import VERSION, next_version
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import Destination
from tablewright.model import Record, key_of
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.store import Store

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"
# What a destination that works again has no more of.
BREAKER_FIELDS = ("failures", "last_failure", "breaker_until", "probed_by")
_TRIES = 3


class BreakerRules(NamedTuple):
    """Failures in a row that open it; the pauses; how long the one let through may take."""

    failures: int = 5
    first: timedelta = timedelta(seconds=30)
    longest: timedelta = timedelta(hours=1)
    probe: timedelta = timedelta(minutes=2)

    def pause(self, failures: int) -> timedelta:
        """How long nothing is tried after so many failures in a row.

        >>> [BreakerRules().pause(failures).seconds for failures in (4, 5, 6, 7, 50)]
        [0, 30, 60, 120, 3600]
        """
        if failures < self.failures:
            return timedelta()
        # Beyond this the longest is reached long since, and numbers would grow without need.
        doubled = min(failures - self.failures, 32)
        return min(self.longest, self.first * (1 << doubled))


def state(destination: Destination, now: datetime) -> str:
    """Whether deliveries pass (closed), none does (open), or one does (half-open)."""
    until = destination.breaker_until
    if until is None:
        return CLOSED
    return OPEN if until > iso_utc(now) else HALF_OPEN


def seconds_until(moment: str | None, now: datetime) -> float:
    """Seconds from now to a stored moment; none when it is past, or there is no such moment."""
    if moment is None:
        return 0.0
    return max(0.0, (datetime.fromisoformat(moment) - now).total_seconds())


class Breakers:
    """The breakers of all destinations."""

    def __init__(self, store: Store, rules: BreakerRules | None = None) -> None:
        self._store = store
        self._rules = rules or BreakerRules()

    def admit(
        self, destination: Destination, name: str, now: datetime
    ) -> tuple[Destination, float]:
        """Whether an attempt may be made: the destination, and how long to wait before, if at all.

        Of those that come when the pause is over, one is let through.
        """
        found = state(destination, now)
        if found == CLOSED:
            return destination, 0.0
        if found == OPEN:
            return destination, seconds_until(destination.breaker_until, now)
        probing = {"breaker_until": iso_utc(now + self._rules.probe), "probed_by": name}
        seen = {field: destination.get(field) for field in probing}
        try:
            return self._update(destination, probing, seen), 0.0
        except (Conflict, NotFound) as error:
            if error.is_own(probing):
                return error.current, 0.0
            return destination, self._rules.probe.total_seconds()

    def failed(self, destination: Destination, name: str, now: datetime) -> None:
        """Count a failure, once however often it is reported.

        An attempt that was under way when others opened the breaker is not counted: the pause
        grows by what was let through, not by how many failed at once.
        """
        found: Destination | None = destination
        for _ in range(_TRIES):
            if found is None or found.last_failure == name:
                return
            failures = (found.failures or 0) + 1
            pause = self._rules.pause(failures)
            changes = {
                "failures": failures,
                "last_failure": name,
                "breaker_until": iso_utc(now + pause) if pause else None,
                "probed_by": None,
            }
            try:
                self._update(found, changes, {field: found.get(field) for field in BREAKER_FIELDS})
                return
            except NotFound:
                return
            except Conflict:
                found = self._again(destination)
                if found is not None and state(found, now) == OPEN:
                    return
        # Others that failed in this moment were counted: that is what opens a breaker.

    def answered(self, destination: Destination) -> None:
        """The destination works: forget its failures."""
        if all(destination.get(field) is None for field in BREAKER_FIELDS):
            return
        with suppress(Conflict, NotFound):
            self._update(destination, dict.fromkeys(BREAKER_FIELDS), {})

    def gone(self, destination: Destination, now: datetime) -> None:
        """The destination wants nothing more: disable it."""
        version = next_version(destination.updated_at, now)
        changes = {"state": "disabled", VERSION: version}
        with suppress(Conflict, NotFound):
            self._update(destination, changes, {"state": "active"})

    def _update(self, destination: Destination, changes: Record, expect: Record) -> Destination:
        expected = {VERSION: destination.updated_at, **expect}
        return self._store.update(Forms.update_destination, destination, changes, when=expected)

    def _again(self, destination: Destination) -> Destination | None:
        """The destination as it is now, None when it is another."""
        found = self._store.get(Forms.get_destination, key_of(destination))
        return found if found and found.updated_at == destination.updated_at else None
