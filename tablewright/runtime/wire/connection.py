"""Connections to one endpoint, kept and shared: HTTP/1.1 on sockets, TLS always verified."""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from collections.abc import Callable
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit
from weakref import WeakSet

from tablewright.runtime.deadline import seconds_left

# No head of an answer of AWS comes near it, and no answer: a page has at most a megabyte.
_LONGEST_HEAD = 64 * 1024
_LONGEST_BODY = 64 * 1024 * 1024
_CHUNK = 64 * 1024
# Connections that a client keeps, where nobody says how many.
KEPT = 64
# The shortest time-out: zero would mean a socket that never waits.
_SHORTEST = 0.001


class NotSent(OSError):
    """No connection could be had, so nothing was sent."""


class Broken(OSError):
    """A connection ended, or brought no answer of HTTP; the request may have had its effect."""


class Timeouts(NamedTuple):
    """Seconds for a connection, and for each read and write; as in botocore.

    Within an invocation of Lambda they are cut to the time that it has left.
    """

    connect: float = 60
    read: float = 60


class Reply(NamedTuple):
    """What a service answered."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


class Connections:
    """Connections to an endpoint: one for each request under way, up to `kept` at rest.

    They belong to no credentials: requests of any number of tenants share them.
    """

    def __init__(
        self, endpoint: str, timeouts: Timeouts, *, kept: int, ca_bundle: str | None = None
    ) -> None:
        """`ca_bundle` is a file of the authorities to be trusted; without it the system's are."""
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"an endpoint is like https://dynamodb.eu-west-1.…, not {endpoint!r}")
        self.host = parts.netloc.rpartition("@")[2]
        self.path = parts.path or "/"
        secure = parts.scheme == "https"
        self._where = (parts.hostname, parts.port or (443 if secure else 80))
        self._secure = secure
        self._timeouts = timeouts
        self._kept = kept
        self._ca_bundle = ca_bundle
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        _all_connections.add(self)

    def exchange(self, request: bytes) -> Reply:
        """The answer to a request; raises NotSent or Broken."""
        connection = self._take() or self._open()
        try:
            reply, reusable = connection.exchange(request, self._timeouts.read)
        except BaseException as error:
            connection.close()
            if isinstance(error, OSError) and not isinstance(error, Broken):
                raise Broken(str(error) or type(error).__name__) from error
            raise
        if not reusable or not self._give_back(connection):
            connection.close()
        return reply

    def close(self) -> None:
        """End what is at rest."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> _Connection | None:
        """One at rest, that the other side has not ended meanwhile."""
        while True:
            try:
                # The last used is the likeliest to be alive; those not needed grow old and go.
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_alive():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection) -> bool:
        with self._lock:
            if len(self._idle) >= self._kept:
                return False
            self._idle.append(connection)
            return True

    def forget_parent(self) -> None:
        """Drop the connections of the parent process, which goes on to use them."""
        self._lock = threading.Lock()
        self.close()

    def _open(self) -> _Connection:
        try:
            seconds = _within_invocation(self._timeouts.connect)
            plain = socket.create_connection(self._where, seconds)
        except OSError as error:
            raise NotSent(f"{self.host}: {error}") from error
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if not self._secure:
                return _Connection(plain)
            context = tls_context(self._ca_bundle)
            return _Connection(context.wrap_socket(plain, server_hostname=self._where[0]))
        except OSError as error:
            plain.close()
            raise NotSent(f"{self.host}: {error}") from error


_all_connections: WeakSet[Connections] = WeakSet()


def _forget_parents() -> None:
    for connections in _all_connections:
        connections.forget_parent()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_parents)


@cache
def tls_context(ca_bundle: str | None) -> ssl.SSLContext:
    """TLS as botocore speaks it, made once for each file of authorities."""
    context = ssl.create_default_context(cafile=ca_bundle)
    # Python 3.13 sets both, and would refuse the authorities of many companies.
    context.verify_flags &= ~(ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def _within_invocation(seconds: float) -> float:
    """Cut a time-out to the time that the invocation has left."""
    return max(min(seconds, seconds_left()), _SHORTEST)


class _Connection:
    __slots__ = ("_socket", "_was_ended")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._was_ended = _readable(connected)

    def is_alive(self) -> bool:
        """Whether nothing has come since the last answer: an end would have."""
        return not self._was_ended()

    def close(self) -> None:
        self._socket.close()

    def exchange(self, request: bytes, seconds: float) -> tuple[Reply, bool]:
        """The answer, and whether the connection can be used again."""
        unsent = memoryview(request)
        while unsent:
            self._socket.settimeout(_within_invocation(seconds))
            unsent = unsent[self._socket.send(unsent) :]
        incoming = _Incoming(self._socket, seconds)
        head = incoming.head()
        status, version = _status(head[0])
        headers = {}
        for line in head[1:]:
            name, colon, value = line.partition(b":")
            if not colon:
                raise Broken(f"a header without a name: {line[:40]!r}")
            headers[name.lower()] = value.strip()
        body = incoming.body(headers)
        ended = headers.get(b"connection", b"").lower() == b"close" or version == b"0"
        reusable = not ended and incoming.is_used_up()
        return Reply(status, headers, body), reusable


class _Incoming:
    """Answer of a service: each read takes at most so many seconds."""

    __slots__ = ("_at", "_data", "_seconds", "_socket")

    def __init__(self, connected: socket.socket, seconds: float) -> None:
        self._socket = connected
        self._seconds = seconds
        self._data = b""
        self._at = 0

    def head(self) -> list[bytes]:
        """Lines of the answer's head."""
        while True:
            self._more()
            end = self._data.find(b"\r\n\r\n")
            if end >= 0:
                self._at = end + 4
                return self._data[:end].split(b"\r\n")
            if len(self._data) > _LONGEST_HEAD:
                raise Broken("the head of the answer does not end")

    def body(self, headers: dict[bytes, bytes]) -> bytes:
        length = headers.get(b"content-length")
        if length is not None:
            if not length.isdigit() or int(length) > _LONGEST_BODY:
                raise Broken(f"an answer cannot be {length[:20]!r} bytes long")
            return self._take(int(length))
        if headers.get(b"transfer-encoding", b"").lower() != b"chunked":
            raise Broken("an answer that does not say where it ends")
        return self._chunks()

    def is_used_up(self) -> bool:
        return self._at == len(self._data)

    def _chunks(self) -> bytes:
        parts: list[bytes] = []
        total = 0
        while size := self._size():
            total += size
            if total > _LONGEST_BODY:
                raise Broken("an answer that does not end")
            parts.append(self._take(size))
            if self._take(2) != b"\r\n":
                raise Broken("a chunk longer than it said")
        while self._line():
            pass
        return b"".join(parts)

    def _size(self) -> int:
        line = self._line().partition(b";")[0].strip()
        try:
            size = int(line, 16)
        except ValueError:
            raise Broken(f"no size of a chunk: {line[:20]!r}") from None
        if size < 0:
            raise Broken(f"no size of a chunk: {line[:20]!r}")
        return size

    def _line(self) -> bytes:
        while (end := self._data.find(b"\r\n", self._at)) < 0:
            if len(self._data) - self._at > _LONGEST_HEAD:
                raise Broken("a line of the answer does not end")
            self._more()
        line = self._data[self._at : end]
        self._at = end + 2
        return line

    def _take(self, length: int) -> bytes:
        there = len(self._data) - self._at
        if there < length:
            # Joined once: a megabyte comes in many pieces.
            parts = [self._data[self._at :]]
            while there < length:
                part = self._received()
                parts.append(part)
                there += len(part)
            self._data, self._at = b"".join(parts), 0
        taken = self._data[self._at : self._at + length]
        self._at += length
        return taken

    def _more(self) -> None:
        self._data += self._received()

    def _received(self) -> bytes:
        if seconds_left() <= 0:
            raise Broken("the invocation ended before the answer did")
        self._socket.settimeout(_within_invocation(self._seconds))
        part = self._socket.recv(_CHUNK)
        if not part:
            raise Broken("the connection ended before the answer did")
        return part


def _readable(connected: socket.socket) -> Callable[[], object]:
    """Tells whether there is something to be read, an end included."""
    if not hasattr(select, "poll"):  # Windows
        return lambda: select.select([connected], [], [], 0)[0]
    poll = select.poll()
    poll.register(connected, select.POLLIN)
    return lambda: poll.poll(0)


def _status(line: bytes) -> tuple[int, bytes]:
    """The status, and the minor version of HTTP."""
    if not line.startswith(b"HTTP/1.") or not line[9:12].isdigit():
        raise Broken(f"no HTTP answer: {line[:40]!r}")
    return int(line[9:12]), line[7:8]
