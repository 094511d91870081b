"""Tenant lookup: the configuration and signing secrets of a tenant.

Only what is not in the table is unknown; a table that does not answer is an error.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from lambdas.forms.tenants.secrets import CachedSecrets
from lambdas.forms.ttl_cache import TtlCache
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import TenantConfig, TenantSecret
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.store import Store

# How long a tenant that was disabled, or a secret that was revoked, may still be taken.
_LIFE = 30.0
_USABLE = ("current", "previous")


class SigningSecret(NamedTuple):
    """A key that a tenant may sign with, and its value."""

    key_id: str
    value: str


class TenantLookup:
    """Looks tenants up in the table, and their secrets in Secrets Manager under `prefix`."""

    def __init__(
        self,
        store: Store,
        secrets: Caller,
        prefix: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._configs = TtlCache(self._read_config, life=_LIFE, clock=clock)
        self._keys = TtlCache(self._read_keys, life=_LIFE, clock=clock)
        self._values = CachedSecrets(secrets, prefix, clock=clock)

    def config(self, tenant_id: str, *, refresh: bool = False) -> TenantConfig | None:
        return self._configs.get(tenant_id, refresh=refresh)

    def secrets(
        self, tenant_id: str, now: datetime, *, key_id: str | None = None, refresh: bool = False
    ) -> Iterator[SigningSecret]:
        """The secrets that a tenant may sign with, one by one, the current before the previous."""
        moment = iso_utc(now)
        for key in self._keys.get(tenant_id, refresh=refresh) or []:
            if key_id not in (None, key.key_id) or (key.valid_until or moment) < moment:
                continue
            value = self._values(tenant_id, key.key_id)
            if value is not None:
                yield SigningSecret(key.key_id, value)

    def _read_config(self, tenant_id: str) -> TenantConfig | None:
        return self._store.get(Forms.get_config, {"tenant_id": tenant_id})

    def _read_keys(self, tenant_id: str) -> list[TenantSecret] | None:
        found = self._store.each(Forms.secrets, {"tenant_id": tenant_id})
        usable = [key for key in found if key.state in _USABLE]
        return sorted(usable, key=lambda key: _USABLE.index(key.state)) or None
