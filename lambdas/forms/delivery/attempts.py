"""Delivery attempts: one at a destination at a time, recorded once.

Messages arrive at least once and in any order, and whoever handles one may die at any call. So an
attempt is claimed on its record before it is made, and what came of it is written by the claimant
alone; an attempt that was never finished is taken over when its claim has run out. A message whose
attempt is finished only does what follows from it, which is the same however often it is done.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import uuid4

from lambdas.forms.delivery.breaker import Breakers, seconds_until
from lambdas.forms.delivery.fan_out import find_submission, new_attempt
from lambdas.forms.delivery.messages import Delivery, DeliveryQueue
from lambdas.forms.delivery.submission_status import FAILED, RETRYING, SUCCEEDED, settle
from lambdas.forms.destinations.settings import wrong_settings
from lambdas.forms.destinations.shipment import DeliveryOutcome, Destination, Shipment, refused
from lambdas.forms.payload_compression import (
    PayloadCompressionManager,
    PayloadDamaged,
    PayloadTooLarge,
)
from tablewright.catalog.forms import tenants
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, DeliveryAttempt, Submission
from tablewright.model import replaced
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.messaging.queue import LONGEST_DELAY
from tablewright.runtime.store.store import Store

POSTPONED, SUPERSEDED, REMOVED = "POSTPONED", "SUPERSEDED", "REMOVED"
# Longer than an attempt can take, and than its function may run.
CLAIM = timedelta(minutes=2)
# A destination that lets nothing through for so long is given up.
PATIENCE = timedelta(days=3)
# Those who were held back together do not come back together.
_SPREAD = 0.1
LAST_NUMBER = 999
_ATTEMPTS = 8
MOST_REDELIVERIES = LAST_NUMBER // _ATTEMPTS - 1


class Retries(NamedTuple):
    """Retries of a failed delivery: exponential, with full jitter, a bounded series.

    Attempts are numbered through. With eight to a series, 1 to 8 are the first and 9 to 16 the one
    that a redelivery begins, so that the number alone tells how many are left. A number has three
    digits, so that there are 124 series: the first, and 123 redeliveries. Waits are in seconds.
    """

    attempts: int = _ATTEMPTS
    first: float = 15.0
    longest: float = LONGEST_DELAY

    def is_last(self, attempt: int) -> bool:
        """Whether no attempt follows in the series.

        >>> [number for number in range(1, 20) if Retries().is_last(number)]
        [8, 16]
        """
        return attempt % self.attempts == 0

    def next_series(self, attempt: int) -> int:
        """The number that a new series begins with after an attempt.

        >>> Retries().next_series(3), Retries().next_series(8)
        (9, 9)
        """
        return ((attempt - 1) // self.attempts + 1) * self.attempts + 1

    def fits(self, attempt: int) -> bool:
        """Whether the attempt and the rest of its series have numbers.

        >>> Retries().fits(985), Retries().fits(993)
        (True, False)
        """
        return self.next_series(attempt) - 1 <= LAST_NUMBER

    def most(self, attempt: int) -> float:
        """The longest wait after an attempt: twice that after the one before.

        >>> [Retries().most(attempt) for attempt in (1, 2, 3, 6, 7, 9)]
        [15.0, 30.0, 60.0, 480.0, 900, 15.0]
        """
        return min(self.longest, self.first * 2.0 ** ((attempt - 1) % self.attempts))

    def wait(self, attempt: int, roll: float, asked: float | None = None) -> float:
        """Seconds until the next attempt; `roll` is random from 0 to 1.

        A destination that asks for patience gets it, as far as the longest wait.
        """
        return min(self.longest, max(roll * self.most(attempt), asked or 0.0))


class _Refusal(NamedTuple):
    """Why no attempt can be made at all."""

    error: str


class _Pause(NamedTuple):
    """How long no attempt can be made."""

    seconds: float


class DeliveryAttempts:
    """Makes attempts. `destinations` has what delivers, by type of destination."""

    def __init__(
        self,
        store: Store,
        queue: DeliveryQueue,
        payloads: PayloadCompressionManager,
        destinations: Mapping[str, Destination],
        *,
        breakers: Breakers | None = None,
        retries: Retries | None = None,
        roll: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._queue = queue
        self._payloads = payloads
        self._destinations = destinations
        self._breakers = breakers or Breakers(store)
        self._retries = retries or Retries()
        self._roll = roll
        self._clock = clock

    def attempt(self, asked: Delivery, now: datetime) -> str:
        """Make an attempt that is asked for, if it is not made already; says what came of it."""
        known = self._store.get(Forms.get_attempt, asked.key)
        if known and known.status != PENDING:
            return self._repeated(asked, known, now)
        if known and (left := seconds_until(known.next_attempt_at, now)):
            return self._postpone(asked, left)  # somebody is at it, or died of it
        destination = self._admitted(asked, now)
        if isinstance(destination, _Pause):
            return self._postpone(asked, destination.seconds * (1 + _SPREAD * self._roll()))
        submission = find_submission(self._store, asked.submission, now)
        if submission is None:
            return REMOVED  # while it waited: there is nothing left to deliver
        payload = b"" if isinstance(destination, _Refusal) else self._payload(submission)
        claim = self._claim(asked, known, submission, now)
        if claim is None:
            return self._postpone(asked, CLAIM.total_seconds())
        if isinstance(destination, _Refusal):
            return self._finish(asked, claim, refused(destination.error), 0, now)
        if payload is None:
            return self._finish(asked, claim, refused("the payload cannot be read"), 0, now)
        shipment = _shipment(submission, destination, payload, now)
        began = self._clock()
        outcome = self._destinations[destination.destination_type].deliver(shipment, now)
        duration = round((self._clock() - began) * 1000)
        self._update_breaker(asked, destination, outcome, now)
        return self._finish(asked, claim, outcome, duration, now)

    def _admitted(self, asked: Delivery, now: datetime) -> tenants.Destination | _Refusal | _Pause:
        """The destination, if an attempt can be made there now."""
        destination = self._store.get(Forms.get_destination, asked.destination)
        if destination is None:
            return _Refusal("there is no such destination")
        if destination.state != "active":
            return _Refusal("the destination is disabled")
        wrong = wrong_settings(destination.destination_type, destination.settings)
        if wrong:
            return _Refusal("the destination's {} {}".format(*wrong[0]))
        wait = seconds_until(destination.paused_until, now)
        if not wait:
            destination, wait = self._breakers.admit(destination, asked.name, now)
        if not wait:
            return destination
        if now - datetime.fromisoformat(asked.since) > PATIENCE:
            return _Refusal("the destination was not available for too long")
        return _Pause(wait)

    def _payload(self, submission: Submission) -> bytes | None:
        try:
            return self._payloads.fetch(submission)
        except (PayloadDamaged, PayloadTooLarge):
            return None

    def _claim(
        self,
        asked: Delivery,
        known: DeliveryAttempt | None,
        submission: Submission,
        now: datetime,
    ) -> str | None:
        """Make the attempt ours until the claim runs out; None when it is another's."""
        # Tells our claim from another of the same moment.
        whose = uuid4().hex
        claim = {"next_attempt_at": iso_utc(now + CLAIM), "claimed_by": whose}
        try:
            if known is None:
                new = new_attempt(submission, asked.destination_id, asked.attempt, now)
                self._store.put(Forms.put_attempt, replaced(new, **claim))
            else:
                seen = {name: known.get(name) for name in ("status", *claim)}
                self._store.update(Forms.update_attempt, asked.key, claim, when=seen)
        except (AlreadyExists, Conflict, NotFound) as error:
            return whose if error.is_own(claim) else None
        return whose

    def _update_breaker(
        self,
        asked: Delivery,
        destination: tenants.Destination,
        outcome: DeliveryOutcome,
        now: datetime,
    ) -> None:
        """What the outcome means for the destination: recorded before it is written, so that
        whoever finds it written need not look."""
        if outcome.error and outcome.again:
            self._breakers.failed(destination, asked.name, now)
            return
        # Whatever it answered, it answers.
        self._breakers.answered(destination)
        if outcome.disables:
            self._breakers.gone(destination, now)

    def _finish(
        self, asked: Delivery, claim: str, outcome: DeliveryOutcome, duration: int, now: datetime
    ) -> str:
        """Write what came of an attempt, unless it was taken over, and do what follows."""
        again = outcome.again and not self._retries.is_last(asked.attempt)
        status = SUCCEEDED
        wait = 0.0
        if outcome.error:
            status = RETRYING if again else FAILED
            wait = self._retries.wait(asked.attempt, self._roll(), outcome.wait)
        changes: dict[str, Any] = {
            "status": status,
            "timestamp": iso_utc(now),
            "duration_ms": duration,
            "response_status": outcome.response_status,
            "error": outcome.error,
            "next_attempt_at": iso_utc(now + timedelta(seconds=wait)) if again else None,
            "claimed_by": None,
        }
        expected = {"status": PENDING, "claimed_by": claim}
        try:
            self._store.update(Forms.update_attempt, asked.key, changes, when=expected)
        except (Conflict, NotFound) as error:
            if not error.is_own(changes):
                return SUPERSEDED
        return self._follow(asked, status, wait, now)

    def _repeated(self, asked: Delivery, known: DeliveryAttempt, now: datetime) -> str:
        """A message whose attempt is finished: see that what follows from it was done."""
        if known.status == RETRYING:
            following = {**asked.key, "attempt_num": asked.attempt + 1}
            if self._store.get(Forms.get_attempt, following):
                return SUPERSEDED
        wait = seconds_until(known.next_attempt_at, now)
        return self._follow(asked, known.status, wait, now)

    def _follow(self, asked: Delivery, status: str, wait: float, now: datetime) -> str:
        if status == RETRYING:
            self._queue.send([asked.following(asked.attempt + 1, now)], wait)
            return status
        settle(self._store, asked.tenant_id, asked.submission_id, now)
        return status

    def _postpone(self, asked: Delivery, seconds: float) -> str:
        """The same message again, later: no attempt is used up."""
        self._queue.send([asked], max(1.0, seconds))
        return POSTPONED


def _shipment(
    submission: Submission, destination: tenants.Destination, payload: bytes, now: datetime
) -> Shipment:
    return Shipment(
        submission.tenant_id,
        submission.submission_id,
        submission.form_id,
        submission.timestamp,
        destination.destination_id,
        destination.settings,
        payload,
        submission.content_type,
        tuple(_key_ids(destination, now)),
    )


def _key_ids(destination: tenants.Destination, now: datetime) -> Iterator[str]:
    """The secrets that sign: that of the destination, and the one before it for a while."""
    if destination.key_id is not None:
        yield destination.key_id
    if destination.previous_key_id and seconds_until(destination.previous_key_until, now):
        yield destination.previous_key_id
