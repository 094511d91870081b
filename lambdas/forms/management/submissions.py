"""What was sent to a tenant, what became of it, and sending it on once more."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from lambdas.forms.management.delivery_queue import Deliveries, attempt
from lambdas.http.problems import Problem
from tablewright.designs import Record
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_submissions import PENDING, SUBMISSION
from tablewright.designs.time_ids import moment_of
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.ids import uuid7
from tablewright.runtime.payload import PLAIN
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store

QUARANTINED = "QUARANTINED"
# Attempts are numbered through, in series of so many: 9 begins the second one.
SERIES = 8
TEST_FORM = "destination-test"
TEST_DAYS = 1
_TEST_PAYLOAD = b'{"test":true}'


class Submissions:
    """The submissions of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._tenant = tenant

    def one(self, submission_id: str) -> Record:
        found = self._store.get(FORMS.get_submission, self._key(submission_id))
        if found is None:
            raise NotFound("no Submission has this key")
        return found

    def page(self, *, form_id: str | None, status: str | None, **asked: Any) -> Page:
        """Submissions by time, newest first: all, those of a form, or those of a status."""
        where = {"tenant_id": self._tenant}
        if form_id is not None:
            of_form = {**where, "form_id": form_id}
            filters = {"status": status}
            return self._store.query(FORMS.submissions_by_form, of_form, filters=filters, **asked)
        if status is not None:
            of_status = {**where, "status": status}
            return self._store.query(FORMS.submissions_by_status, of_status, **asked)
        return self._store.query(FORMS.submissions, where, **asked)

    def attempts(self, submission_id: str, **paging: Any) -> Page:
        return self._store.query(FORMS.submission_attempts, self._key(submission_id), **paging)

    def redeliver(
        self, submission_id: str, destination_id: str | None, now: datetime
    ) -> list[Record]:
        """The attempts that are to be made: at a destination, or at all that have not taken it.

        Who asks again before an attempt was made is given the same one.
        """
        submission = self.one(submission_id)
        last = self._last_attempts(submission_id)
        if destination_id is not None:
            active = [destination_id]
        else:
            # Once it was routed, a change of the configuration does not change where it goes.
            named = list(last) or self._routed(submission["form_id"])
            taken = {one for one in last if last[one]["status"] == "SUCCEEDED"}
            active = [one for one in named if one not in taken and self._active(one)]
        if not active:
            detail = "No active destination is waiting for it: name one by destination_id."
            raise Problem(409, detail)
        if submission["status"] == QUARANTINED:
            self._release(submission_id, now)
        return [_next(one, last.get(one)) for one in active]

    def make_test(self, now: datetime) -> str:
        """A submission to try a destination with; gives its id. It is kept for a day."""
        submission_id = uuid7(now)
        moment = moment_of(submission_id)
        self._store.put(
            FORMS.put_submission,
            {
                **self._key(submission_id),
                "timestamp": moment,
                "form_id": TEST_FORM,
                # Only pending ones are delivered by themselves.
                "status": QUARANTINED,
                "content_type": "application/json",
                "payload_encoding": PLAIN,
                "payload_bytes": len(_TEST_PAYLOAD),
                "payload": _TEST_PAYLOAD,
                "updated_at": moment,
                "expires_at": timestamp(now + timedelta(days=TEST_DAYS)),
            },
        )
        return submission_id

    def _active(self, destination_id: str) -> bool:
        key = {"tenant_id": self._tenant, "destination_id": destination_id}
        found = self._store.get(FORMS.get_destination, key)
        return found is not None and found["state"] == "active"

    def _release(self, submission_id: str, now: datetime) -> None:
        """Let a submission be delivered that was held back."""
        changes = {"status": PENDING, "updated_at": timestamp(now)}
        key, held = self._key(submission_id), {"status": QUARANTINED}
        # That somebody else was first is as good.
        with suppress(Conflict):
            self._store.update(FORMS.update_submission, key, changes, expect=held)

    def _routed(self, form_id: str) -> list[str]:
        config = self._store.get(FORMS.get_config, {"tenant_id": self._tenant}) or {}
        form = (config.get("forms") or {}).get(form_id) or {}
        return list(form.get("destinations") or ())

    def _last_attempts(self, submission_id: str) -> dict[str, Record]:
        made = self._store.each(FORMS.submission_attempts, self._key(submission_id))
        return {one["destination_id"]: one for one in made}  # in the order of their numbers

    def _key(self, submission_id: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "submission_id": submission_id}


def send(deliveries: Deliveries, tenant: str, submission_id: str, attempts: list[Record]) -> None:
    for one in attempts:
        message = attempt(tenant, submission_id, one["destination_id"], one["attempt"])
        deliveries.enqueue(message)


# What lists show: what stands in the indexes.
LISTED = ("submission_id", "timestamp", "form_id", "status", "payload_bytes")
# What is told of one, beside its payload.
TOLD = tuple(f for f in SUBMISSION.fields if f.name not in ("tenant_id", "payload", "payload_key"))


def _next(destination_id: str, last: Mapping[str, Any] | None) -> Record:
    """The attempt that begins a new series; one that is yet to be made is asked for once more."""
    number = 1 if last is None else int(last["attempt_num"])
    if last is not None and last["status"] != PENDING:
        number = ((number - 1) // SERIES + 1) * SERIES + 1
    return {"destination_id": destination_id, "attempt": number}
