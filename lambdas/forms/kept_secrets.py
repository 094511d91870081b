"""Tenants' secrets, read where they are kept and remembered for a while."""

import time
from collections.abc import Callable

from tablewright.runtime.dynamo import Caller
from tablewright.runtime.errors import TableMissing

_REFRESH_SECONDS = 300.0
_KEPT = 1024


class KeptSecrets:
    """The secret of a tenant by the id of its key; a change is noticed within five minutes."""

    def __init__(
        self, secrets: Caller, prefix: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._secrets = secrets
        self._prefix = prefix
        self._clock = clock
        self._known: dict[str, tuple[float, bytes]] = {}

    def __call__(self, tenant_id: str, key_id: str) -> bytes | None:
        """The secret's bytes, None when there is no such secret."""
        name = f"{self._prefix}{tenant_id}/{key_id}"
        at, value = self._known.get(name, (0.0, b""))
        if value and self._clock() - at <= _REFRESH_SECONDS:
            return value
        try:
            answer = self._secrets.call("GetSecretValue", {"SecretId": name})
        except TableMissing:  # as every resource of AWS that does not exist
            self._known.pop(name, None)
            return None
        if len(self._known) >= _KEPT:
            self._known.clear()
        value = str(answer["SecretString"]).encode()
        self._known[name] = (self._clock(), value)
        return value
