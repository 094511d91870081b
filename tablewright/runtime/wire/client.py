"""WireClient: makes the calls of an AWS service with nothing but the standard library."""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tablewright import __version__
from tablewright.runtime.deadline import seconds_left
from tablewright.runtime.errors import (
    OutOfTime,
    StoreError,
    Unavailable,
    Unreachable,
    from_response,
)
from tablewright.runtime.wire.connection import (
    KEPT,
    Broken,
    Connections,
    NotSent,
    Reply,
    Timeouts,
)
from tablewright.runtime.wire.protocol import Service
from tablewright.runtime.wire.retries import Retries, is_throttle, is_transient
from tablewright.runtime.wire.signing import Credentials, Signer

if TYPE_CHECKING:
    from logging import Logger

# How long ago, or ahead, a signature may be: a clock that is further off is set by the service's.
_SKEW = 240.0
_SKEWED = frozenset(
    {
        "InvalidSignatureException",
        "RequestExpired",
        "RequestInTheFuture",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    }
)
# Characters of a trace's header that need no escape.
_OF_TRACES = "-=;:+&[]{}\"',"
_TIMEOUTS = Timeouts()
# Characters of an error's message.
_LONGEST_MESSAGE = 1000
# An attempt that has fewer seconds is not made: its answer would come too late.
_SHORTEST_ATTEMPT = 0.2
_PYTHON = ".".join(map(str, sys.version_info[:3]))
_AGENT = (
    f"User-Agent: tablewright/{__version__} lang/python#{_PYTHON}\r\nAccept-Encoding: identity\r\n"
)


class _Failure(NamedTuple):
    """An attempt that failed, whether another may succeed, and whether this one may have had its
    effect: it had no readable answer, or a 5xx."""

    error: StoreError
    again: bool = True
    throttled: bool = False
    asked: bytes | None = None
    maybe_applied: bool = True


