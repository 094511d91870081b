"""Routes of submissions: lists, payloads, attempts, redelivery."""

from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.errors import InvalidRequest, RequestConflict
from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, TenantRequest, list_answer
from lambdas.forms.delivery.messages import Delivery
from lambdas.forms.delivery.redelivery import NotRedeliverable, Redelivery
from lambdas.forms.submission.listing import LISTED, SHOWN_FIELDS, TenantSubmissions
from lambdas.forms.submission.payload_links import with_payload
from lambdas.http.answers import answer
from lambdas.http.application import routed
from lambdas.http.bodies import only
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.submissions import SUBMISSION_STATUSES, named_id
from tablewright.model import InvalidValue

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]
_DESTINATION = named_id().named("destination_id")


@routed(router, contract.LIST_SUBMISSIONS)
def list_submissions() -> Response[str]:
    request = TenantRequest(router.current_event, "status", "form_id", "since", "until", *PAGING)
    status = request.parameters.get("status")
    page = _submissions(request).page(
        form_id=request.parameters.get("form_id"),
        status=choice("status", status, SUBMISSION_STATUSES) if status is not None else None,
        **request.period,
        **request.paging,
    )
    # The same in all lists, whichever index it was found by.
    return list_answer(page, LISTED)


@routed(router, contract.GET_SUBMISSION)
def get_submission(submission_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    found = _submissions(request).one(submission_id)
    found_fields = {field.label: found[field.name] for field in SHOWN_FIELDS if field.name in found}
    payload = resources.current().payloads(request.tenant).fetch(found)
    body = with_payload(found_fields, payload, resources.current().links(request.tenant))
    headers = {"Cache-Control": "no-store"}
    return Response(200, content_type="application/json", body=body, headers=headers)


@routed(router, contract.SUBMISSION_ATTEMPTS)
def submission_attempts(submission_id: str) -> Response[str]:
    request = TenantRequest(router.current_event, *PAGING)
    return list_answer(_submissions(request).attempts(submission_id, **request.paging))


@routed(router, contract.REDELIVER)
def redeliver(submission_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    destination_id = _destination_in(router.current_event)
    redelivery = Redelivery(request.store, resources.current().deliveries)
    now = resources.current().now()
    try:
        made = redelivery.redeliver(request.tenant, submission_id, destination_id, now)
    except NotRedeliverable as problem:
        raise RequestConflict(str(problem)) from None
    logger.info("redelivery requested", tenant_id=request.tenant, submission_id=submission_id)
    return enqueued(made)


def enqueued(deliveries: list[Delivery]) -> Response[str]:
    """The attempts at one submission that were asked for."""
    attempts = [
        {"destination_id": one.destination_id, "attempt": one.attempt} for one in deliveries
    ]
    return answer({"submission_id": deliveries[0].submission_id, "attempts": attempts}, 202)


def _destination_in(event: Any) -> str | None:
    """The destination that a request names, if it has a body at all."""
    body = only(json_body(event) if event.decoded_body else None, (_DESTINATION.name,))
    if _DESTINATION.name not in body:
        return None
    try:
        return str(_DESTINATION.check(body[_DESTINATION.name]))
    except InvalidValue as problem:
        wrong = [(f"/{problem.field}", problem.reason)]
        raise InvalidRequest("The body is not valid.", wrong) from None


def _submissions(request: TenantRequest) -> TenantSubmissions:
    return TenantSubmissions(request.store, request.tenant)
