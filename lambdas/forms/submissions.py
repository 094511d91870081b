"""Taking submissions in: each once, however often its request is repeated.

First the request is claimed, with the id that its submission is to have; then a large payload goes
into the bucket, under that id; then the item is stored, if it is not there. Whoever repeats a
request finds its id in the claim and does what is left to do, so that one that died on the way is
finished by its repetition, and eight that run at once store one submission.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from lambdas.forms.bodies import fields_of, filled
from tablewright.designs import Record
from tablewright.designs.capacity import item_bytes
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_submissions import PENDING, SUBMISSION
from tablewright.designs.time_ids import moment_of
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.ids import uuid7
from tablewright.runtime.payload import S3_ZLIB, Payloads
from tablewright.runtime.store import Store

QUARANTINED = "QUARANTINED"
_CLAIMS = 3


class KeyUsedOtherwise(Exception):
    """The idempotency key belongs to a request with another form or body."""


class Submission(NamedTuple):
    """What a verified sender sends; `key` is what makes a repetition of it one."""

    tenant_id: str
    form_id: str
    content_type: str
    body: bytes
    key: str
    domain: str | None = None

    @property
    def digest(self) -> str:
        about = f"{self.form_id}\n{self.content_type}\n".encode()
        return sha256(about + self.body).hexdigest()


class Taken(NamedTuple):
    """What a submission has become; `again` when it had been taken before."""

    submission_id: str
    status: str
    again: bool


class Submissions:
    """The submissions of all tenants."""

    def __init__(self, store: Store, payloads: Payloads) -> None:
        self._store = store
        self._payloads = payloads

    def take(
        self, sent: Submission, form: dict[str, Any], now: datetime, retention_days: int | None
    ) -> Taken:
        """Store a submission, unless it is stored already."""
        fields = fields_of(sent.body, sent.content_type)
        # Kept, and not delivered: a browser that fills in what nobody sees makes no robot of its
        # user, and what was thrown away cannot be looked at.
        status = QUARANTINED if filled(fields, _honeypot(form)) else PENDING
        submission_id, again = self._claim(sent, now)
        key = {"tenant_id": sent.tenant_id, "submission_id": submission_id}
        stored = self._store.get(FORMS.get_submission, key) if again else None
        if stored:
            return Taken(submission_id, stored["status"], again)
        record = _record(sent, submission_id, status, retention_days)
        if record.get("expires_at", timestamp(now)) < timestamp(now):
            return Taken(submission_id, status, again)  # it was stored, and its time is over
        record |= self._payloads.keep(
            sent.body, key=f"{sent.tenant_id}/{submission_id}", beside=_beside(record)
        )
        try:
            self._store.put(FORMS.put_submission, record)
        except AlreadyExists:
            again = True
        return Taken(submission_id, status, again)

    def _claim(self, sent: Submission, now: datetime) -> tuple[str, bool]:
        """The id of the request's submission, and whether the request had been made before."""
        key_digest = sha256(sent.key.encode("utf-8", "surrogatepass")).hexdigest()
        key = {"tenant_id": sent.tenant_id, "key_digest": key_digest}
        for _ in range(_CLAIMS):
            made = {"submission_id": uuid7(now), "body_digest": sent.digest}
            try:
                self._store.put(FORMS.claim_request, {**key, **made, "created_at": timestamp(now)})
                return made["submission_id"], False
            except AlreadyExists:
                first = self._store.get(FORMS.get_request, key)
            if first is None:
                continue  # it has expired between the two
            if first["body_digest"] != sent.digest:
                raise KeyUsedOtherwise
            return first["submission_id"], True
        raise Conflict("the idempotency key was taken and given up again all the while")


def _honeypot(form: dict[str, Any]) -> list[str]:
    """The fields that people do not see, and so do not fill in."""
    named = form.get("honeypot") or []
    return [named] if isinstance(named, str) else list(named)


def _record(
    sent: Submission, submission_id: str, status: str, retention_days: int | None
) -> Record:
    moment = moment_of(submission_id)
    record: Record = {
        "tenant_id": sent.tenant_id,
        "submission_id": submission_id,
        "timestamp": moment,
        "form_id": sent.form_id,
        "status": status,
        "updated_at": moment,
    }
    if sent.domain:
        record["domain"] = sent.domain
    if retention_days:
        end = datetime.fromisoformat(moment) + timedelta(days=retention_days)
        record["expires_at"] = timestamp(end)
    return record


def _beside(record: Record) -> int:
    """What the item weighs without its payload; the number of its shard may add a digit."""
    about = {"payload_encoding": S3_ZLIB, "payload_bytes": 0, "payload": b""}
    return item_bytes(FORMS.attributes(SUBMISSION, {**record, **about}))