class WireClient:
    """Makes the calls of one service in one region. Safe among threads.

    Signs each request, keeps connections, tries again as botocore's `standard` mode does, checks
    the checksums of answers, and raises the errors of `tablewright.runtime.errors`. Like any client
    of AWS it sends a request again whose answer was lost, with the same idempotency token where the
    operation has one. Any other write that must not happen twice needs a condition.

    Example::

        client = WireClient(SERVICES["dynamodb"], "https://dynamodb.eu-west-1.amazonaws.com",
                            "eu-west-1", credentials)
        store = Store(Orders, "dev-orders", client)
    """

    def __init__(
        self,
        service: Service,
        endpoint: str,
        region: str,
        credentials: Callable[[], Credentials],
        *,
        attempts: int = 3,
        timeouts: Timeouts = _TIMEOUTS,
        kept: int = KEPT,
        ca_bundle: str | None = None,
    ) -> None:
        self._service = service
        self._credentials = credentials
        self._attempts = attempts
        self._timeouts = timeouts
        self._connections = Connections(endpoint, timeouts, kept=kept, ca_bundle=ca_bundle)
        host, path = self._connections.host, self._connections.path
        self._signer = Signer(service.name, region, host, path, service.content_type)
        self._retries = Retries(service.name)
        self._in_lambda = "AWS_LAMBDA_FUNCTION_NAME" in os.environ

    def signed_by(self, credentials: Credentials) -> WireClient:
        """The same client, with its connections, for requests that others sign."""
        other = object.__new__(WireClient)
        other.__dict__.update(self.__dict__)
        other._credentials = lambda: credentials
        return other

    def close(self) -> None:
        """End the connections that are at rest."""
        self._connections.close()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, by its name in the service's API; raises StoreError."""
        service = self._service
        traits = service.operations.get(operation)
        if traits is None or not params.keys().isdisjoint(traits.boto3_only):
            raise StoreError(
                f"{operation}: the wire client of {service.name} does not support this call; "
                f'make it with boto3_client.connect(session, "{service.name}")'
            )
        if traits.token and traits.token not in params:
            params = {**params, traits.token: _new_token()}
        body = service.dump(operation, params)
        target = service.target and service.target + operation
        taken = 0
        sent = lost = False
        failure: _Failure | None = None
        for attempt in range(1, self._attempts + 1):
            if seconds_left() < _SHORTEST_ATTEMPT:
                if failure is not None:
                    raise failure.error
                raise OutOfTime(f"{operation}: the invocation has no time left for another call")
            try:
                reply = self._connections.exchange(self._signed(target, body))
            except StoreError as error:  # of the credentials
                if failure is None:
                    raise
                raise failure.error from error
            except NotSent as error:
                kind = Unavailable if sent else Unreachable
                failure = _Failure(kind(f"{operation}: {error}"), maybe_applied=False)
            except Broken as error:
                sent = True
                failure = _Failure(Unavailable(f"{operation}: {error}"))
            else:
                sent = True
                found = self._read(operation, reply)
                if not isinstance(found, _Failure):
                    self._retries.succeeded(taken)
                    return found
                failure = found
            failure.error.maybe_applied = lost = lost or failure.maybe_applied
            if not failure.again or attempt == self._attempts:
                raise failure.error
            taken = self._retries.take(throttled=failure.throttled)
            if not taken:
                raise failure.error
            self._wait(attempt, failure)
        raise AssertionError("an attempt neither failed nor succeeded")

    def _signed(self, target: str, body: bytes) -> bytes:
        now = time.time() + self._signer.clock_is_off
        more = _AGENT + self._service.headers
        # By it Lambda sees functions that set each other off without end.
        if self._in_lambda and (trace := os.environ.get("_X_AMZN_TRACE_ID")):
            more = f"{more}X-Amzn-Trace-Id: {quote(trace, safe=_OF_TRACES)}\r\n"
        return self._signer.request(target, body, self._credentials(), now, more)

    def _wait(self, failed: int, failure: _Failure) -> None:
        pause = self._retries.pause(failed, throttled=failure.throttled, asked=failure.asked)
        if seconds_left() < pause + _SHORTEST_ATTEMPT:
            raise failure.error
        _log().debug("attempt %d failed, the next is in %.3f s: %s", failed, pause, failure.error)
        time.sleep(pause)

    def _read(self, operation: str, reply: Reply) -> dict[str, Any] | _Failure:
        status, headers, body = reply
        checksum = headers.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % zlib.crc32(body):
            return _Failure(Unavailable(f"{operation}: the answer was damaged"))
        try:
            if headers.get(b"content-encoding") == b"gzip":
                body = zlib.decompress(body, wbits=zlib.MAX_WBITS | 16)
            answer = self._service.load(body or b"{}")
            if status == 200 and isinstance(answer, dict):
                return self._service.operations[operation].decode(answer)
        except (ValueError, zlib.error):
            # A page of a proxy: as in botocore, it is the message.
            answer = {"message": body[:_LONGEST_MESSAGE].decode(errors="replace")}
        if status == 200:
            return _Failure(Unavailable(f"{operation}: the answer cannot be read"))
        return self._refused(operation, reply, answer if isinstance(answer, dict) else {})

    def _refused(self, operation: str, reply: Reply, answer: dict[str, Any]) -> _Failure:
        status, headers, _ = reply
        code = str(answer.get("__type") or status).partition(":")[0].rpartition("#")[2]
        former = headers.get(b"x-amzn-query-error", b"").decode("latin-1").split(";")
        if len(former) == 2 and former[0]:
            code = former[0]
        message = answer.get("message") or answer.get("Message") or ""
        told = {
            **answer,
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }
        throttled = is_throttle(status, code)
        again = throttled or is_transient(status, code)
        if code in _SKEWED and self._set_clock(headers.get(b"date", b"")):
            again = True
        asked = headers.get(b"x-amz-retry-after")
        error = from_response(operation, told)
        maybe_applied = status >= 500 or type(error) is Unavailable
        return _Failure(error, again, throttled, asked, maybe_applied)

    def _set_clock(self, date: bytes) -> bool:
        """Go by the service's clock where ours is far off it; False where it is not."""
        # Seldom needed, and slow to import.
        from calendar import timegm
        from email.utils import parsedate

        parsed = parsedate(date.decode("latin-1"))
        if parsed is None:
            return False
        off = timegm(parsed) - time.time()
        if abs(off - self._signer.clock_is_off) <= _SKEW:
            return False
        self._signer.clock_is_off = off
        _log().warning("this machine's clock is %.0f s off the service's, which is used", off)
        return True


def _new_token() -> str:
    from uuid import uuid4  # seldom needed, and slow to import

    return str(uuid4())


def _log() -> Logger:
    # Seldom needed, and a tenth of a start.
    import logging

    return logging.getLogger(__name__)
