"""Secrets of tenants: their values, in Secrets Manager under a prefix and nowhere else.

By their names and not by ARNs in items: what is read is of this tenant, whatever an item says.
"""

import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from lambdas.forms.ttl_cache import TtlCache
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import (
    InvalidState,
    ResourceExists,
    ResourceMissing,
    Unavailable,
)

# How long after it was made a value is given again to whoever repeats the request that made it:
# he may not have got the answer.
REPEATABLE = timedelta(minutes=10)
_BYTES = 32
# The value under a key id never changes: rotation makes another key, and no id is used again. It is
# looked at again so that what was destroyed is not used for ever.
_LIFE = 300.0
# The longest that a value serves while Secrets Manager does not answer: a destroyed one, too.
_HELD = 3600.0


class StoredSecret(NamedTuple):
    """A secret's value and its ARN."""

    arn: str
    value: str

    def __repr__(self) -> str:
        return f"StoredSecret({self.arn!r})"  # a value in a traceback would be in the log


class SecretStore:
    """Makes, reads and destroys values under ``{prefix}{tenant_id}/{key_id}``.

    Example::

        store = SecretStore(connect(session, "secretsmanager"), "dev/forms/")
        store.get_or_create("acme", "k1")
    """

    def __init__(
        self, secrets: Caller, prefix: str, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._secrets = secrets
        self._prefix = prefix
        self._random = random

    def get_or_create(self, tenant_id: str, key_id: str) -> StoredSecret:
        """The value of a key, made if there is none: whoever asks again is given the same."""
        name = f"{self._prefix}{tenant_id}/{key_id}"
        value = urlsafe_b64encode(self._random(_BYTES)).decode().rstrip("=")
        try:
            made = self._secrets.call("CreateSecret", {"Name": name, "SecretString": value})
            return StoredSecret(made["ARN"], value)
        except InvalidState:
            raise Unavailable("a secret of this name is being destroyed") from None
        except ResourceExists:
            there = self._secrets.call("GetSecretValue", {"SecretId": name})
        return StoredSecret(there["ARN"], there["SecretString"])

    def value(self, tenant_id: str, key_id: str) -> str | None:
        """The value of a key, None where none was made."""
        name = f"{self._prefix}{tenant_id}/{key_id}"
        try:
            return str(self._secrets.call("GetSecretValue", {"SecretId": name})["SecretString"])
        except ResourceMissing:
            return None

    def destroy(self, tenant_id: str, key_id: str) -> None:
        """Destroy the value of a key; one that is not there is destroyed already."""
        name = f"{self._prefix}{tenant_id}/{key_id}"
        # Not kept for recovery: what was revoked must not come back.
        params = {"SecretId": name, "ForceDeleteWithoutRecovery": True}
        try:
            self._secrets.call("DeleteSecret", params)
        except ResourceMissing:
            return


class CachedSecrets:
    """Reads values for those who sign or verify with them."""

    def __init__(
        self, secrets: Caller, prefix: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = SecretStore(secrets, prefix)
        self._values = TtlCache(self._read, life=_LIFE, hold=_HELD, clock=clock)

    def __call__(self, tenant_id: str, key_id: str) -> str | None:
        """The secret, None when there is none, or none any more."""
        return self._values.get((tenant_id, key_id))

    def _read(self, key: tuple[str, str]) -> str | None:
        try:
            return self._store.value(*key)
        except InvalidState:  # it is being destroyed
            return None
