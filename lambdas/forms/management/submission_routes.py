"""Routes of submissions: what was sent, what became of it, and sending it on once more."""

from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.errors import InvalidRequest, RequestConflict
from lambdas.forms import access
from lambdas.forms.management.asking import PAGING, Asked, listed
from lambdas.forms.management.payloads import with_payload
from lambdas.forms.management.submissions import LISTED, TOLD, Submissions
from lambdas.forms.messages import Delivery
from lambdas.forms.redelivery import NotRedeliverable, Redelivery
from lambdas.http.answers import answer
from lambdas.http.bodies import only
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.submissions import (
    ATTEMPT,
    SUBMISSION,
    SUBMISSION_STATUSES,
    named_id,
)
from tablewright.model import InvalidValue
from tablewright.runtime.store.reader import Page

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]
_ONE = "/submissions/<submission_id>"
_DESTINATION = named_id("destination_id")


@router.get("/submissions")
def list_submissions() -> Response[str]:
    asked = Asked(router.current_event, "status", "form_id", "since", "until", *PAGING)
    status = asked.given.get("status")
    page = _submissions(asked).page(
        form_id=asked.given.get("form_id"),
        status=choice("status", status, SUBMISSION_STATUSES) if status is not None else None,
        since=asked.given.get("since"),
        until=asked.given.get("until"),
        **asked.paging,
    )
    # The same in all lists, whichever index it was found by.
    shown = [{name: one[name] for name in LISTED if name in one} for one in page.items]
    return listed(SUBMISSION, Page(shown, page.cursor))


@router.get(_ONE)
def get_submission(submission_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    found = _submissions(asked).one(submission_id)
    told = {field.label: found[field.name] for field in TOLD if field.name in found}
    payload = access.current().payloads(asked.tenant).fetch(found)
    body = with_payload(told, payload, access.current().links(asked.tenant))
    headers = {"Cache-Control": "no-store"}
    return Response(200, content_type="application/json", body=body, headers=headers)


@router.get(f"{_ONE}/attempts")
def submission_attempts(submission_id: str) -> Response[str]:
    asked = Asked(router.current_event, *PAGING)
    return listed(ATTEMPT, _submissions(asked).attempts(submission_id, **asked.paging))


@router.post(f"{_ONE}/redeliver")
def redeliver(submission_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    destination_id = _destination_in(router.current_event)
    redelivery = Redelivery(asked.store, access.current().deliveries)
    now = access.current().now()
    try:
        made = redelivery.redeliver(asked.tenant, submission_id, destination_id, now)
    except NotRedeliverable as problem:
        raise RequestConflict(str(problem)) from None
    logger.info("redelivery asked for", tenant_id=asked.tenant, submission_id=submission_id)
    return enqueued(made)


def enqueued(asked: list[Delivery]) -> Response[str]:
    """The attempts at one submission that were asked for."""
    attempts = [{"destination_id": one.destination_id, "attempt": one.attempt} for one in asked]
    return answer({"submission_id": asked[0].submission_id, "attempts": attempts}, 202)


def _destination_in(event: Any) -> str | None:
    """The destination that a request names, if it has a body at all."""
    body = only(json_body(event) if event.decoded_body else None, (_DESTINATION.name,))
    if _DESTINATION.name not in body:
        return None
    try:
        return _DESTINATION.check(body[_DESTINATION.name])
    except InvalidValue as problem:
        wrong = [(f"/{problem.field}", problem.reason)]
        raise InvalidRequest("The body is not valid.", wrong) from None


def _submissions(asked: Asked) -> Submissions:
    return Submissions(asked.store, asked.tenant)
