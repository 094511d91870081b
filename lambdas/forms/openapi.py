"""The admin API's OpenAPI document; field types come from the table design."""

from lambdas.forms.dashboard import DAYS_BACK, MOST_DAYS_BACK
from lambdas.forms.management.asking import OPERATORS, TENANT
from lambdas.forms.openapi_schemas import schemas
from lambdas.http import openapi
from lambdas.http.openapi import Json, json_of, operation, paging, query
from tablewright.catalog.forms.metrics import DAILY
from tablewright.catalog.forms.submissions import ATTEMPT, SUBMISSION
from tablewright.catalog.forms.tenants import CONFIG, DESTINATION, SECRET

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
    query(name, SUBMISSION.by_name["timestamp"].schema() | {"description": "Included"})
    for name in ("since", "until")
]


def document() -> Json:
    return openapi.document("Forms: administration", _paths(), schemas())


def _paths() -> Json:
    return {**_tenants(), **_destinations(), **_submissions(), **_secrets(), **_metrics()}


def _tenants() -> Json:
    config, domain = json_of("Config"), json_of("Domain")
    return {
        "/tenants": {
            "get": {
                **operation(
                    "list_tenants", "Tenants of a state" + _OPERATORS, {200: json_of("TenantPage")}
                ),
                "parameters": [query("state", CONFIG.by_name["state"].schema()), *paging()],
            },
            "post": operation(
                "create_tenant",
                "Store a new tenant" + _OPERATORS,
                {201: config, 200: config},
                body="NewTenant",
                fails=(409,),
            ),
        },
        "/config": {
            "get": operation("get_config", "A tenant's configuration", {200: config}, fails=(404,)),
            "patch": {
                **operation(
                    "change_config",
                    "Change a tenant's configuration",
                    {200: config},
                    body="ConfigChange",
                    fails=_STALE,
                ),
                "parameters": [_IF_MATCH],
            },
            "parameters": [_FOR],
        },
        "/domains": {
            "get": {
                **operation("list_domains", "A tenant's domains", {200: json_of("DomainPage")}),
                "parameters": paging(),
            },
            "post": operation(
                "claim_domain",
                "Claim a domain, which is used once its record is published",
                {201: domain, 200: domain},
                body="NewDomain",
                fails=(404, 409),
            ),
            "parameters": [_FOR],
        },
        "/domains/{domain}": {
            "delete": operation("give_up_domain", "Give a domain up", {204: None}),
            "parameters": [_path("domain", {"type": "string"}), _FOR],
        },
        "/domains/{domain}/verify": {
            "post": operation(
                "verify_domain",
                "Look for the record of a domain at once",
                {200: domain},
                fails=(404, 429),
            ),
            "parameters": [_path("domain", {"type": "string"}), _FOR],
        },
    }


def _destinations() -> Json:
    destination, made = json_of("Destination"), json_of("MadeDestination")
    id = _path("destination_id", DESTINATION.by_name["destination_id"].schema())
    kind = query("type", DESTINATION.by_name["destination_type"].schema())
    status = query("status", ATTEMPT.by_name["status"].schema())
    return {
        "/destinations": {
            "get": {
                **operation(
                    "list_destinations",
                    "A tenant's destinations, by id, or those of a type, oldest first",
                    {200: json_of("DestinationPage")},
                ),
                "parameters": [kind, *paging()],
            },
            "post": operation(
                "create_destination",
                "Store a new destination",
                {201: made, 200: made},
                body="NewDestination",
                fails=(404, 409),
            ),
            "parameters": [_FOR],
        },
        "/destinations/{destination_id}": {
            "get": operation(
                "get_destination", "Read a destination", {200: destination}, fails=(404,)
            ),
            "patch": {
                **operation(
                    "change_destination",
                    "Change or disable a destination",
                    {200: destination},
                    body="DestinationChange",
                    fails=_STALE,
                ),
                "parameters": [_IF_MATCH],
            },
            "delete": operation("delete_destination", "Remove a destination", {204: None}),
            "parameters": [id, _FOR],
        },
        "/destinations/{destination_id}/secret": {
            "post": {
                **operation(
                    "rotate_hook_secret",
                    "Make a new secret for a webhook",
                    {201: made, 200: made},
                    fails=(404, 409),
                ),
                "description": "For a day requests carry the signatures of both, separated by a "
                "comma; then of the new one alone. The value is told once; repeated within ten "
                "minutes, the request gives the same one again.",
            },
            "parameters": [id, _FOR],
        },
        "/destinations/{destination_id}/test": {
            "post": operation(
                "test_destination",
                "Deliver something made up, once",
                {202: json_of("Enqueued")},
                fails=(404, 409),
            ),
            "parameters": [id, _FOR],
        },
        "/destinations/{destination_id}/attempts": {
            "get": {
                **operation(
                    "destination_attempts",
                    "Attempts at a destination: of one status newest first, or status by status",
                    {200: json_of("AttemptPage")},
                ),
                "parameters": [status, *_RANGE, *paging()],
            },
            "parameters": [id, _FOR],
        },
    }


