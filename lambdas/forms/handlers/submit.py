"""Submission API: takes submissions in from whoever has signed them."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import (
    InvalidRequest,
    NotAllowed,
    NotThere,
    RequestConflict,
    RequestMismatch,
    TooOften,
    Unauthenticated,
)
from lambdas.forms import contract
from lambdas.forms.contract import SubmitEnvironment
from lambdas.forms.submission.form_bodies import CONTENT_TYPES, JSON, content_type, raw_body
from lambdas.forms.submission.intake import (
    KeyUsedOtherwise,
    Submission,
    Taken,
    digest_of,
)
from lambdas.forms.submission.rate_limit import TooManyRequests
from lambdas.forms.submission.resources import Resources
from lambdas.forms.submission.senders import (
    CONTENT_TYPE,
    IDEMPOTENCY_KEY,
    NotSigned,
    Sender,
    Senders,
    SignedRequest,
)
from lambdas.forms.submission.signing import BadHeaders
from lambdas.forms.submission.uploads import UPLOADED, announcement, named
from lambdas.http.answers import answer
from lambdas.http.application import application, respond, routed
from tablewright.model import Record

logger = Logger()
app = application()

_LONGEST_KEY = 255
_NOT_SIGNED = "The request is not signed as it must be."


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
    body = raw_body(app.current_event)
    sender = _sender(body, now)
    # Nothing but a verified sender learns anything about a tenant.
    config, form = _routed(sender.tenant_id, form_id)
    kind = content_type(_header(CONTENT_TYPE), (*CONTENT_TYPES, UPLOADED))
    given_key = _idempotency_key()
    _admit(config, now)

    def take(sent: Submission) -> Taken:
        return resources().submissions.take(sent, form, now, _whole(config, "retention_days"))

    try:
        if kind == UPLOADED:
            taken = _take_uploaded(sender, form_id, body, given_key, take)
        else:
            key = given_key or f"signature {sender.signature}"
            whose = (sender.tenant_id, form_id)
            taken = take(Submission(*whose, kind, body, key, sender.domain))
    except KeyUsedOtherwise:
        where = IDEMPOTENCY_KEY if given_key or kind != UPLOADED else "/upload_id"
        reason = "was used for another form or body: send each its own"
        raise RequestMismatch(
            "The idempotency key is taken; nothing was stored.", [(where, reason)]
        ) from None
    logger.info(
        "submission taken",
        tenant=sender.tenant_id,
        form_id=form_id,
        submission_id=taken.submission_id,
        status=taken.status,
        bytes=len(body),
        uploaded=kind == UPLOADED,
        again=taken.again,
    )
    # A quarantined one is answered like any other: robots learn nothing from it.
    return answer(
        {
            "submission_id": taken.submission_id,
            "status_url": f"/submissions/{taken.submission_id}",
        },
        202,
    )


@routed(app, contract.ANNOUNCE_UPLOAD)
def announce(form_id: str) -> Response[str]:
    now = resources().now()
    body = raw_body(app.current_event)
    sender = _sender(body, now)
    config, _ = _routed(sender.tenant_id, form_id)
    content_type(_header(CONTENT_TYPE), (JSON,))
    announced = announcement(body)
    _admit(config, now)
    offer = resources().uploads.offer(sender.tenant_id, announced, now)
    logger.info(
        "upload offered",
        tenant=sender.tenant_id,
        form_id=form_id,
        upload_id=offer["upload_id"],
        bytes=announced.size,
    )
    return answer(offer, 201)


def _take_uploaded(
    sender: Sender,
    form_id: str,
    body: bytes,
    given_key: str | None,
    take: Callable[[Submission], Taken],
) -> Taken:
    """Take what was uploaded; one upload is one submission, whatever signature or key it is sent
    with."""
    upload = named(body, sender.tenant_id)
    announced, id = upload.announced, upload.upload_id
    content = resources().uploads.read(upload)
    if content is None:
        digest = digest_of(form_id, announced.content_type, announced.sha256)
        finished = resources().submissions.finished(sender.tenant_id, given_key, id, digest)
        if finished is None:
            reason = "names no upload: put it where it was offered, and submit it within a day"
            raise RequestConflict("There is no such upload.", [("/upload_id", reason)])
        return finished
    whose = (sender.tenant_id, form_id)
    kind = announced.content_type
    taken = take(Submission(*whose, kind, content, given_key, sender.domain, upload=id))
    # Whoever dies before this is repeated, or else the bucket removes it in a day.
    resources().uploads.remove(upload)
    return taken


def _sender(body: bytes, now: datetime) -> Sender:
    event = app.current_event
    request = SignedRequest(event.http_method, event.path, event.headers, body)
    try:
        return Senders(resources().tenants).of(request, now)
    except BadHeaders as refused:
        raise Unauthenticated(_NOT_SIGNED, refused.problems) from None
    except NotSigned:
        raise Unauthenticated(_NOT_SIGNED) from None


def _routed(tenant_id: str, form_id: str) -> tuple[Record, dict[str, Any]]:
    """The tenant's configuration and the form's; nobody is refused by what is out of date."""
    for afresh in (False, True):
        config = resources().tenants.config(tenant_id, afresh=afresh)
        if config and config["state"] == "active":
            form = (config.get("forms") or {}).get(form_id)
            if isinstance(form, dict):
                return config, form
    if not config:
        raise Unauthenticated(_NOT_SIGNED)
    if config["state"] != "active":
        raise NotAllowed("The tenant is disabled.")
    raise NotThere("There is no such form.")


def _header(name: str) -> str | None:
    found: str | None = app.current_event.headers.get(name)
    return found


def _idempotency_key() -> str | None:
    """What makes a repetition of the request one, if the sender says; else its signature does, or
    its upload."""
    key = _header(IDEMPOTENCY_KEY)
    if key is None:
        return None
    if not 1 <= len(key) <= _LONGEST_KEY:
        reason = f"must have 1 to {_LONGEST_KEY} characters"
        raise InvalidRequest("The idempotency key is not valid.", [(IDEMPOTENCY_KEY, reason)])
    return f"key {key}"


def _admit(config: Record, now: datetime) -> None:
    per_minute = _whole(config, "requests_per_minute")
    if per_minute is None:
        return
    try:
        resources().limit.admit(config["tenant_id"], per_minute, now)
    except TooManyRequests as refused:
        detail = f"At most {per_minute} requests are taken in a minute."
        raise TooOften(detail, retry_after=refused.seconds) from None


def _whole(config: Record, name: str) -> int | None:
    return int(config[name]) if name in config else None
