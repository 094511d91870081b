"""Submission API: takes submissions in from whoever has signed them."""

from datetime import datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import RequestConflict, RequestMismatch
from lambdas.forms import contract
from lambdas.forms.contract import SubmitEnvironment
from lambdas.forms.submission.admission import (
    CONTENT_TYPE,
    IDEMPOTENCY_KEY,
    Addressed,
    SignedRequest,
    idempotency_key,
)
from lambdas.forms.submission.form_bodies import CONTENT_TYPES, JSON, content_type, raw_body
from lambdas.forms.submission.intake import KeyUsedOtherwise, SentForm, SubmissionResult, digest_of
from lambdas.forms.submission.resources import Resources
from lambdas.forms.submission.uploads import UPLOADED, announcement, named
from lambdas.http.answers import answer
from lambdas.http.application import application, respond, routed

logger = Logger()
app = application()


@cache
def resources() -> Resources:
    return Resources.of(SubmitEnvironment.read())


if SubmitEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.SUBMIT)
def submit(form_id: str) -> Response[str]:
    now = resources().now()
    request = _request()
    addressed = resources().admission.verify(request, form_id, now)
    kind = content_type(request.headers.get(CONTENT_TYPE), (*CONTENT_TYPES, UPLOADED))
    key = idempotency_key(request.headers)
    resources().admission.count(addressed, now)
    try:
        if kind == UPLOADED:
            taken = _take_uploaded(addressed, form_id, request.body, key, now)
        else:
            named_by = key or f"signature {addressed.sender.signature}"
            taken = _take(addressed, form_id, kind, request.body, named_by, now)
    except KeyUsedOtherwise:
        where = IDEMPOTENCY_KEY if key or kind != UPLOADED else "/upload_id"
        reason = "was used for another form or body: send each its own"
        raise RequestMismatch(
            "The idempotency key is taken; nothing was stored.", [(where, reason)]
        ) from None
    logger.info(
        "submission taken",
        tenant=addressed.sender.tenant_id,
        form_id=form_id,
        submission_id=taken.submission_id,
        status=taken.status,
        bytes=len(request.body),
        storage_size=taken.payload and taken.payload.storage_size,
        compressed=taken.payload and taken.payload.compressed,
        uploaded=kind == UPLOADED,
        again=taken.is_replay,
    )
    # A quarantined one is answered like any other: robots learn nothing from it.
    status_url = f"/submissions/{taken.submission_id}"
    return answer({"submission_id": taken.submission_id, "status_url": status_url}, 202)


@routed(app, contract.ANNOUNCE_UPLOAD)
def announce(form_id: str) -> Response[str]:
    now = resources().now()
    request = _request()
    addressed = resources().admission.verify(request, form_id, now)
    content_type(request.headers.get(CONTENT_TYPE), (JSON,))
    announced = announcement(request.body)
    resources().admission.count(addressed, now)
    tenant = addressed.sender.tenant_id
    offer = resources().uploads.offer(tenant, announced, now)
    about = {"upload_id": offer["upload_id"], "bytes": announced.size}
    logger.info("upload offered", tenant=tenant, form_id=form_id, **about)
    return answer(offer, 201)


def _request() -> SignedRequest:
    event = app.current_event
    return SignedRequest(event.http_method, event.path, event.headers, raw_body(event))


def _take(
    addressed: Addressed,
    form_id: str,
    kind: str,
    body: bytes,
    key: str | None,
    now: datetime,
    upload: str | None = None,
) -> SubmissionResult:
    sender, retention_days = addressed.sender, addressed.config.retention_days
    sent = SentForm(sender.tenant_id, form_id, kind, body, key, sender.domain, upload)
    return resources().submissions.take(sent, addressed.form, now, retention_days)


def _take_uploaded(
    addressed: Addressed, form_id: str, body: bytes, key: str | None, now: datetime
) -> SubmissionResult:
    """Take what was uploaded; one upload is one submission, whatever signature or key it is sent
    with."""
    tenant = addressed.sender.tenant_id
    upload = named(body, tenant)
    id, kind = upload.upload_id, upload.announced.content_type
    content = resources().uploads.read(upload)
    if content is None:
        digest = digest_of(form_id, kind, upload.announced.sha256)
        finished = resources().submissions.finished(tenant, key, id, digest)
        if finished is None:
            reason = "names no upload: put it where it was offered, and submit it within a day"
            raise RequestConflict("There is no such upload.", [("/upload_id", reason)])
        return finished
    taken = _take(addressed, form_id, kind, content, key, now, upload=id)
    # Whoever dies before this is repeated, or else the bucket removes it in a day.
    resources().uploads.remove(upload)
    return taken
