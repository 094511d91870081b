"""The HTTP client of the sources: bounded in time and size, polite to rate limits."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlencode, urlsplit

from lambdas.sentiment.sources.errors import (
    BadAnswer,
    InvalidAddress,
    RateLimited,
    SourceError,
    Unauthorized,
    Unavailable,
)
from lambdas.sentiment.sources.limits import free_at
from tablewright.runtime.retry import Backoff
from tablewright.runtime.strict_json import number_or_text

if TYPE_CHECKING:
    import urllib3

_CHUNK = 64 * 1024
_TIMEOUT = 408
_TOO_MANY = 429
_BUSY = 503


class Web:
    """Asks for JSON over HTTPS. Kept for the life of the function's environment.

    It remembers which hosts want no request before when. A request that fails on the way or on
    the server's side is repeated. Compression is not asked for, so that the bound on what
    arrives bounds the memory as well. Errors name host and path only: credentials travel in
    headers, and nothing of a header or body is ever repeated.
    """

    def __init__(
        self,
        *,
        connect_seconds: float = 3.0,
        read_seconds: float = 10.0,
        max_bytes: int = 8 * 1024 * 1024,
        backoff: Backoff | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._max_bytes = max_bytes
        self._backoff = backoff or Backoff(attempts=4, first=0.25, longest=4.0)
        self.now = now
        self._sleep = sleep
        self._free_at: dict[str, datetime] = {}

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        # A fifth of the function's start, and items that come by HTTP or in events need none of it.
        import urllib3

        return urllib3.PoolManager(num_pools=4, maxsize=2)

    def get(
        self,
        url: str,
        parameters: Mapping[str, str | int],
        headers: Mapping[str, str],
        deadline: datetime | None = None,
    ) -> Any:
        """The JSON at an address; numbers with a fraction become Decimal, never float."""
        return self._ask(_Request("GET", f"{url}?{urlencode(parameters)}", headers), deadline)

    def post(
        self,
        url: str,
        form: Mapping[str, str],
        headers: Mapping[str, str],
        deadline: datetime | None = None,
    ) -> Any:
        """The JSON that a form is answered with. The form may arrive more than once."""
        typed = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        return self._ask(_Request("POST", url, typed, urlencode(form)), deadline)

    def _ask(self, request: _Request, deadline: datetime | None) -> Any:
        failure: SourceError = Unavailable(f"no time was left to ask {request.place}")
        self._await_limit(request, deadline)
        for _ in _Attempts(self._backoff, lambda seconds: self._pause(seconds, deadline)):
            left = self._seconds_left(deadline)
            if left <= 0:
                break
            try:
                return self._once(request, left)
            except RateLimited as limit:
                # Without a moment there is nothing to wait for: quick repetition makes it worse.
                if limit.until is None:
                    raise
                self._await_limit(request, deadline)
                failure = limit
            except Unavailable as error:
                failure = error
        raise failure

    def _once(self, request: _Request, left: float) -> Any:
        import urllib3

        connect, read = min(self._connect_seconds, left), min(self._read_seconds, left)
        end = time.monotonic() + min(self._connect_seconds + self._read_seconds, left)
        try:
            response = self._pool.request(
                request.method,
                request.url,
                body=request.body,
                headers=request.headers,
                timeout=urllib3.Timeout(connect=connect, read=read),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                self._heed(response, request)
                content = self._content(response, request.place, end)
            except BaseException:
                response.close()  # its rest is not wanted, and would be the next one's beginning
                raise
            response.release_conn()
        except urllib3.exceptions.HTTPError as error:
            # The error's own text has the whole address in it.
            kind = type(error).__name__
            raise Unavailable(f"{request.place} could not be read: {kind}") from None
        return _parsed(content, request.place)

    def _heed(self, response: urllib3.BaseHTTPResponse, request: _Request) -> None:
        """Remember what the answer says about limits, and raise unless it is a success."""
        place = request.place
        status = response.status
        # 503 with a moment is a server that asks for patience, not one that failed.
        refused = status == _TOO_MANY or (status == _BUSY and "retry-after" in response.headers)
        until = free_at(response.headers, self.now(), refused=refused)
        if until:
            self._free_at[request.host] = until
        if refused:
            raise RateLimited(place, until)
        if status in (401, 403):
            raise Unauthorized(f"{place} refused the credentials with status {status}")
        if status >= 500 or status == _TIMEOUT:
            raise Unavailable(f"{place} answered with status {status}")
        if 300 <= status < 400:
            raise BadAnswer(
                f"{place} redirects elsewhere, where credentials are not sent: "
                "set the source's address to where it is now",
                status,
            )
        if status != 200:
            raise BadAnswer(f"{place} answered with status {status}, not 200", status)

    def _content(self, response: urllib3.BaseHTTPResponse, place: str, end: float) -> bytes:
        # One receive at a time: a timeout of the socket alone lets an answer drip in for ever.
        content = bytearray()
        while chunk := response.read1(_CHUNK, decode_content=False):
            content += chunk
            if len(content) > self._max_bytes:
                raise BadAnswer(f"{place} answered with more than {self._max_bytes} bytes", 200)
            if time.monotonic() > end:
                raise Unavailable(f"{place} answered too slowly")
        return bytes(content)

    def _await_limit(self, request: _Request, deadline: datetime | None) -> None:
        until = self._free_at.get(request.host)
        wait = (until - self.now()).total_seconds() if until else 0.0
        if wait <= 0:
            return
        if deadline is None or wait >= self._seconds_left(deadline):
            raise RateLimited(request.place, until) from None
        self._sleep(wait)

    def _pause(self, seconds: float, deadline: datetime | None) -> None:
        self._sleep(max(0.0, min(seconds, self._seconds_left(deadline))))

    def _seconds_left(self, deadline: datetime | None) -> float:
        return (deadline - self.now()).total_seconds() if deadline else float("inf")


class _Request:
    """A request that is safe to send: over an encrypted connection, with headers that fit."""

    __slots__ = ("body", "headers", "host", "method", "place", "url")

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], body: str | None = None
    ) -> None:
        address = _safe(url)
        self.method = method
        self.url = url
        self.host = address.netloc
        self.place = f"{address.hostname}{address.path}"
        # Left to the HTTP library, its error would have the header in it.
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise Unauthorized(
                f"the credentials for {self.place} must be printable ASCII without line breaks"
            )
        self.headers = {**headers, "Accept": "application/json"}
        self.body = body


class _Attempts(Backoff):
    """The attempts of one request, whose waits end at its deadline."""

    __slots__ = ("_pause",)

    def __init__(self, like: Backoff, pause: Callable[[float], None]) -> None:
        super().__init__(attempts=like.attempts, first=like.first, longest=like.longest)
        self._pause = pause

    def sleep(self, seconds: float) -> None:
        self._pause(seconds)


def _safe(url: str) -> SplitResult:
    """The address, if it is one that credentials may be sent to."""
    try:
        address = urlsplit(url)
        host = address.hostname
    except ValueError:
        host = None
    if not host:
        raise InvalidAddress("a source's address must be like https://api.example.com")
    if address.scheme == "https" or (address.scheme == "http" and _is_loopback(host)):
        return address
    raise InvalidAddress(f"the address of {host} must begin with https://")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _parsed(content: bytes, place: str) -> Any:
    try:
        return json.loads(
            content.decode(),
            parse_int=number_or_text,
            parse_float=number_or_text,
            parse_constant=_refuse,
        )
    except (ValueError, RecursionError):
        raise BadAnswer(f"{place} answered something that is not JSON", 200) from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
