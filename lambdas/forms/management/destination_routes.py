"""Routes of destinations: where submissions go, and how that went."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import access
from lambdas.forms.management.asking import PAGING, Asked, listed
from lambdas.forms.management.destinations import Destinations
from lambdas.forms.management.submission_routes import enqueued
from lambdas.forms.management.submissions import Submissions
from lambdas.forms.management.tenants import Configuration
from lambdas.forms.management.versions import DESTINATIONS
from lambdas.forms.messages import Delivery
from lambdas.http.answers import answer, record_json
from lambdas.http.requests import choice, json_body
from tablewright.catalog.forms.submissions import ATTEMPT, ATTEMPT_STATUSES
from tablewright.catalog.forms.tenants import DESTINATION, DESTINATION_TYPES
from tablewright.model import Record
from tablewright.model.fields.scalars import timestamp

logger = Logger()
router = Router()  # type: ignore[no-untyped-call]
_ONE = "/destinations/<destination_id>"


@router.get("/destinations")
def list_destinations() -> Response[str]:
    asked = Asked(router.current_event, "type", *PAGING)
    kind = asked.given.get("type")
    if kind is not None:
        kind = choice("type", kind, DESTINATION_TYPES)
    return listed(DESTINATION, _destinations(asked).page(kind, **asked.paging))


@router.post("/destinations")
def create_destination() -> Response[str]:
    asked = Asked(router.current_event)
    body = json_body(router.current_event)
    Configuration(asked.store, asked.tenant).one()
    made, new, secret = _destinations(asked).create(body, access.current().now())
    logger.info(
        "destination stored",
        tenant_id=asked.tenant,
        destination_id=made["destination_id"],
        new=new,
    )
    return _made(made, new, secret)


@router.get(_ONE)
def get_destination(destination_id: str) -> Response[str]:
    return DESTINATIONS.tagged(_destinations(Asked(router.current_event)).one(destination_id))


@router.patch(_ONE)
def change_destination(destination_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    body = json_body(router.current_event)
    version = DESTINATIONS.named_in(router.current_event, body)
    now = access.current().now()
    changed = _destinations(asked).change(destination_id, body, version, now)
    logger.info("destination changed", tenant_id=asked.tenant, destination_id=destination_id)
    return DESTINATIONS.tagged(changed)


@router.delete(_ONE)
def delete_destination(destination_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    _destinations(asked).remove(destination_id)
    logger.info("destination removed", tenant_id=asked.tenant, destination_id=destination_id)
    return Response(204)


@router.post(f"{_ONE}/secret")
def rotate_hook_secret(destination_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    made, new, secret = _destinations(asked).rotate(destination_id, access.current().now())
    logger.info(
        "hook secret rotated", tenant_id=asked.tenant, destination_id=destination_id, new=new
    )
    return _made(made, new, secret)


@router.post(f"{_ONE}/test")
def test_destination(destination_id: str) -> Response[str]:
    asked = Asked(router.current_event)
    _destinations(asked).active(destination_id)
    now = access.current().now()
    submission_id = Submissions(asked.store, asked.tenant).make_test(now)
    first = Delivery(asked.tenant, submission_id, destination_id, 1, timestamp(now))
    access.current().deliveries.send([first])
    logger.info("test asked for", tenant_id=asked.tenant, destination_id=destination_id)
    return enqueued([first])


@router.get(f"{_ONE}/attempts")
def destination_attempts(destination_id: str) -> Response[str]:
    asked = Asked(router.current_event, "status", "since", "until", *PAGING)
    status = asked.given.get("status")
    page = _destinations(asked).attempts(
        destination_id,
        choice("status", status, ATTEMPT_STATUSES) if status is not None else None,
        since=asked.given.get("since"),
        until=asked.given.get("until"),
        **asked.paging,
    )
    return listed(ATTEMPT, page)


def _made(destination: Record, new: bool, secret: str | None) -> Response[str]:
    """A destination with its secret, which is told once."""
    told = record_json(DESTINATION, destination) | ({"secret": secret} if secret else {})
    headers = {"ETag": DESTINATIONS.etag(destination), "Cache-Control": "no-store"}
    return answer(told, 201 if new else 200, headers)


def _destinations(asked: Asked) -> Destinations:
    return Destinations(asked.store, asked.secrets, asked.tenant)
