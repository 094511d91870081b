"""Where a tenant's submissions are delivered to.

Requests to a webhook are signed with a secret of its own, which is made with it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.forms import breaker
from lambdas.forms.management.secret_values import REPEATABLE, SecretValues
from lambdas.forms.management.settings import SETTINGS, check_settings
from lambdas.forms.management.versions import Change, stored
from lambdas.http.given import Errors, changes, new_record
from lambdas.http.problems import Problem
from lambdas.http.versions import Version
from tablewright.designs import Record
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_tenants import DESTINATION
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store

CHANGEABLE = ("state", "name", "settings")
DECISIVE = ("state", "settings")
GIVEN = ("destination_id", "destination_type", *CHANGEABLE)
# By which the secret of a webhook is found; not for clients to give.
KEY_ID = "key_id"
_HOOK = "hook:"
LONGEST_HOOK = 64 - len(_HOOK)


class Made(NamedTuple):
    """A destination, whether it is new, and the secret that its requests are signed with."""

    destination: Record
    new: bool
    secret: str | None = None


class Destinations:
    """The destinations of one tenant."""

    def __init__(self, store: Store, values: SecretValues, tenant: str) -> None:
        self._store = store
        self._values = values
        self._tenant = tenant

    def create(self, body: Any, now: datetime) -> Made:
        """Store a new destination. Repeating this changes nothing."""
        moment = timestamp(now)
        ours = {"tenant_id": self._tenant, "created_at": moment, "updated_at": moment}
        if isinstance(body, dict):
            body = {"state": "active", **body}
        record = _signed(new_record(DESTINATION, body, GIVEN, ours, _check))
        there = self._there(record)
        if there is None:
            value = self._secret(record)  # before it is used
            try:
                return Made(self._store.put(FORMS.put_destination, record), True, value)
            except AlreadyExists:
                there = self._there(record)
        if there is None:
            raise Conflict("the destination is being removed by somebody else")
        lately = now - datetime.fromisoformat(there["created_at"]) < REPEATABLE
        return Made(there, False, self._secret(there) if lately else None)

    def _there(self, record: Record) -> Record | None:
        """What is stored already, if it is the same."""
        key = self._key(record["destination_id"])
        there = stored(self._store, FORMS.update_destination, key)
        if there and any(there.get(name) != record.get(name) for name in GIVEN):
            raise AlreadyExists("Destination with this key exists already")
        return there

    def _secret(self, record: Record) -> str | None:
        key_id = record["settings"].get(KEY_ID)
        return self._values.kept(self._tenant, key_id).value if key_id else None

    def one(self, destination_id: str) -> Record:
        found = self._store.get(FORMS.get_destination, self._key(destination_id))
        if found is None:
            raise NotFound("no Destination has this key")
        return found

    def active(self, destination_id: str) -> Record:
        """A destination that something can be sent to."""
        found = self.one(destination_id)
        if found["state"] != "active":
            raise Problem(409, f"The destination '{destination_id}' is disabled.")
        return found

    def change(self, destination_id: str, body: Any, version: Version, now: datetime) -> Record:
        change = changes(DESTINATION, body, CHANGEABLE, lambda _: [])

        def decide(before: Record) -> Mapping[str, Any]:
            kind = before["destination_type"]
            errors = check_settings(kind, change["settings"]) if "settings" in change else []
            if errors:
                raise Problem(400, "The body is not valid; nothing was stored.", errors)
            whole = _signed({**before, **change})
            decided = {name: whole.get(name) for name in change}
            # What failed at the old address says nothing about the new one.
            other = any(decided.get(name, before[name]) != before[name] for name in DECISIVE)
            return {**decided, **(dict.fromkeys(breaker.KEPT) if other else {})}

        key = self._key(destination_id)
        return Change(self._store, FORMS.update_destination, key).apply(version, now, decide)

    def remove(self, destination_id: str) -> None:
        self._store.delete(FORMS.delete_destination, self._key(destination_id))
        # Of any type: whoever repeats this can no longer tell of which it was.
        self._values.destroy(self._tenant, _key_id(destination_id))

    def page(self, kind: str | None, **paging: Any) -> Page:
        where = {"tenant_id": self._tenant}
        if kind is None:
            return self._store.query(FORMS.destinations, where, **paging)
        of_type = {**where, "destination_type": kind}
        return self._store.query(FORMS.destinations_by_type, of_type, **paging)

    def attempts(self, destination_id: str, status: str | None, **asked: Any) -> Page:
        """Attempts to deliver to a destination: of one status by time, or status by status."""
        where = {**self._key(destination_id), **({"status": status} if status else {})}
        return self._store.query(FORMS.destination_attempts, where, **asked)

    def _key(self, destination_id: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "destination_id": destination_id}


def _key_id(destination_id: str) -> str:
    # No key of the tenant's own is called so.
    return f"{_HOOK}{destination_id}"


def _signed(destination: Record) -> Record:
    """The destination with the id of its secret, if it is of a type that has one."""
    if destination["destination_type"] != "webhook":
        return destination
    key_id = _key_id(destination["destination_id"])
    return {**destination, "settings": {**destination["settings"], KEY_ID: key_id}}


def _check(values: Mapping[str, Any]) -> Errors:
    kind, settings = values.get("destination_type"), values.get("settings")
    if not isinstance(kind, str) or kind not in SETTINGS or not isinstance(settings, dict):
        return []  # their own fields say so
    errors = check_settings(kind, settings)
    id = values.get("destination_id")
    if kind == "webhook" and isinstance(id, str) and len(id) > LONGEST_HOOK:
        errors.append(("/destination_id", f"must have at most {LONGEST_HOOK} characters"))
    return errors
