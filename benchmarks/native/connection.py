"""Connections of awscrt in place of `tablewright.runtime.wire.connection`: HTTP and TLS."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from awscrt import http, io

KEPT = 64


class NotSent(OSError):
    """No connection could be opened."""


class Broken(OSError):
    """A connection ended without an answer."""


class Timeouts(NamedTuple):
    connect: float = 60
    read: float = 60


class Reply(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    body: bytes


class _Response:
    """Collects the parts of a response as the event loop reads them."""

    def __init__(self) -> None:
        self.headers: dict[bytes, bytes] = {}
        self.parts: list[bytes] = []

    def on_headers(self, headers: list[tuple[str, str]], **_: Any) -> None:
        self.headers = {name.lower().encode(): value.encode() for name, value in headers}

    def on_body(self, chunk: bytes, **_: Any) -> None:
        self.parts.append(chunk)


class Connections:
    """Connections to an endpoint: one for each request under way, up to `kept` at rest."""

    def __init__(
        self, endpoint: str, timeouts: Timeouts, *, kept: int, ca_bundle: str | None = None
    ) -> None:
        parts = urlsplit(endpoint)
        self.host = parts.netloc
        self.path = parts.path or "/"
        self._name = parts.hostname or ""
        self._port = parts.port or 443
        self._timeouts = timeouts
        self._kept = kept
        self._ca_bundle = ca_bundle
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._bootstrap: Any = None

    def exchange(self, request: Any) -> Reply:
        connection = self._take() or self._open()
        response = _Response()
        try:
            stream = connection.request(request, response.on_headers, response.on_body)
            stream.activate()
            status = stream.completion_future.result(self._timeouts.read)
        except Exception as error:
            connection.close()
            raise Broken(str(error)) from error
        with self._lock:
            if len(self._idle) < self._kept:
                self._idle.append(connection)
        return Reply(status, response.headers, b"".join(response.parts))

    def close(self) -> None:
        self._idle.clear()

    def _take(self) -> Any:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_open():
                return connection

    def _open(self) -> Any:
        with self._lock:
            if self._bootstrap is None:
                loops = io.EventLoopGroup(1)
                self._bootstrap = io.ClientBootstrap(loops, io.DefaultHostResolver(loops))
                options = io.TlsContextOptions()
                options.override_default_trust_store_from_path(None, self._ca_bundle)
                self._tls = io.ClientTlsContext(options)
        tls = self._tls.new_connection_options()
        tls.set_server_name(self._name)
        opening = http.HttpClientConnection.new(
            self._name, self._port, self._bootstrap, tls_connection_options=tls
        )
        try:
            return opening.result(self._timeouts.connect)
        except Exception as error:
            raise NotSent(str(error)) from error
