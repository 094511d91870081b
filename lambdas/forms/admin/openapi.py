"""OpenAPI document of the admin API; field types come from the table design."""

from collections.abc import Iterable
from typing import Any

from lambdas.contract import Route
from lambdas.forms import contract
from lambdas.forms.admin.openapi_schemas import schemas
from lambdas.forms.admin.requests import OPERATORS, TENANT
from lambdas.forms.contract import ADMIN_ROUTES
from lambdas.forms.metrics.aggregation import DAYS_BACK, MOST_DAYS_BACK
from lambdas.http import openapi
from lambdas.http.openapi import Json, json_of, operation, paging, paths_of, query
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import Destination, TenantConfig, TenantSecret
from tablewright.model import Field

_OPERATORS = f"; for members of the group '{OPERATORS}'"
_FOR = {
    **query(TENANT.name, TENANT.schema()),
    "description": f"The tenant to act for, when the caller is one of the '{OPERATORS}'; "
    "by default the tenant of the token",
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The ETag of what was read; or give its `updated_at` in the body",
}
_STALE = (404, 409, 412, 428)
_RANGE = [
    query(name, {"type": "string", "format": "date-time", "description": "ISO 8601, included"})
    for name in ("since", "until")
]


def document() -> Json:
    operations = {
        **_tenants(),
        **_domains(),
        **_destinations(),
        **_submissions(),
        **_secrets(),
        **_metrics(),
        contract.OPENAPI: openapi.this_document(),
    }
    paths = paths_of(ADMIN_ROUTES, operations)
    return openapi.document("Forms: administration", paths, schemas())


def _tenants() -> dict[Route, Json]:
    config = json_of("Config")
    return {
        contract.LIST_TENANTS: operation(
            "list_tenants",
            "Tenants of a state" + _OPERATORS,
            {200: json_of("TenantPage")},
            parameters=[query("state", TenantConfig.state.schema()), *paging()],
        ),
        contract.CREATE_TENANT: operation(
            "create_tenant",
            "Store a new tenant" + _OPERATORS,
            {201: config, 200: config},
            body="NewTenant",
            fails=(409,),
        ),
        contract.GET_CONFIG: _of_tenant(
            "get_config", "A tenant's configuration", {200: config}, fails=(404,)
        ),
        contract.CHANGE_CONFIG: _of_tenant(
            "change_config",
            "Change a tenant's configuration",
            {200: config},
            body="ConfigChange",
            fails=_STALE,
            parameters=[_IF_MATCH],
        ),
    }


def _domains() -> dict[Route, Json]:
    domain = json_of("Domain")
    name = _path("domain", {"type": "string"})
    return {
        contract.LIST_DOMAINS: _of_tenant(
            "list_domains", "A tenant's domains", {200: json_of("DomainPage")}, parameters=paging()
        ),
        contract.CLAIM_DOMAIN: _of_tenant(
            "claim_domain",
            "Claim a domain, which is used once its record is published",
            {201: domain, 200: domain},
            body="NewDomain",
            fails=(404, 409),
        ),
        contract.GIVE_UP_DOMAIN: _of_tenant(
            "give_up_domain", "Give a domain up", {204: None}, parameters=[name]
        ),
        contract.VERIFY_DOMAIN: _of_tenant(
            "verify_domain",
            "Look for the record of a domain at once",
            {200: domain},
            fails=(404, 429),
            parameters=[name],
        ),
    }


