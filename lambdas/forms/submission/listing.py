"""Submissions of one tenant: lists, attempts, and one to try a destination with."""

from datetime import datetime, timedelta
from typing import Any

from lambdas.forms.delivery.submission_status import QUARANTINED
from lambdas.forms.sharding.strategy import FormBridgeShardingStrategy
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import TEST, DeliveryAttempt, Submission
from tablewright.model.fields.time import iso_utc
from tablewright.model.time_ids import moment_of
from tablewright.runtime.errors import NotFound
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

TEST_FORM = "destination-test"
TEST_DAYS = 1
_TEST_PAYLOAD = b'{"test":true}'


class TenantSubmissions:
    """The submissions of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._tenant = tenant

    def one(self, submission_id: str) -> Submission:
        found = self._store.get(Forms.get_submission, self._key(submission_id))
        if found is None:
            raise NotFound("no Submission has this key")
        return found

    def page(self, *, form_id: str | None, status: str | None, **asked: Any) -> Page[Submission]:
        """Submissions by time, newest first: all, those of a form, or those of a status."""
        where = {"tenant_id": self._tenant}
        if form_id is not None:
            of_form = {**where, "form_id": form_id}
            in_status = {} if status is None else {"status": status}
            return self._store.query(Forms.submissions_by_form, of_form, where=in_status, **asked)
        if status is not None:
            of_status = {**where, "status": status}
            return self._store.query(Forms.submissions_by_status, of_status, **asked)
        return self._store.query(Forms.submissions, where, **asked)

    def attempts(self, submission_id: str, **paging: Any) -> Page[DeliveryAttempt]:
        return self._store.query(Forms.submission_attempts, self._key(submission_id), **paging)

    def make_test(self, now: datetime) -> str:
        """A submission to try a destination with; gives its id. It is kept for a day."""
        submission_id = uuid7(now)
        moment = moment_of(submission_id)
        sharding = FormBridgeShardingStrategy(self._store)
        key = sharding.create_submission_key(self._tenant, submission_id, moment)
        self._store.put(
            Forms.put_submission,
            Submission(
                tenant_id=self._tenant,
                submission_id=submission_id,
                timestamp=moment,
                form_id=TEST_FORM,
                # Only pending ones are delivered by themselves.
                status=QUARANTINED,
                purpose=TEST,
                content_type="application/json",
                shard_id=key["shard_id"],
                compressed=False,
                original_size=len(_TEST_PAYLOAD),
                storage_size=len(_TEST_PAYLOAD),
                data=_TEST_PAYLOAD,
                updated_at=moment,
                expires_at=iso_utc(now + timedelta(days=TEST_DAYS)),
            ),
        )
        return submission_id

    def _key(self, submission_id: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "submission_id": submission_id}


# What lists show: what stands in the indexes.
LISTED = ("submission_id", "timestamp", "form_id", "status", "original_size")
# What is shown of one, beside its payload.
SHOWN_FIELDS = tuple(
    f for f in Submission.__entity__.fields if f.name not in ("tenant_id", "data", "payload_key")
)
