"""Fan-out: a created submission goes to each destination that its form names.

The first attempt at each is recorded before the first message is sent. So what a submission is to
be delivered to is known before anything is delivered, and does not change with the configuration.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from lambdas.forms.delivery.messages import Created, Delivery, DeliveryQueue
from lambdas.forms.delivery.submission_status import attempts_of, settle
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, DeliveryAttempt, Submission
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.time import iso_utc
from tablewright.model.time_ids import moment_of
from tablewright.runtime.errors import AlreadyExists
from tablewright.runtime.store.store import Store

# After this a submission that is not to be seen is gone.
VISIBLE = timedelta(minutes=10)


class SubmissionMissing(TablewrightError):
    """The submission is not visible yet: it will be when the message comes again."""


def find_submission(store: Store, key: Mapping[str, Any], now: datetime) -> Submission | None:
    """The submission, None when it was removed or has expired; raises SubmissionMissing for one so
    young that it may not be visible yet."""
    submission = store.get(Forms.get_submission, key)
    made = datetime.fromisoformat(moment_of(key["submission_id"]))
    if submission is None and now - made < VISIBLE:
        raise SubmissionMissing(f"there is no submission {key['submission_id']} yet")
    return submission


def routed(config: Mapping[str, Any] | None, form_id: str) -> list[str]:
    """The destinations of a form, each once.

    >>> routed({"forms": {"contact": {"destinations": ["crm", "archive", "crm"]}}}, "contact")
    ['crm', 'archive']
    """
    form = ((config or {}).get("forms") or {}).get(form_id) or {}
    return list(dict.fromkeys(form.get("destinations") or ()))


class FanOut:
    """Begins the deliveries of submissions."""

    def __init__(self, store: Store, queue: DeliveryQueue) -> None:
        self._store = store
        self._queue = queue

    def begin(self, created: Created, now: datetime) -> int:
        """Ask for the first attempt at each destination; gives how many were asked for."""
        key = created._asdict()
        submission = find_submission(self._store, key, now)
        if submission is None or submission.status != PENDING:
            return 0
        known = attempts_of(self._store, key)
        # Nothing is attempted before all are recorded: then this was done before.
        if all(one.status == PENDING for one in known):
            known += self._record(submission, {one.destination_id for one in known}, now)
        waiting = [
            Delivery(**key, destination_id=one.destination_id, attempt=1, since=iso_utc(now))
            for one in known
            if one.attempt_num == 1 and one.status == PENDING
        ]
        self._queue.send(waiting)
        if not known:
            settle(self._store, created.tenant_id, created.submission_id, now)
        return len(waiting)

    def _record(
        self, submission: Submission, known: set[str], now: datetime
    ) -> list[DeliveryAttempt]:
        tenant = {"tenant_id": submission.tenant_id}
        config = self._store.get(Forms.get_config, tenant)
        new = [one for one in routed(config, submission.form_id) if one not in known]
        first = [new_attempt(submission, one, 1, now) for one in new]
        return [record_attempt(self._store, one) for one in first]


def new_attempt(
    submission: Submission,
    destination_id: str,
    attempt: int,
    now: datetime,
) -> DeliveryAttempt:
    """The record of an attempt that is to be made; it is kept as long as its submission."""
    return DeliveryAttempt(
        tenant_id=submission.tenant_id,
        submission_id=submission.submission_id,
        destination_id=destination_id,
        attempt_num=attempt,
        status=PENDING,
        timestamp=iso_utc(now),
        expires_at=submission.expires_at,
        purpose=submission.purpose,
    )


def record_attempt(store: Store, attempt: DeliveryAttempt) -> DeliveryAttempt:
    """Record an attempt that is to be made; one that is recorded already stays as it is."""
    try:
        return store.put(Forms.put_attempt, attempt)
    except AlreadyExists:
        return attempt
