"""One request to one address: bounded in time from the first byte to the last, and in size."""

import socket
import ssl
import threading
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple


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
    """Send the body and read the head of the answer, within so many seconds in all.

    A timeout of the socket bounds each receive, not their sum: an answer could drip in for ever.
    So the connection is cut when the time is over, whatever is going on then. Redirects are not
    followed, and the answer's body stays where it is.
    """
    try:
        raw = socket.create_connection((target.address, target.port), timeout=seconds)
    except OSError as error:
        raise NoAnswer(type(error).__name__) from None
    late = threading.Event()
    # Wrapping takes the socket away; its double can cut the connection at any time.
    with raw, raw.dup() as double:
        timer = threading.Timer(seconds, _cut, (double, late))
        timer.daemon = True
        timer.start()
        try:
            answer = _exchange(raw, target, path, body, headers, context)
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer("too slow" if late.is_set() else type(error).__name__) from None
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise NoAnswer("too slow")  # a head that was cut looks like one that ended
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
            trusted = context or ssl.create_default_context()
            connection.sock = trusted.wrap_socket(raw, server_hostname=target.host)
        own = {"Host": target.authority, "Connection": "close", "Accept-Encoding": "identity"}
        connection.request("POST", path, body, {**headers, **own})
        answer = connection.getresponse()
        return Answer(answer.status, answer.getheader("Retry-After"))
    finally:
        connection.close()


def _cut(double: socket.socket, late: threading.Event) -> None:
    late.set()
    try:
        double.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is cut already
