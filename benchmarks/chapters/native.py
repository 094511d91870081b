"""Native transport: HTTP and signatures by AWS's common runtime (awscrt), behind `Caller`.

As little as a client needs: no retries, no typed errors, no checks of the answer but its checksum.
"""

import zlib
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from tablewright.runtime.wire.services import SERVICES

_REGION = "eu-west-1"


class _Response:
    """Collects the parts of a response as the event loop reads them."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.parts: list[bytes] = []

    def on_headers(self, headers: list[tuple[str, str]], **_: Any) -> None:
        self.headers = {name.lower(): value for name, value in headers}

    def on_body(self, chunk: bytes, **_: Any) -> None:
        self.parts.append(chunk)


class NativeClient:
    """Makes calls of DynamoDB over awscrt, on connections that it reuses."""

    def __init__(self, endpoint: str) -> None:
        from awscrt import auth, http, io

        self._http = http
        self._sign = auth.aws_sign_request
        parts = urlsplit(endpoint)
        self._address = (parts.hostname or "", parts.port or 80)
        loops = io.EventLoopGroup(1)
        self._bootstrap = io.ClientBootstrap(loops, io.DefaultHostResolver(loops))
        self._signing = auth.AwsSigningConfig(
            algorithm=auth.AwsSigningAlgorithm.V4,
            signature_type=auth.AwsSignatureType.HTTP_REQUEST_HEADERS,
            credentials_provider=auth.AwsCredentialsProvider.new_static("key", "secret"),
            region=_REGION,
            service="dynamodb",
        )
        self._idle: list[Any] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Make one call; raises AssertionError unless it succeeds and its checksum fits."""
        service, http = SERVICES["dynamodb"], self._http
        body = service.dump(operation, params)
        headers = {
            "host": f"{self._address[0]}:{self._address[1]}",
            "content-type": service.content_type,
            "x-amz-target": service.target + operation,
            "content-length": str(len(body)),
        }
        request = http.HttpRequest("POST", "/", http.HttpHeaders(list(headers.items())))
        request.body_stream = BytesIO(body)
        self._sign(request, self._signing).result()
        connection = self._idle.pop() if self._idle else self._connect()
        response = _Response()
        stream = connection.request(request, response.on_headers, response.on_body)
        stream.activate()
        status = stream.completion_future.result()
        self._idle.append(connection)
        content = b"".join(response.parts)
        checksum = int(response.headers["x-amz-crc32"])
        assert (status, checksum) == (200, zlib.crc32(content)), content  # noqa: S101
        answer: dict[str, Any] = service.load(content)
        return answer

    def _connect(self) -> Any:
        host, port = self._address
        return self._http.HttpClientConnection.new(host, port, self._bootstrap).result()
