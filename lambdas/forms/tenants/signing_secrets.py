"""Rotation of the secrets that a tenant's requests are signed with.

A rotation makes a value, then the record of its key, then revokes what is older than the key in
use, and last makes that one the previous. So until it is done there are two current keys, of which
the older is in use and the younger known to nobody: whoever repeats a rotation that died on the
way goes on with the younger. One that was done is given again to whoever repeats it shortly
after, for he may not have got the answer.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from lambdas.forms.tenants.secrets import REPEATABLE, SecretStore
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import SIGNING_KEYS, TenantSecret
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

# Where it is kept is nobody's business but ours.
SHOWN = tuple(
    f.name for f in TenantSecret.__entity__.fields if f.name not in ("tenant_id", "secret_arn")
)
CURRENT, PREVIOUS, REVOKED = "current", "previous", "revoked"

_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBERED = re.compile(r"k(\d{1,9})(?:-[0-9a-f]+)?")


class Rotated(NamedTuple):
    """A new key, its value, and whether it is new or given again."""

    key: TenantSecret
    value: str
    new: bool


class SigningSecrets:
    """The secrets of one tenant."""

    def __init__(self, store: Store, values: SecretStore, tenant: str) -> None:
        self._store = store
        self._values = values
        self._tenant = tenant

    def rotate(self, now: datetime, tenant_since: str) -> Rotated:
        """A new current key, and the one before it the previous; no third is usable.

        `tenant_since` is when the tenant was made.
        """
        known = list(self._store.each(Forms.secrets, {"tenant_id": self._tenant}))
        begun = _begun(known, now)
        key_id = begun.key_id if begun else _next_id(known, tenant_since)
        arn, value = self._values.get_or_create(self._tenant, key_id)
        key = begun or self._put(key_id, arn, now)
        self._retire([one for one in known if one.key_id != key_id], key.created_at)
        return Rotated(key, value, begun is None)

    def revoke(self, key_id: str, now: datetime) -> None:
        """Make a key useless at once; one that there is not is so already."""
        there = self._store.get(Forms.get_secret, self._key(key_id))
        if there:
            self._revoke(there, iso_utc(now))

    def page(self, **paging: Any) -> Page[TenantSecret]:
        return self._store.query(Forms.secrets, {"tenant_id": self._tenant}, **paging)

    def _put(self, key_id: str, arn: str, now: datetime) -> TenantSecret:
        moment = iso_utc(now)
        when = {"created_at": moment, "updated_at": moment}
        key = TenantSecret(**self._key(key_id), secret_arn=arn, state=CURRENT, **when)
        try:
            return self._store.put(Forms.put_secret, key)
        except AlreadyExists as error:
            there: TenantSecret | None = error.current
            if there is None or there.state != CURRENT:
                raise Conflict("the secrets are being changed by somebody else") from None
            return there  # two rotations at once are one

    def _retire(self, others: list[TenantSecret], moment: str) -> None:
        current = _current(others)
        if not current:
            return
        in_use, *unknown = current
        # Those that were revoked by this rotation before it died may still have their values.
        for key in (*unknown, *(one for one in others if _retired(one, moment))):
            self._revoke(key, moment)
        changes = {"state": PREVIOUS, "updated_at": moment}
        where = self._key(in_use.key_id)
        try:
            self._store.update(Forms.update_secret, where, changes, when={"state": CURRENT})
        except Conflict as error:
            if not error.is_own(changes):
                raise

    def _revoke(self, key: TenantSecret, moment: str) -> None:
        if key.state != REVOKED:
            changes = {"state": REVOKED, "updated_at": moment}
            self._store.update(Forms.update_secret, self._key(key.key_id), changes)
        self._values.destroy(self._tenant, key.key_id)

    def _key(self, key_id: str) -> dict[str, str]:
        return {"tenant_id": self._tenant, "key_id": key_id}


def _begun(known: list[TenantSecret], now: datetime) -> TenantSecret | None:
    """The key of a rotation that is not done, or was done so lately that this is its repetition."""
    current = _current(known)
    if not current:
        return None
    youngest = current[-1]
    lately = now - datetime.fromisoformat(youngest.created_at) < REPEATABLE
    return youngest if len(current) > 1 or lately else None


def _current(keys: list[TenantSecret]) -> list[TenantSecret]:
    """The current keys, the oldest first."""
    current = [key for key in keys if key.state == CURRENT]
    return sorted(current, key=lambda key: (key.created_at, _number(key.key_id)))


def _retired(key: TenantSecret, moment: str) -> bool:
    return key.state == PREVIOUS or (key.state, key.updated_at) == (REVOKED, moment)


def _next_id(known: list[TenantSecret], tenant_since: str) -> str:
    # Counted and not random: a rotation that died before its key was stored finds its value again.
    # With the tenant's own time: of one that is made again, no key has the name of an older value,
    # which may have outlived its table.
    number = 1 + max((_number(key.key_id) for key in known), default=0)
    milliseconds = datetime.fromisoformat(tenant_since) - _1970
    return f"{SIGNING_KEYS}{number}-{milliseconds // timedelta(milliseconds=1):x}"


def _number(key_id: str) -> int:
    match = _NUMBERED.fullmatch(key_id)
    return int(match[1]) if match else 0