def _destinations() -> dict[Route, Json]:
    destination, made = json_of("Destination"), json_of("MadeDestination")
    id = _id(Destination.destination_id)
    kind = query("type", Destination.destination_type.schema())
    status = query("status", DeliveryAttempt.status.schema())
    return {
        contract.LIST_DESTINATIONS: _of_tenant(
            "list_destinations",
            "A tenant's destinations, by id, or those of a type, oldest first",
            {200: json_of("DestinationPage")},
            parameters=[kind, *paging()],
        ),
        contract.CREATE_DESTINATION: _of_tenant(
            "create_destination",
            "Store a new destination",
            {201: made, 200: made},
            body="NewDestination",
            fails=(404, 409),
        ),
        contract.GET_DESTINATION: _of_tenant(
            "get_destination",
            "Read a destination",
            {200: destination},
            fails=(404,),
            parameters=[id],
        ),
        contract.CHANGE_DESTINATION: _of_tenant(
            "change_destination",
            "Change or disable a destination",
            {200: destination},
            body="DestinationChange",
            fails=_STALE,
            parameters=[id, _IF_MATCH],
        ),
        contract.DELETE_DESTINATION: _of_tenant(
            "delete_destination", "Remove a destination", {204: None}, parameters=[id]
        ),
        contract.ROTATE_HOOK_SECRET: {
            **_of_tenant(
                "rotate_hook_secret",
                "Make a new secret for a webhook",
                {201: made, 200: made},
                fails=(404, 409),
                parameters=[id],
            ),
            "description": "For a day requests carry the signatures of both, separated by a "
            "comma; then of the new one alone. The value is told once; repeated within ten "
            "minutes, the request gives the same one again.",
        },
        contract.TEST_DESTINATION: _of_tenant(
            "test_destination",
            "Deliver something made up, once",
            {202: json_of("Enqueued")},
            fails=(404, 409),
            parameters=[id],
        ),
        contract.DESTINATION_ATTEMPTS: _of_tenant(
            "destination_attempts",
            "Attempts at a destination: of one status newest first, or status by status",
            {200: json_of("AttemptPage")},
            parameters=[id, status, *_RANGE, *paging()],
        ),
    }


def _submissions() -> dict[Route, Json]:
    id = _id(Submission.submission_id)
    fields = [query(one.name, one.schema()) for one in (Submission.status, Submission.form_id)]
    redeliver = _of_tenant(
        "redeliver",
        "Deliver a submission again: to a destination, or to all that have not taken it",
        {202: json_of("Enqueued")},
        body="Redelivery",
        fails=(404, 409),
        parameters=[id],
    )
    redeliver["requestBody"]["required"] = False
    return {
        contract.LIST_SUBMISSIONS: _of_tenant(
            "list_submissions",
            "Submissions, newest first",
            {200: json_of("ListedPage")},
            parameters=[*fields, *_RANGE, *paging()],
        ),
        contract.GET_SUBMISSION: _of_tenant(
            "get_submission",
            "Read a submission with its payload",
            {200: json_of("Submission")},
            fails=(404,),
            parameters=[id],
        ),
        contract.SUBMISSION_ATTEMPTS: _of_tenant(
            "submission_attempts",
            "The attempts to deliver a submission, by destination, in order",
            {200: json_of("AttemptPage")},
            parameters=[id, *paging()],
        ),
        contract.REDELIVER: redeliver,
    }


def _secrets() -> dict[Route, Json]:
    made = json_of("MadeSecret")
    return {
        contract.LIST_SECRETS: {
            **_of_tenant(
                "list_secrets",
                "A tenant's secrets",
                {200: json_of("SecretPage")},
                parameters=paging(),
            ),
            "description": "Never their values.",
        },
        contract.ROTATE_SECRET: {
            **_of_tenant(
                "rotate_secret", "Make a new secret", {201: made, 200: made}, fails=(404, 409)
            ),
            "description": "The one before it stays usable as the previous one; what was the "
            "previous one is revoked. The value is told once; repeated within ten minutes, "
            "the request gives the same one again. To replace it sooner, revoke it first.",
        },
        contract.REVOKE_SECRET: _of_tenant(
            "revoke_secret",
            "Revoke a secret at once",
            {204: None},
            parameters=[_id(TenantSecret.key_id)],
        ),
    }


def _metrics() -> dict[Route, Json]:
    days_back = {"type": "integer", "minimum": 0, "maximum": MOST_DAYS_BACK, "default": DAYS_BACK}
    date = query("date", DailyMetrics.date.schema())
    return {
        contract.METRICS: _of_tenant(
            "metrics",
            "A tenant's counts by day",
            {200: json_of("Metrics")},
            parameters=[query("days_back", days_back)],
        ),
        contract.TENANTS_METRICS: operation(
            "tenants_metrics",
            "The counts of all tenants on a day" + _OPERATORS,
            {200: json_of("TenantDayPage")},
            parameters=[{**date, "description": "When absent: today, in UTC"}, *paging()],
        ),
    }


def _of_tenant(
    name: str,
    summary: str,
    good: dict[int, Json | None],
    *,
    parameters: Iterable[Json] = (),
    **more: Any,
) -> Json:
    """An operation for the caller's tenant, or for the one that an operator names."""
    return operation(name, summary, good, parameters=[*parameters, _FOR], **more)


def _id(field: Field[Any]) -> Json:
    return _path(field.name, field.schema())


def _path(name: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema}
