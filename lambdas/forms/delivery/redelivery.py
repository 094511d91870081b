"""Redelivery of what has failed: a fresh series of attempts, asked for by a person."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime

from lambdas.forms.delivery.attempts import MOST_REDELIVERIES, Retries
from lambdas.forms.delivery.fan_out import new_attempt, record_attempt, routed
from lambdas.forms.delivery.messages import Delivery, DeliveryQueue
from lambdas.forms.delivery.submission_status import (
    RETRYING,
    SUCCEEDED,
    attempts_of,
    decisive,
    status_of,
)
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, DeliveryAttempt, Submission
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.store import Store


class NotRedeliverable(TablewrightError, ValueError):
    """The submission cannot be delivered there again, and the text says why."""


class Redelivery:
    """Begins series of attempts.

    Example::

        Redelivery(store, queue).redeliver("acme", submission_id, "crm", datetime.now(UTC))
    """

    def __init__(self, store: Store, queue: DeliveryQueue, retries: Retries | None = None) -> None:
        self._store = store
        self._queue = queue
        self._retries = retries or Retries()

    def redeliver(
        self, tenant: str, submission_id: str, destination_id: str | None, now: datetime
    ) -> list[Delivery]:
        """Ask for attempts at a destination, or at all that have not taken the submission.

        Of a delivery that is open the attempt is asked for that it waits for, at once: there is
        never a second series beside it. Whoever asks again before an attempt was made is given
        the same one.
        """
        key = {"tenant_id": tenant, "submission_id": submission_id}
        submission = self._store.get(Forms.get_submission, key)
        if submission is None:
            raise NotFound(f"there is no submission {submission_id}")
        attempts = attempts_of(self._store, key)
        chosen = self._chosen(submission, attempts, destination_id)
        last = {one.destination_id: one for one in attempts}  # in the order of their numbers
        numbers = self._numbers(chosen, last)
        # Recorded first: from then on the submission counts as open, whoever looks.
        for id, number in numbers.items():
            if not _is_open(last.get(id)):
                new = new_attempt(submission, id, number, now)
                attempts.append(record_attempt(self._store, new))
        if status_of(attempts) == PENDING != submission.status:
            changes = {"status": PENDING, "updated_at": iso_utc(now)}
            expected = {"status": submission.status}
            with suppress(Conflict):  # whoever was first has asked for it too, or has delivered it
                self._store.update(Forms.update_submission, key, changes, when=expected)
        asked = [
            Delivery(tenant, submission_id, id, number, iso_utc(now))
            for id, number in numbers.items()
        ]
        self._queue.send(asked)
        return asked

    def _chosen(
        self, submission: Submission, attempts: list[DeliveryAttempt], destination_id: str | None
    ) -> list[str]:
        tenant = submission.tenant_id
        if destination_id is not None:
            state = self._state(tenant, destination_id)
            if state is None:
                raise NotFound("no Destination has this key")
            if state != "active":
                raise NotRedeliverable(f"The destination '{destination_id}' is disabled.")
            return [destination_id]
        reached = {id: one.status for id, one in decisive(attempts).items()}
        # Once it was routed, a change of the configuration does not change where it goes.
        named = list(reached) or self._routed(tenant, submission.form_id)
        waiting = [id for id in named if reached.get(id) != SUCCEEDED]
        chosen = [id for id in waiting if self._state(tenant, id) == "active"]
        if not chosen:
            raise NotRedeliverable(
                "No active destination is waiting for it: name one by destination_id."
            )
        return chosen

    def _numbers(
        self, chosen: Iterable[str], last: Mapping[str, DeliveryAttempt]
    ) -> dict[str, int]:
        """The attempt to ask for at each destination that may have another."""
        numbers = {id: self._number(last.get(id)) for id in chosen}
        possible = {id: number for id, number in numbers.items() if self._retries.fits(number)}
        if not possible:
            raise NotRedeliverable(
                f"It was delivered there again {MOST_REDELIVERIES} times, and that is the most."
            )
        return possible

    def _number(self, last: DeliveryAttempt | None) -> int:
        if last is None:
            return 1
        number = last.attempt_num
        if not _is_open(last):
            return self._retries.next_series(number)
        return number if last.status == PENDING else number + 1

    def _state(self, tenant: str, destination_id: str) -> str | None:
        key = {"tenant_id": tenant, "destination_id": destination_id}
        found = self._store.get(Forms.get_destination, key)
        return found.state if found else None

    def _routed(self, tenant: str, form_id: str) -> list[str]:
        return routed(self._store.get(Forms.get_config, {"tenant_id": tenant}), form_id)


def _is_open(last: DeliveryAttempt | None) -> bool:
    """Whether the series of a destination's last attempt goes on."""
    return last is not None and last.status in (PENDING, RETRYING)
