"""Connection for one request: bounded in time from the first byte to the last, and in size."""

import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from functools import cache
from http.client import HTTPConnection, HTTPException, parse_headers
from typing import IO, NamedTuple

TOO_SLOW = "too slow"
MOST_INFORMATIONAL = 8
_LONGEST_LINE = 65536
_STATUS_LINE = re.compile(rb"HTTP/1\.[0-9] ([1-9][0-9]{2})(?: [^\r\n]*)?\r?\n")


class NoAnswer(Exception):
    """The request was not answered; the text says why, in one word."""


class Answer(NamedTuple):
    """A status, and how long the server asks to wait. Nothing else of an answer is read."""

    status: int
    retry_after: str | None


class Target(NamedTuple):
    """Where to connect, and the name that is asked for and must be certified there."""

    address: str
    port: int
    host: str
    encrypted: bool

    @property
    def authority(self) -> str:
        usual = 443 if self.encrypted else 80
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == usual else f"{host}:{self.port}"


def post(
    target: Target,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Send the body and read the head of the answer, within so many seconds in all: to connect, to
    shake hands, to send and to receive.

    A timeout of the socket bounds each receive, not their sum: an answer could drip in for ever.
    So the connection is cut when the time is over, whatever is going on then. Redirects are not
    followed, and the answer's body stays where it is.
    """
    over = time.monotonic() + seconds
    if seconds <= 0:
        raise NoAnswer(TOO_SLOW)
    try:
        raw = socket.create_connection((target.address, target.port), timeout=seconds)
    except OSError as error:
        raise NoAnswer(type(error).__name__) from None
    late = threading.Event()
    # Wrapping takes the socket away; its double can cut the connection at any time.
    with raw, raw.dup() as double:
        timer = threading.Timer(max(0.0, over - time.monotonic()), _cut, (double, late))
        timer.daemon = True
        timer.start()
        try:
            answer = _exchange(raw, target, path, body, headers, context)
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(TOO_SLOW if late.is_set() else type(error).__name__) from None
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise NoAnswer(TOO_SLOW)  # a head that was cut looks like one that ended
        return answer


def _exchange(
    raw: socket.socket,
    target: Target,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    context: ssl.SSLContext | None,
) -> Answer:
    connection = HTTPConnection(target.host, target.port)
    try:
        connection.sock = raw
        if target.encrypted:
            trusted = context or _trusted()
            connection.sock = trusted.wrap_socket(raw, server_hostname=target.host)
        own = {"Host": target.authority, "Connection": "close", "Accept-Encoding": "identity"}
        connection.request("POST", path, body, {**headers, **own})
        with connection.sock.makefile("rb") as stream:
            return read_answer(stream)
    finally:
        connection.close()


def read_answer(stream: IO[bytes]) -> Answer:
    """The head of the final answer. Informational ones before it, 1xx, are not it (RFC 9110,
    15.2), and are passed over as long as they are few; http.client passes over 100 alone."""
    for _ in range(MOST_INFORMATIONAL + 1):
        line = _STATUS_LINE.fullmatch(stream.readline(_LONGEST_LINE))
        if line is None:
            raise HTTPException("no status line")
        headers = parse_headers(stream)
        if int(line[1]) >= 200:
            return Answer(int(line[1]), headers.get("Retry-After"))
    raise HTTPException("too many informational answers")


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _cut(double: socket.socket, late: threading.Event) -> None:
    late.set()
    try:
        double.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is cut already