def _submissions() -> Json:
    id = _path("submission_id", SUBMISSION.by_name["submission_id"].schema())
    fields = [query(name, SUBMISSION.by_name[name].schema()) for name in ("status", "form_id")]
    redeliver = operation(
        "redeliver",
        "Deliver a submission again: to a destination, or to all that have not taken it",
        {202: json_of("Enqueued")},
        body="Redelivery",
        fails=(404, 409),
    )
    redeliver["requestBody"]["required"] = False
    return {
        "/submissions": {
            "get": {
                **operation(
                    "list_submissions", "Submissions, newest first", {200: json_of("ListedPage")}
                ),
                "parameters": [*fields, *_RANGE, *paging()],
            },
            "parameters": [_FOR],
        },
        "/submissions/{submission_id}": {
            "get": operation(
                "get_submission",
                "Read a submission with its payload",
                {200: json_of("Submission")},
                fails=(404,),
            ),
            "parameters": [id, _FOR],
        },
        "/submissions/{submission_id}/attempts": {
            "get": {
                **operation(
                    "submission_attempts",
                    "The attempts to deliver a submission, by destination, in order",
                    {200: json_of("AttemptPage")},
                ),
                "parameters": paging(),
            },
            "parameters": [id, _FOR],
        },
        "/submissions/{submission_id}/redeliver": {"post": redeliver, "parameters": [id, _FOR]},
    }


def _secrets() -> Json:
    made = json_of("MadeSecret")
    return {
        "/secrets": {
            "get": {
                **operation("list_secrets", "A tenant's secrets", {200: json_of("SecretPage")}),
                "description": "Never their values.",
                "parameters": paging(),
            },
            "post": {
                **operation(
                    "rotate_secret",
                    "Make a new secret",
                    {201: made, 200: made},
                    fails=(404, 409),
                ),
                "description": "The one before it stays usable as the previous one; what was the "
                "previous one is revoked. The value is told once; repeated within ten minutes, "
                "the request gives the same one again. To replace it sooner, revoke it first.",
            },
            "parameters": [_FOR],
        },
        "/secrets/{key_id}": {
            "delete": operation("revoke_secret", "Revoke a secret at once", {204: None}),
            "parameters": [_path("key_id", SECRET.by_name["key_id"].schema()), _FOR],
        },
    }


def _metrics() -> Json:
    days = {
        "type": "integer",
        "minimum": 1,
        "maximum": MOST_DAYS_BACK,
        "default": DAYS_BACK,
    }
    return {
        "/metrics": {
            "get": {
                **operation("metrics", "A tenant's counts by day", {200: json_of("Metrics")}),
                "parameters": [query("days", days), _FOR],
            },
        },
        "/metrics/tenants": {
            "get": {
                **operation(
                    "tenants_metrics",
                    "The counts of all tenants on a day" + _OPERATORS,
                    {200: json_of("TenantDayPage")},
                ),
                "parameters": [
                    {
                        **query("date", DAILY.by_name["date"].schema()),
                        "description": "When absent: today, in UTC",
                    },
                    *paging(),
                ],
            },
        },
        "/openapi.json": {"get": openapi.this_document()},
    }


def _path(name: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema}
