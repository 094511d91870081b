"""Schemas of the admin API's bodies and answers."""

from collections.abc import Iterable
from typing import Any

from lambdas.forms.destinations.settings import SETTINGS
from lambdas.forms.submission.listing import LISTED, SHOWN_FIELDS
from lambdas.forms.tenants import configuration as tenants
from lambdas.forms.tenants import destinations, domains
from lambdas.forms.tenants.signing_secrets import SHOWN
from lambdas.forms.tenants.versions import VERSION
from lambdas.http.openapi import Json, list_of, object_of, only, page_of, ref
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import Destination, DomainClaim, TenantConfig, TenantSecret
from tablewright.model import Entity, Field

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_COUNTS = {"type": "object", "additionalProperties": _COUNT}
_ONCE = {"type": "string", "minLength": 43, "description": "Told once: keep it"}


def schemas() -> Json:
    return {**_tenants(), **_destinations(), **_submissions(), **_secrets(), **_metrics()}


def _tenants() -> Json:
    change = _forms(_changes(TenantConfig, (*tenants.CHANGEABLE, *tenants.OPERATORS_ONLY)))
    domain = _whole(_of(DomainClaim, domains.SHOWN))
    domain["properties"]["record"] = only({"type": {"const": "TXT"}, "name": _TEXT, "value": _TEXT})
    domain["required"].append("record")
    listed = _whole((TenantConfig.tenant_id, TenantConfig.state))
    return {
        "Config": _whole(TenantConfig.__entity__.fields),
        "TenantPage": page_of(listed, cursor="next_cursor"),
        "NewTenant": _forms(_whole(_of(TenantConfig, tenants.GIVEN), nullable=True)),
        "ConfigChange": change,
        "Domain": domain,
        "DomainPage": _page("Domain"),
        "NewDomain": only({"domain": _TEXT}),
    }


def _destinations() -> Json:
    whole = _whole(Destination.__entity__.fields)
    made = {**whole, "properties": {**whole["properties"], "secret": _ONCE}}
    shown = {"oneOf": [_settings(kind) for kind in SETTINGS]}
    new = _whole(_of(Destination, destinations.GIVEN), nullable=True)
    new["required"].remove("state")
    new["properties"]["state"]["default"] = "active"
    del new["properties"]["settings"]
    del new["additionalProperties"]
    kinds: list[Json] = [
        {
            "properties": {"destination_type": {"const": kind}, "settings": _settings(kind)},
            "required": ["settings"],
        }
        for kind in SETTINGS
    ]
    change = _changes(Destination, destinations.CHANGEABLE)
    # What a bus and an address must be given may look alike.
    change["properties"]["settings"] = {"anyOf": shown["oneOf"]}
    return {
        "Destination": whole,
        "DestinationPage": _page("Destination"),
        "MadeDestination": made,
        "NewDestination": {**new, "oneOf": kinds, "unevaluatedProperties": False},
        "DestinationChange": change,
        "Enqueued": only(
            {
                "submission_id": Submission.submission_id.schema(),
                "attempts": list_of(
                    only(
                        {
                            "destination_id": DeliveryAttempt.destination_id.schema(),
                            "attempt": DeliveryAttempt.attempt_num.schema(),
                        }
                    )
                ),
            }
        ),
    }


def _submissions() -> Json:
    submission = _whole(SHOWN_FIELDS)
    payload: Json = {
        "payload": {"description": "As it was sent, where it is JSON"},
        "payload_text": {**_TEXT, "description": "Where it is text and no JSON"},
        "payload_base64": {**_TEXT, "contentEncoding": "base64"},
        "payload_url": {**_TEXT, "description": "Where to get one that is too large for an answer"},
    }
    submission["properties"] |= payload
    submission["properties"]["payload_url_expires_in"] = {
        "type": "integer",
        "description": "Seconds",
    }
    given = [{"required": [name]} for name in payload]
    attempt = [f for f in DeliveryAttempt.__entity__.fields if f.name != "tenant_id"]
    return {
        "Submission": {**submission, "oneOf": given},
        "Listed": _whole(_of(Submission, LISTED)),
        "ListedPage": _page("Listed"),
        "Attempt": _whole((DeliveryAttempt.tenant_id, *attempt)),
        "AttemptPage": _page("Attempt"),
        "Redelivery": object_of(_of(DeliveryAttempt, ("destination_id",)), []),
    }


def _secrets() -> Json:
    whole = _whole(_of(TenantSecret, SHOWN))
    made = {**whole, "properties": {**whole["properties"], "secret": _ONCE}}
    return {
        "Secret": whole,
        "SecretPage": _page("Secret"),
        "MadeSecret": {**made, "required": [*whole["required"], "secret"]},
    }


def _metrics() -> Json:
    dashboard = {
        "total_submissions": _COUNT,
        "daily_breakdown": _COUNTS,
        "form_statistics": _COUNTS,
        "bytes_sent": _COUNT,
        "bytes_stored": _COUNT,
        "compression_ratio": {"type": ["number", "null"]},
        "period": _TEXT,
    }
    day = ("tenant_id", "date", "submission_count", "delivery_count", "error_count")
    return {
        "Metrics": {"type": "object", "properties": dashboard, "required": list(dashboard)},
        "TenantDay": _whole(_of(DailyMetrics, day)),
        "TenantDayPage": _page("TenantDay"),
    }


def _of(entity: type[Entity], names: Iterable[str]) -> list[Field[Any]]:
    return [entity.__entity__.by_name[name] for name in names]


def _whole(fields: Iterable[Field[Any]], *, nullable: bool = False) -> Json:
    fields = list(fields)
    needed = [field.label for field in fields if not field.optional]
    return object_of(fields, needed, nullable=nullable)


def _changes(entity: type[Entity], names: Iterable[str]) -> Json:
    shape = object_of(_of(entity, names), [], nullable=True)
    shape["properties"][VERSION] = {
        **entity.__entity__.by_name[VERSION].schema(),
        "description": "Of what was read, in place of If-Match",
    }
    return {**shape, "minProperties": 1}


def _forms(shape: Json) -> Json:
    form = {
        name: {
            **list_of(tenants.LISTED[name].schema(), maxItems=tenants.MOST_DESTINATIONS),
            "uniqueItems": True,
        }
        for name in tenants.FORM_SETTINGS
    }
    settings = {"type": "object", "properties": form, "additionalProperties": False}
    shape["properties"]["forms"]["additionalProperties"] = settings
    return shape


def _settings(kind: str) -> Json:
    known = SETTINGS[kind]
    return {
        "type": "object",
        "properties": {name: setting.schema for name, setting in known.items()},
        "required": [name for name, setting in known.items() if setting.required],
        "additionalProperties": False,
    }


def _page(schema: str) -> Json:
    return page_of(ref(schema), cursor="next_cursor")
