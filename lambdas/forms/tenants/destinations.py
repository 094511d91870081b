"""Destinations of a tenant: where its submissions are delivered to.

Requests to a webhook are signed with a secret of its own. Each secret has an id that no other ever
has, so that whoever remembers its value remembers the right one. The id is stored before the value
is made: nothing is kept that no destination knows of.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from lambdas.errors import Errors, InvalidRequest, RequestConflict
from lambdas.forms.delivery import breaker
from lambdas.forms.destinations.settings import SETTINGS, check_settings
from lambdas.forms.tenants.changes import RecordChange
from lambdas.forms.tenants.secrets import REPEATABLE, SecretStore
from lambdas.forms.tenants.versions import VERSION, next_version
from lambdas.http.bodies import changes, new_record, pointer
from lambdas.http.versions import Version
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt
from tablewright.catalog.forms.tenants import Destination
from tablewright.model import replaced
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

CHANGEABLE = ("state", "name", "settings")
DECISIVE = ("state", "settings")
GIVEN = ("destination_id", "destination_type", *CHANGEABLE)
# Each is counted by itself, and a day's counts are one item.
MOST_DESTINATIONS = 200
# How long requests carry the signature of the secret before as well, when it is rotated.
OVERLAP = timedelta(days=1)
_TRIES = 3


class Made(NamedTuple):
    """A destination, whether it is new, and the secret that its requests are signed with."""

    destination: Destination
    new: bool
    secret: str | None = None


class Destinations:
    """The destinations of one tenant."""

    def __init__(self, store: Store, values: SecretStore, tenant: str) -> None:
        self._store = store
        self._values = values
        self._tenant = tenant

    def create(self, body: Any, now: datetime) -> Made:
        """Store a new destination. Repeating this changes nothing."""
        moment = iso_utc(now)
        ours = {"tenant_id": self._tenant, "created_at": moment, "updated_at": moment}
        if isinstance(body, dict):
            body = {"state": "active", **body}
        record = new_record(Destination, body, GIVEN, ours, _check)
        if record.destination_type == "webhook":
            record = replaced(record, key_id=_new_key_id())
        there = self._there(record)
        if there is None:
            self._check_room()
            try:
                made = self._store.put(Forms.put_destination, record)
                return Made(made, True, self._secret(made))
            except AlreadyExists:
                there = self._there(record)
        if there is None:
            raise Conflict("the destination is being removed by somebody else")
        lately = now - datetime.fromisoformat(there.created_at) < REPEATABLE
        return Made(there, False, self._secret(there) if lately else None)

    def rotate(self, destination_id: str, now: datetime) -> Made:
        """A new secret; requests are signed with the one before as well, for a while.

        A rotation that died on the way is gone on with, and one that is repeated shortly after
        gives the same secret, for its answer may not have arrived.
        """
        there = self._stored(destination_id)
        if there is None:
            raise NotFound("no Destination has this key")
        if there.key_id is None:
            raise RequestConflict("Only requests to webhooks are signed: it has no secret.")
        value = self._values.value(self._tenant, there.key_id)
        if value is None or _rotated_lately(there, now):
            return Made(there, value is None, value or self._secret(there))
        if there.previous_key_id is not None:
            self._values.destroy(self._tenant, there.previous_key_id)
        changes = {
            "key_id": _new_key_id(),
            "previous_key_id": there.key_id,
            "previous_key_until": iso_utc(now + OVERLAP),
            VERSION: next_version(there.updated_at, now),
        }
        key, seen = self._key(destination_id), {VERSION: there.updated_at}
        try:
            rotated = self._store.update(Forms.update_destination, key, changes, when=seen)
        except Conflict as error:
            if not error.is_own(changes):
                raise
            rotated = error.current
        return Made(rotated, True, self._secret(rotated))

    def _there(self, record: Destination) -> Destination | None:
        """What is stored already, if it is the same."""
        there = self._stored(record.destination_id)
        if there and any(there.get(name) != record.get(name) for name in GIVEN):
            raise AlreadyExists("Destination with this key exists already")
        return there

    def _check_room(self) -> None:
        """Of a few that are made at once, one or the other may be one too many."""
        known = self._store.each(Forms.destinations, {"tenant_id": self._tenant})
        if sum(1 for _ in islice(known, MOST_DESTINATIONS)) == MOST_DESTINATIONS:
            detail = f"A tenant may have {MOST_DESTINATIONS} destinations: remove one first."
            raise RequestConflict(detail)

    def _stored(self, destination_id: str) -> Destination | None:
        return self._store.get(Forms.get_destination, self._key(destination_id))

    def _secret(self, record: Destination) -> str | None:
        if record.key_id is None:
            return None
        return self._values.get_or_create(self._tenant, record.key_id).value

    def one(self, destination_id: str) -> Destination:
        found = self._store.get(Forms.get_destination, self._key(destination_id))
        if found is None:
            raise NotFound("no Destination has this key")
        return found

    def active(self, destination_id: str) -> Destination:
        """A destination that something can be sent to."""
        found = self.one(destination_id)
        if found.state != "active":
            raise RequestConflict(f"The destination '{destination_id}' is disabled.")
        return found

    def change(
        self, destination_id: str, body: Any, version: Version, now: datetime
    ) -> Destination:
        change = changes(Destination, body, CHANGEABLE, lambda _: [])

        def decide(before: Destination) -> Mapping[str, Any]:
            kind = before.destination_type
            errors = _wrong(kind, change["settings"]) if "settings" in change else []
            if errors:
                raise InvalidRequest("The body is not valid; nothing was stored.", errors)
            # What failed at the old address says nothing about the new one.
            other = any(change.get(name, before[name]) != before[name] for name in DECISIVE)
            return {**change, **(dict.fromkeys(breaker.BREAKER_FIELDS) if other else {})}

        key = self._key(destination_id)
        return RecordChange(
            self._store, Forms.get_destination, Forms.update_destination, key
        ).apply(version, now, decide)

    def remove(self, destination_id: str) -> None:
        """Remove a destination, after its secrets: whoever repeats this finds what is left."""
        for _ in range(_TRIES):
            there = self._stored(destination_id)
            if there is None:
                return
            for key_id in (there.key_id, there.previous_key_id):
                if key_id is not None:
                    self._values.destroy(self._tenant, key_id)
            expected = {VERSION: there.updated_at}
            with suppress(Conflict):  # another key has come meanwhile
                key = self._key(destination_id)
                self._store.delete(Forms.delete_destination, key, when=expected)
                return
        raise Conflict("the destination is being changed by somebody else")

    def page(self, kind: str | None, **paging: Any) -> Page[Destination]:
        where = {"tenant_id": self._tenant}
        if kind is None:
            return self._store.query(Forms.destinations, where, **paging)
        of_type = {**where, "destination_type": kind}
        return self._store.query(Forms.destinations_by_type, of_type, **paging)

    def attempts(
        self, destination_id: str, status: str | None, **asked: Any
    ) -> Page[DeliveryAttempt]:
        """Attempts to deliver to a destination: of one status by time, or status by status."""
        where = {**self._key(destination_id), **({"status": status} if status else {})}
        return self._store.query(Forms.destination_attempts, where, **asked)

    def _key(self, destination_id: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "destination_id": destination_id}


def _new_key_id() -> str:
    # Of characters that Secrets Manager takes; no key of the tenant's own is called so.
    return f"hook-{uuid4().hex}"


def _rotated_lately(destination: Destination, now: datetime) -> bool:
    until = destination.previous_key_until
    return until is not None and now - (datetime.fromisoformat(until) - OVERLAP) < REPEATABLE


def _check(values: Mapping[str, Any]) -> Errors:
    kind, settings = values.get("destination_type"), values.get("settings")
    if not isinstance(kind, str) or kind not in SETTINGS or not isinstance(settings, dict):
        return []  # their own fields say so
    return _wrong(kind, settings)


def _wrong(kind: str, settings: Mapping[str, Any]) -> Errors:
    found = check_settings(kind, settings)
    return [(pointer("settings", name), reason) for name, reason in found]
