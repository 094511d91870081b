"""Cursor keys from Secrets Manager: the current one signs, the one before it still verifies."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from functools import cache

from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import KeyRing
from tablewright.runtime.errors import ResourceMissing
from tablewright.runtime.refreshed import Reading, Refreshed

_REFRESH_SECONDS = 300.0
_HELD_SECONDS = 3600.0


class SecretKeys:
    """A key ring that follows a secret's rotation within five minutes.

    With a `purpose` the keys are derived from the secret: several applications share one secret,
    and none takes the cursors of another. One thread reads the secret again; meanwhile, and while
    that fails, all use the keys held, for an hour after they were read.

    Example::

        secrets = lambda: connect(session, "secretsmanager")
        cursors = Cursors(SecretKeys(secrets, secret_arn, purpose="orders"))
    """

    def __init__(
        self,
        secrets: Callable[[], Caller],
        secret_id: str,
        *,
        purpose: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Made when it is first needed: many invocations sign nothing.
        self._secrets = cache(secrets)
        self._secret_id = secret_id
        self._purpose = purpose
        self._ring = Refreshed(f"cursor keys {secret_id}", self._read, clock=clock)

    def __call__(self) -> KeyRing:
        return self._ring.get()

    def _read(self, now: float) -> Reading[KeyRing]:
        try:
            previous = [self._value("AWSPREVIOUS")]
        except ResourceMissing:
            previous = []  # never rotated; or there is no such secret, as the current one will say
        ring = KeyRing([self._value("AWSCURRENT"), *previous])
        return Reading(ring, now + _REFRESH_SECONDS, now + _HELD_SECONDS)

    def _value(self, stage: str) -> bytes:
        asked = {"SecretId": self._secret_id, "VersionStage": stage}
        secret = str(self._secrets().call("GetSecretValue", asked)["SecretString"]).encode()
        if self._purpose is None:
            return secret
        return hmac.digest(secret, f"cursors of {self._purpose}".encode(), "sha256")
