"""Delivering again what was given up: a fresh series of attempts, asked for by a person."""

from datetime import datetime

from lambdas.forms import standing
from lambdas.forms.fan_out import SubmissionMissing, new_attempt, record_attempt
from lambdas.forms.messages import Delivery, Queue
from lambdas.forms.retries import LAST_NUMBER, Retries
from tablewright.designs.errors import TablewrightError
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_submissions import PENDING
from tablewright.runtime.store import Store


class NotRedeliverable(TablewrightError, ValueError):
    """The submission cannot be delivered there again, and the text says why."""


class Redelivery:
    """Begins series of attempts.

    Example::

        Redelivery(store, queue).redeliver("acme", submission_id, "crm", datetime.now(UTC))
    """

    def __init__(self, store: Store, queue: Queue, retries: Retries | None = None) -> None:
        self._store = store
        self._queue = queue
        self._retries = retries or Retries()

    def redeliver(self, tenant: str, submission: str, destination: str, now: datetime) -> int:
        """Ask for a fresh series; gives the number of the attempt that was asked for.

        Of a delivery that is open the attempt is asked for that it waits for: its message may have
        been lost, and a second one does no harm.
        """
        key = {"tenant_id": tenant, "submission_id": submission}
        found = self._store.get(FORMS.get_submission, key)
        if found is None:
            raise SubmissionMissing(f"there is no submission {submission}")
        if found["status"] == "QUARANTINED":
            raise NotRedeliverable("the submission is quarantined")
        self._check(tenant, destination)
        number, is_open = self._next({**key, "destination_id": destination})
        asked = Delivery(tenant, submission, destination, number, timestamp(now))
        if not is_open:
            # Recorded first: from then on the submission counts as open, whoever looks.
            record_attempt(self._store, new_attempt(found, destination, number, now))
            changes = {"status": PENDING, "updated_at": timestamp(now)}
            self._store.update(FORMS.update_submission, key, changes)
        self._queue.send([asked])
        return number

    def _check(self, tenant: str, destination: str) -> None:
        key = {"tenant_id": tenant, "destination_id": destination}
        found = self._store.get(FORMS.get_destination, key)
        if found is None:
            raise NotRedeliverable("there is no such destination")
        if found["state"] != "active":
            raise NotRedeliverable("the destination is disabled: enable it first")

    def _next(self, key: dict[str, str]) -> tuple[int, bool]:
        """The attempt to ask for, and whether its series is under way."""
        attempts = standing.attempts_of(self._store, key)
        if not attempts:
            return 1, False
        last = attempts[-1]
        number, status = int(last["attempt_num"]), last["status"]
        if status == standing.SUCCEEDED:
            raise NotRedeliverable("the submission was delivered there")
        if status == PENDING:
            return number, True
        if status == standing.RETRYING:
            return number + 1, True
        number = self._retries.next_series(number)
        if number + self._retries.attempts - 1 > LAST_NUMBER:
            raise NotRedeliverable("the submission was delivered there too often")
        return number, False
