"""Routes of destinations: where submissions go, and how that went."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, TenantRequest, list_answer
from lambdas.forms.admin.submission_routes import enqueued
from lambdas.forms.delivery.messages import Delivery
from lambdas.forms.submission.listing import TenantSubmissions
from lambdas.forms.tenants.changes import DESTINATIONS
from lambdas.forms.tenants.configuration import Configuration
from lambdas.forms.tenants.destinations import Destinations
from lambdas.http.answers import answer, record_json
from lambdas.http.application import routed
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.submissions import ATTEMPT_STATUSES
from tablewright.catalog.forms.tenants import DESTINATION_TYPES, Destination
from tablewright.model.fields.time import iso_utc

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]


@routed(router, contract.LIST_DESTINATIONS)
def list_destinations() -> Response[str]:
    request = TenantRequest(router.current_event, "type", *PAGING)
    kind = request.parameters.get("type")
    if kind is not None:
        kind = choice("type", kind, DESTINATION_TYPES)
    return list_answer(_destinations(request).page(kind, **request.paging))


@routed(router, contract.CREATE_DESTINATION)
def create_destination() -> Response[str]:
    request = TenantRequest(router.current_event)
    body = json_body(router.current_event)
    Configuration(request.store, request.tenant).one()
    made, new, secret = _destinations(request).create(body, resources.current().now())
    logger.info(
        "destination stored",
        tenant_id=request.tenant,
        destination_id=made.destination_id,
        new=new,
    )
    return _made(made, new, secret)


@routed(router, contract.GET_DESTINATION)
def get_destination(destination_id: str) -> Response[str]:
    return DESTINATIONS.tagged(
        _destinations(TenantRequest(router.current_event)).one(destination_id)
    )


@routed(router, contract.CHANGE_DESTINATION)
def change_destination(destination_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    body = json_body(router.current_event)
    version = DESTINATIONS.named_in(router.current_event, body)
    now = resources.current().now()
    changed = _destinations(request).change(destination_id, body, version, now)
    logger.info("destination changed", tenant_id=request.tenant, destination_id=destination_id)
    return DESTINATIONS.tagged(changed)


@routed(router, contract.DELETE_DESTINATION)
def delete_destination(destination_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    _destinations(request).remove(destination_id)
    logger.info("destination removed", tenant_id=request.tenant, destination_id=destination_id)
    return Response(204)


@routed(router, contract.ROTATE_HOOK_SECRET)
def rotate_hook_secret(destination_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    made, new, secret = _destinations(request).rotate(destination_id, resources.current().now())
    logger.info(
        "hook secret rotated", tenant_id=request.tenant, destination_id=destination_id, new=new
    )
    return _made(made, new, secret)


@routed(router, contract.TEST_DESTINATION)
def test_destination(destination_id: str) -> Response[str]:
    request = TenantRequest(router.current_event)
    _destinations(request).active(destination_id)
    now = resources.current().now()
    submission_id = TenantSubmissions(request.store, request.tenant).make_test(now)
    first = Delivery(request.tenant, submission_id, destination_id, 1, iso_utc(now))
    resources.current().deliveries.send([first])
    logger.info("test requested", tenant_id=request.tenant, destination_id=destination_id)
    return enqueued([first])


@routed(router, contract.DESTINATION_ATTEMPTS)
def destination_attempts(destination_id: str) -> Response[str]:
    request = TenantRequest(router.current_event, "status", "since", "until", *PAGING)
    status = request.parameters.get("status")
    page = _destinations(request).attempts(
        destination_id,
        choice("status", status, ATTEMPT_STATUSES) if status is not None else None,
        **request.period,
        **request.paging,
    )
    return list_answer(page)


def _made(destination: Destination, new: bool, secret: str | None) -> Response[str]:
    """A destination with its secret, which is sent once."""
    body = record_json(destination) | ({"secret": secret} if secret else {})
    headers = {"ETag": DESTINATIONS.etag(destination), "Cache-Control": "no-store"}
    return answer(body, 201 if new else 200, headers)


def _destinations(request: TenantRequest) -> Destinations:
    return Destinations(request.store, request.secrets, request.tenant)
