"""Cursor keys from Secrets Manager: the current one signs, the one before it still verifies."""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable
from functools import cache

from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import KeyRing
from tablewright.runtime.errors import ResourceMissing, StoreError

log = logging.getLogger(__name__)

_REFRESH_SECONDS = 300.0
# Before keys are asked for again that could not be had.
_PAUSE_SECONDS = 10.0


class SecretKeys:
    """A key ring that follows a secret's rotation within five minutes.

    With a `purpose` the keys are derived from the secret: several applications share one secret,
    and none takes the cursors of another. While the secret cannot be read again, the keys that are
    held go on to serve.

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
        self._clock = clock
        self._ring: KeyRing | None = None
        self._good_until = 0.0

    def __call__(self) -> KeyRing:
        now = self._clock()
        if self._ring is None:
            self._ring, self._good_until = self._read(), now + _REFRESH_SECONDS
        elif now >= self._good_until:
            try:
                self._ring, self._good_until = self._read(), now + _REFRESH_SECONDS
            except StoreError as error:
                self._good_until = now + _PAUSE_SECONDS
                log.error("cursor keys cannot be read again, so those held serve on: %s", error)
        return self._ring

    def _read(self) -> KeyRing:
        try:
            previous = [self._value("AWSPREVIOUS")]
        except ResourceMissing:
            previous = []  # never rotated; or there is no such secret, as the current one will say
        return KeyRing([self._value("AWSCURRENT"), *previous])

    def _value(self, stage: str) -> bytes:
        asked = {"SecretId": self._secret_id, "VersionStage": stage}
        secret = str(self._secrets().call("GetSecretValue", asked)["SecretString"]).encode()
        if self._purpose is None:
            return secret
        return hmac.digest(secret, f"cursors of {self._purpose}".encode(), "sha256")
