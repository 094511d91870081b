"""Submission intake: stores each submission once, however often the request is retried.

1. Claim the idempotency key with the id of the new submission.
2. Upload a large payload to S3 under that id.
3. Put the item if it does not exist.

A retry reads the id from the claim and completes the remaining steps. Eight concurrent retries
store one submission. An item whose payload is in the bucket is stored in one transaction with a
mark on its claim, so that a retry never stores it again after both were deleted.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any, NamedTuple

from lambdas.forms.payload_compression import (
    PayloadCompressionManager,
    ProcessedPayload,
)
from lambdas.forms.sharding.strategy import FormBridgeShardingStrategy
from lambdas.forms.submission.form_bodies import fields_of, filled
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, ZLIB, Request, Submission, payload_key
from tablewright.model import Record, key_of
from tablewright.model.fields.time import iso_utc
from tablewright.model.sizes import item_bytes
from tablewright.model.time_ids import moment_of
from tablewright.runtime.errors import AlreadyExists, Conflict, TransactionRefused, Unavailable
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

QUARANTINED = "QUARANTINED"
_CLAIMS = 3
# The position of the submission in the transaction that stores it.
_SUBMISSION = 0


class KeyUsedOtherwise(Exception):
    """The idempotency key, or the upload, belongs to a request with another form or body."""


class SentForm(NamedTuple):
    """What a verified sender sends, in a request or by an upload. A repetition has the same `key`
    or the same `upload`; one of them must be there."""

    tenant_id: str
    form_id: str
    content_type: str
    body: bytes
    key: str | None
    domain: str | None = None
    upload: str | None = None

    @property
    def digest(self) -> str:
        return digest_of(self.form_id, self.content_type, sha256(self.body).hexdigest())


class SubmissionResult(NamedTuple):
    """Outcome of a submission request."""

    submission_id: str
    status: str | None  # None if the submission expired or is not visible yet
    is_replay: bool
    payload: ProcessedPayload | None = None  # None if this request wrote no payload


def digest_of(form_id: str, content_type: str, body_sha256: str) -> str:
    """What two requests with one key must have in common."""
    return sha256(f"{form_id}\n{content_type}\n{body_sha256}".encode()).hexdigest()


class SubmissionIntake:
    """The submissions of all tenants."""

    def __init__(
        self, store: Store, payloads: PayloadCompressionManager, retention_days: int | None = None
    ) -> None:
        self._store = store
        # Of tenants whose configuration does not say.
        self._retention_days = retention_days
        self._payloads = payloads
        self._sharding = FormBridgeShardingStrategy(store)

    def take(
        self, sent: SentForm, form: dict[str, Any], now: datetime, retention_days: int | None
    ) -> SubmissionResult:
        """Store a submission, unless it is stored already."""
        if retention_days is None:
            retention_days = self._retention_days
        fields = fields_of(sent.body, sent.content_type)
        # Kept, and not delivered: a browser that fills in what nobody sees makes no robot of its
        # user, and what was thrown away cannot be looked at.
        status = QUARANTINED if filled(fields, _honeypot(form)) else PENDING
        new = uuid7(now)
        beside = _beside(self._record(sent, new, status, retention_days))
        processed = self._payloads.process_payload(sent.body, beside=beside)
        once = processed.in_bucket or sent.upload is not None
        claim, again = self._claim(sent, new, now, marked=once)
        submission_id = claim.submission_id
        known = self._known(claim) if again else None
        if known:
            return known
        record = self._record(sent, submission_id, status, retention_days)
        if record.get("expires_at", iso_utc(now)) < iso_utc(now):
            return SubmissionResult(
                submission_id, status, again
            )  # it was stored, and its time is over
        place = payload_key(sent.tenant_id, submission_id)
        record |= self._payloads.store(processed, key=place)
        try:
            if once:
                self._store_once(Submission(**record), claim, now)
            else:
                self._store.put(Forms.put_submission, Submission(**record))
        except AlreadyExists:
            again = True
        except Conflict:
            return self._too_late(claim, place)
        return SubmissionResult(submission_id, status, again, processed)

    def _record(
        self, sent: SentForm, submission_id: str, status: str, retention_days: int | None
    ) -> Record:
        moment = moment_of(submission_id)
        key = self._sharding.create_submission_key(sent.tenant_id, submission_id, moment)
        record: Record = {
            "tenant_id": sent.tenant_id,
            "submission_id": submission_id,
            "timestamp": moment,
            "shard_id": key["shard_id"],
            "form_id": sent.form_id,
            "status": status,
            "content_type": sent.content_type,
            "updated_at": moment,
        }
        if sent.domain:
            record["domain"] = sent.domain
        if retention_days is not None:
            end = datetime.fromisoformat(moment) + timedelta(days=retention_days)
            record["expires_at"] = iso_utc(end)
        return record

    def finished(
        self, tenant_id: str, key: str | None, upload: str, digest: str
    ) -> SubmissionResult | None:
        """What a request has become that was finished before, so that its upload is gone."""
        for named in _names(key, upload):
            first = self._found(_request(tenant_id, named), digest)
            if first:
                return self._known(first)
        return None

    def _known(self, claim: Request) -> SubmissionResult | None:
        """The submission of a claim, if it was stored."""
        key = {"tenant_id": claim.tenant_id, "submission_id": claim.submission_id}
        stored = self._store.get(Forms.get_submission, key)
        if stored:
            return SubmissionResult(claim.submission_id, stored.status, True)
        # Not to be seen yet, or removed since.
        return SubmissionResult(claim.submission_id, None, True) if claim.stored_at else None

    def _store_once(self, record: Submission, claim: Request, now: datetime) -> None:
        """Store a submission with the mark that it was: nothing is stored without the claim, nor
        a second time when it was removed."""
        unfinished = (Request.submission_id == claim.submission_id) & Request.stored_at.is_missing()
        done = Request.stored_at.set(iso_utc(now))
        try:
            self._store.transact_write(
                self._store.to_put(Forms.put_submission, record),
                self._store.to_update(Forms.finish_request, claim, done, when=unfinished),
            )
        except TransactionRefused as refused:
            if _SUBMISSION in refused.problems:
                raise AlreadyExists("the submission is stored already") from refused
            raise

    def _too_late(self, claim: Request, place: str) -> SubmissionResult:
        """The submission was stored by another and removed since, or the claim has ended: nothing
        will ever be stored under this id, and nothing may stay in the bucket."""
        self._payloads.delete(place)
        first = self._store.get(Forms.get_request, key_of(claim))
        if first and first.submission_id == claim.submission_id:
            return SubmissionResult(claim.submission_id, None, True)
        raise Unavailable("the claim of the request has ended meanwhile")

    def _claim(
        self, sent: SentForm, new: str, now: datetime, *, marked: bool
    ) -> tuple[Request, bool]:
        """The claim that makes the submission, and whether it had been made before; one that is
        `marked` says where something may be left of it in the bucket.

        An upload is claimed before the sender's key, whose claim names the upload's: so whoever
        submits the upload under another key, or another upload under this key, finds the one claim.
        """
        claim: Record = {"submission_id": new, "body_digest": sent.digest}
        if marked:
            claim["payload_key"] = payload_key(sent.tenant_id, new)
        first, *upload = _names(sent.key, sent.upload)
        made, again = self._claim_one(sent, upload[0] if upload else first, claim, now)
        if not upload:
            return made, again
        about = {
            "submission_id": made.submission_id,
            "body_digest": made.body_digest,
            "made_by": made.key_digest,
        }
        named, known = self._claim_one(sent, first, about, now)
        return (named, True) if known else (made, again)

    def _claim_one(
        self, sent: SentForm, name: str, claim: Record, now: datetime
    ) -> tuple[Request, bool]:
        key = _request(sent.tenant_id, name)
        for _ in range(_CLAIMS):
            try:
                made = Request(**claim, **key, created_at=iso_utc(now))
                return self._store.put(Forms.claim_request, made), False
            except AlreadyExists:
                first = self._found(key, sent.digest)
            if first:
                return first, True
            # It has expired between the two.
        raise Conflict("the idempotency key was claimed and released on every attempt")

    def _found(self, key: Record, digest: str) -> Request | None:
        """The claim under a key, or the one that it names, if it is of a request like this."""
        first = self._store.get(Forms.get_request, key)
        if first and first.body_digest != digest:
            raise KeyUsedOtherwise
        if first and first.made_by:
            named = {"tenant_id": first.tenant_id, "key_digest": first.made_by}
            return self._store.get(Forms.get_request, named)
        return first


def _names(key: str | None, upload: str | None) -> list[str]:
    """What a request may be claimed under, the sender's key first."""
    return [name for name in (key, f"upload {upload}" if upload else None) if name]


def _request(tenant_id: str, key: str) -> Record:
    digest = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return {"tenant_id": tenant_id, "key_digest": digest}


def _honeypot(form: dict[str, Any]) -> list[str]:
    """The fields that people do not see, and so do not fill in."""
    named = form.get("honeypot") or []
    return [named] if isinstance(named, str) else list(named)


def _beside(record: Record) -> int:
    """Return the bytes of the item without its data; the number of its shard may add a digit."""
    longest = ProcessedPayload(b"", True, 0, 0, ZLIB, Decimal("0.0001"))
    whole = {**record, **longest._asdict()}
    del whole["in_bucket"]
    return item_bytes(Forms.__design__.attributes(Submission.__entity__, whole))
