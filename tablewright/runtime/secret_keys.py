"""Cursor keys from Secrets Manager: the current one signs, the one before it still verifies."""

import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

from tablewright.runtime.aws import client_config
from tablewright.runtime.cursor import KeyRing

_REFRESH_SECONDS = 300


class SecretKeys:
    """A key ring that follows a secret's rotation within five minutes."""

    def __init__(
        self, session: Any, secret_id: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._session = session
        self._secret_id = secret_id
        self._clock = clock
        self._client: Any = None
        self._ring: KeyRing | None = None
        self._fetched = 0.0

    def __call__(self) -> KeyRing:
        if self._ring is None or self._clock() - self._fetched > _REFRESH_SECONDS:
            if self._client is None:
                self._client = self._session.client("secretsmanager", config=client_config())
            keys = [self._value("AWSCURRENT"), self._value("AWSPREVIOUS")]
            self._ring = KeyRing([key for key in keys if key])
            self._fetched = self._clock()
        return self._ring

    def _value(self, stage: str) -> bytes | None:
        try:
            answer = self._client.get_secret_value(SecretId=self._secret_id, VersionStage=stage)
        except ClientError as error:
            missing = error.response["Error"]["Code"] == "ResourceNotFoundException"
            if stage == "AWSPREVIOUS" and missing:
                return None  # never rotated
            raise
        return str(answer["SecretString"]).encode()
