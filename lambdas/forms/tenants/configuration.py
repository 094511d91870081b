"""Configuration of a tenant: its forms, where they go, its limits."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lambdas.errors import Errors, InvalidRequest, NotAllowed
from lambdas.forms.delivery.fan_out import routed
from lambdas.forms.tenants.changes import RecordChange
from lambdas.http.bodies import changes, new_record, pointer
from lambdas.http.versions import Version
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import named_id
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.model import InvalidValue, Prose
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, NotFound
from tablewright.runtime.store.store import Store

CHANGEABLE = ("name", "forms", "retention_days", "oldest_signature")
# A tenant that could change these would be let in again, or not be held back.
OPERATORS_ONLY = ("state", "requests_per_minute")
GIVEN = ("tenant_id", *CHANGEABLE, "requests_per_minute")
FORM_SETTINGS = ("destinations", "honeypot")
MOST_DESTINATIONS = 50
# Each is counted by itself in the tenant's counts of a day, which are one item.
MOST_FORMS = 500

_FORM = named_id().named("form_id")
LISTED = {
    "destinations": named_id().named("destination_id"),
    "honeypot": Prose(max_length=128).named("field"),
}


def tenant_from(body: Any, now: datetime) -> TenantConfig:
    """A new tenant from a request's body; raises RequestError."""
    moment = iso_utc(now)
    ours = {"state": "active", "created_at": moment, "updated_at": moment}
    return new_record(TenantConfig, body, GIVEN, ours, check_forms)


class Configuration:
    """The configuration of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._key = {"tenant_id": tenant}

    def create(self, tenant: TenantConfig) -> tuple[TenantConfig, bool]:
        """Store a new tenant; gives it and whether it is new. Repeating this changes nothing."""
        self._check_routes(tenant, {})
        try:
            return self._store.put(Forms.put_config, tenant), True
        except AlreadyExists as error:
            there = error.current
            if there is None or any(there.get(name) != tenant.get(name) for name in GIVEN):
                raise
            return there, False

    def one(self) -> TenantConfig:
        config = self._store.get(Forms.get_config, self._key)
        if config is None:
            raise NotFound(f"there is no tenant '{self._key['tenant_id']}'")
        return config

    def change(self, body: Any, version: Version, now: datetime, *, operator: bool) -> TenantConfig:
        theirs = (*CHANGEABLE, *OPERATORS_ONLY)
        change = changes(TenantConfig, body, theirs, check_forms)
        forbidden = [(pointer(n), "may be changed by operators only") for n in OPERATORS_ONLY]
        forbidden = [(at, why) for at, why in forbidden if at[1:] in change]
        if forbidden and not operator:
            raise NotAllowed("The change is not allowed; nothing was stored.", forbidden)

        def decide(before: TenantConfig) -> Mapping[str, Any]:
            self._check_routes(change, before)
            return change

        return RecordChange(self._store, Forms.get_config, Forms.update_config, self._key).apply(
            version, now, decide
        )

    def _check_routes(self, given: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """Refuse routes to destinations that there are not. One that was removed since may stay in
        its route: what else is changed does not depend on it."""
        routed = {id for ids in _routes(before).values() for id in ids}
        new = {form: set(ids) - routed for form, ids in _routes(given).items()}
        if not any(new.values()):
            return
        known = {one.destination_id for one in self._store.each(Forms.destinations, self._key)}
        errors = [
            (
                pointer("forms", form, "destinations"),
                f"must name destinations that there are, not {', '.join(sorted(ids - known))}",
            )
            for form, ids in new.items()
            if ids - known
        ]
        if errors:
            raise InvalidRequest("The body is not valid; nothing was stored.", errors)


def _routes(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """The destinations of each form."""
    return {form: routed(config, form) for form in config.get("forms") or {}}


def check_forms(values: Mapping[str, Any]) -> Errors:
    """What is wrong with the routing of forms: ``{form_id: {"destinations": [...]}}``."""
    forms = values.get("forms")
    if not isinstance(forms, dict):
        return []  # its own field says so
    errors: Errors = []
    if len(forms) > MOST_FORMS:
        errors.append((pointer("forms"), f"must have at most {MOST_FORMS} forms"))
    for form_id, settings in forms.items():
        at = pointer("forms", str(form_id))
        try:
            _FORM.check(form_id)
        except InvalidValue as problem:
            errors.append((at, f"as a form's id {problem.reason}"))
        if not isinstance(settings, dict):
            errors.append((at, "must be an object"))
            continue
        for name, value in settings.items():
            reason = _wrong(name, value)
            errors += [(at + pointer(name), reason)] if reason else []
    return errors


def _wrong(name: str, value: Any) -> str | None:
    if name not in FORM_SETTINGS:
        return f"is not one of {', '.join(FORM_SETTINGS)}"
    if not isinstance(value, list) or len(value) > MOST_DESTINATIONS:
        return f"must be a list of at most {MOST_DESTINATIONS} texts"
    try:
        texts = [LISTED[name].check(one) for one in value]
    except InvalidValue as problem:
        return f"has an entry that {problem.reason}"
    return "has the same entry twice" if len(set(texts)) < len(texts) else None
