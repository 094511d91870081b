"""The values of signing secrets, in Secrets Manager and nowhere else."""

import os
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing, StoreError, Unavailable

# How long after it was made a value is given again to whoever repeats the request that made it:
# he may not have got the answer.
REPEATABLE = timedelta(minutes=10)
_BYTES = 32
_THERE_ALREADY = ": ResourceExistsException:"
_BEING_DESTROYED = ": InvalidRequestException:"


class Kept(NamedTuple):
    """A secret's value and the ARN of where it is kept."""

    arn: str
    value: str

    def __repr__(self) -> str:
        return f"Kept({self.arn!r})"  # a value in a traceback would be in the log


class SecretValues:
    """Makes, reads and destroys values under ``{prefix}{tenant_id}/{key_id}``.

    Example::

        SecretValues(Client(session.client("secretsmanager")), "dev/forms/").kept("acme", "k1")
    """

    def __init__(
        self, secrets: Caller, prefix: str, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._secrets = secrets
        self._prefix = prefix
        self._random = random

    def kept(self, tenant_id: str, key_id: str) -> Kept:
        """The value of a key, made if there is none: whoever asks again is given the same."""
        name = self._name(tenant_id, key_id)
        value = urlsafe_b64encode(self._random(_BYTES)).decode().rstrip("=")
        try:
            made = self._secrets.call("CreateSecret", {"Name": name, "SecretString": value})
            return Kept(made["ARN"], value)
        except StoreError as error:
            if _BEING_DESTROYED in str(error):
                raise Unavailable("a secret of this name is being destroyed") from None
            if _THERE_ALREADY not in str(error):
                raise
        there = self._secrets.call("GetSecretValue", {"SecretId": name})
        return Kept(there["ARN"], there["SecretString"])

    def value(self, tenant_id: str, key_id: str) -> str | None:
        """The value of a key, None where none was made."""
        try:
            there = self._secrets.call(
                "GetSecretValue", {"SecretId": self._name(tenant_id, key_id)}
            )
        except ResourceMissing:
            return None
        return str(there["SecretString"])

    def destroy(self, tenant_id: str, key_id: str) -> None:
        """Destroy the value of a key; one that is not there is destroyed already."""
        # Not kept for recovery: what was revoked must not come back.
        params = {"SecretId": self._name(tenant_id, key_id), "ForceDeleteWithoutRecovery": True}
        try:
            self._secrets.call("DeleteSecret", params)
        except ResourceMissing:
            return  # what the store calls a missing table is any missing resource

    def _name(self, tenant_id: str, key_id: str) -> str:
        return f"{self._prefix}{tenant_id}/{key_id}"
