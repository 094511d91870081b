"""DeferredClient: a client of boto3 that is made, and boto3 imported, with its first call."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.runtime.boto3_client import Boto3Client


class DeferredClient:
    """A service that a function seldom calls: it starts without boto3. Safe among threads.

    `settings` are of botocore's Config. A function that calls the service in every invocation
    should `connect` instead: Lambda gives it the most CPU while it starts.

    Example::

        s3 = DeferredClient(own_session(), "s3")
        s3.presign("get_object", {"Bucket": "dev-files", "Key": "a"}, 60)
    """

    def __init__(self, session: Any, service: str, **settings: Any) -> None:
        self._session = session
        self._service = service
        self._settings = settings

    @cached_property
    def _client(self) -> Boto3Client:
        from tablewright.runtime import boto3_client

        return boto3_client.connect(self._session, self._service, **self._settings)

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises StoreError."""
        return self._client.call(operation, params)

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        """An address that lets its holder make this call for so many seconds."""
        return self._client.presign(method, params, seconds)
