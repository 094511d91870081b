"""Signatures of awscrt in place of `tablewright.runtime.wire.signing`: version 4."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import Any, NamedTuple

from awscrt import auth, http


class Credentials(NamedTuple):
    access_key: str
    secret_key: str
    token: str | None = None


class Signer:
    """Signs requests to one service of one region."""

    def __init__(self, service: str, region: str, host: str, path: str, content_type: str) -> None:
        self._service, self._region, self._path = service, region, path
        self._headers = [("host", host), ("content-type", content_type)]
        self.clock_is_off = 0.0
        # Made once for the credentials of one caller.
        self._provider: tuple[Credentials | None, Any] = (None, None)

    def request(
        self, target: str, body: bytes, credentials: Credentials, now: float, more: str = ""
    ) -> Any:
        headers = [*self._headers, ("content-length", str(len(body)))]
        if target:
            headers.append(("x-amz-target", target))
        for line in more.splitlines():
            name, _, value = line.partition(": ")
            headers.append((name, value))
        request = http.HttpRequest("POST", self._path, http.HttpHeaders(headers), BytesIO(body))
        config = auth.AwsSigningConfig(
            algorithm=auth.AwsSigningAlgorithm.V4,
            signature_type=auth.AwsSignatureType.HTTP_REQUEST_HEADERS,
            credentials_provider=self._provider_of(credentials),
            region=self._region,
            service=self._service,
            date=datetime.fromtimestamp(now, UTC),
        )
        return auth.aws_sign_request(request, config).result()

    def _provider_of(self, credentials: Credentials) -> Any:
        held, provider = self._provider
        if held != credentials:
            provider = auth.AwsCredentialsProvider.new_static(*credentials)
            self._provider = credentials, provider
        return provider
