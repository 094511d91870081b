"""Whatever comes back over a connection is an answer, or an error that says what it was."""

import gzip
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Barrier
from typing import Any

import pytest

from benchmarks.servers.scripted import (
    Scripted,
    Step,
    answer,
    hangs_up,
    refusal,
    scripted,
    sends,
)
from tablewright.runtime.deadline import invocation
from tablewright.runtime.errors import AccessDenied, OutOfTime, StoreError, Unavailable, Unreachable
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Timeouts
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials
from tests.integration.http import Limited

KEYS = Credentials("key", "a secret that nobody sees", "a token that nobody sees")
HEAD = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def client(*script: Step, attempts: int = 1, **more: Any) -> Iterator[tuple[WireClient, Scripted]]:
    with scripted(*script) as server:
        made = WireClient(
            SERVICES["dynamodb"], server.url, "eu-west-1", lambda: KEYS,
            attempts=attempts, timeouts=Timeouts(1, 1), **more,
        )  # fmt: skip
        yield made, server
        made.close()


def call(made: WireClient) -> dict[str, Any]:
    return made.call("ListTables", {"Limit": 1})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(HEAD + b"Content-Length: 7\r\n\r\n{\"a\":1}", id="a length"),
        pytest.param(b"HTTP/1.1 200 \r\ncontent-length:7\r\n\r\n{\"a\":1}", id="no reason"),
        pytest.param(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
            b"3;x=y\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nT: x\r\n\r\n",
            id="chunks",
        ),
        pytest.param(
            HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b"
            % (len(gzip.compress(b'{"a":1}')), gzip.compress(b'{"a":1}')),
            id="compressed",
        ),
    ],
)  # fmt: skip
def test_answers_of_every_form_are_read(data: bytes) -> None:
    with client(sends(data), sends(data)) as (made, server):
        assert call(made) == call(made) == {"a": 1}
        assert server.connections == 1


def test_an_answer_that_comes_byte_by_byte_is_read() -> None:
    def slowly(connection: Any) -> bool:
        for byte in HEAD + b'Content-Length: 7\r\n\r\n{"a":1}':
            connection.send(bytes([byte]))
        return True

    with client(slowly) as (made, _):
        assert call(made) == {"a": 1}


def test_a_large_answer_is_read() -> None:
    body = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    with client(answer(body)) as (made, _):
        assert call(made) == {"a": "x" * 3_000_000}


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (hangs_up, "ended before"),
        (sends(HEAD + b"Content-Length: 70\r\n\r\n{}", close=True), "ended before"),
        (sends(HEAD + b"Content-Le", close=True), "ended before"),
        (sends(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "no HTTP answer"),
        (sends(b"HTTP/2 200\r\n\r\n"), "no HTTP answer"),
        (sends(b"HTTP/1.1 OK\r\n\r\n"), "no HTTP answer"),
        (sends(HEAD + b"\r\n"), "where it ends"),
        (sends(HEAD + b"Content-Length: -1\r\n\r\n"), "bytes long"),
        (sends(HEAD + b"Content-Length: 99999999999\r\n\r\n"), "bytes long"),
        (sends(HEAD + b"nonsense\r\nContent-Length: 2\r\n\r\n{}"), "without a name"),
        (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "no size"),
        (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n"), "no size"),
        (sends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n"), "longer than"),
        (sends(b"x" * 70_000), "does not end"),
        (sends(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), "cannot be read"),
        (answer(b"[]"), "cannot be read"),
        (answer(b"<html>"), "cannot be read"),
        (answer(b"[" * 100_000), "cannot be read"),
        (answer(b'{"a":1}', x_amz_crc32="1"), "damaged"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_told_as_such(step: Step, says: str) -> None:
    with client(step, answer(b'{"a":1}')) as (made, _):
        with pytest.raises(Unavailable, match=says) as failed:
            call(made)
        assert not isinstance(failed.value, Unreachable)
        # What is left of it is not taken for the next answer.
        assert call(made) == {"a": 1}


@pytest.mark.parametrize("status", [301, 307, 400, 404, 418])
def test_a_redirection_or_refusal_without_a_reason_is_an_error(status: int) -> None:
    elsewhere = answer(b"", status, Location="http://127.0.0.1:1/")
    with client(elsewhere) as (made, _), pytest.raises(StoreError):
        call(made)


def test_a_read_that_takes_too_long_is_given_up() -> None:
    with client() as (made, server):
        server.then(server.stalls)
        with pytest.raises(Unavailable, match="timed out"):
            made.call("ListTables", {})


def test_answer_that_trickles_for_longer_than_one_read_is_requested_once() -> None:
    """A time-out is for each read: three parts, each 0.5 s after the other, take 1.5 s."""

    def trickles(connection: Any) -> bool:
        for part in (HEAD, b"Content-Length: 7\r\n\r\n", b'{"a"', b":1}"):
            assert not server.closing.wait(0.5)
            connection.sendall(part)
        return True

    with client(trickles, attempts=3) as (made, server):
        assert call(made) == {"a": 1}
        assert len(server.requests) == 1


def test_answer_that_drips_ends_with_the_invocation() -> None:
    with client(attempts=3) as (made, server):

        def drips(connection: Any) -> bool:
            connection.sendall(HEAD + b"X: ")
            # For as long as the test takes: a client without a bound would not come back.
            with suppress(OSError):
                while not server.closing.wait(0.05):
                    connection.send(b"y")
            return False

        server.then(drips)
        with invocation(Limited(1.8)), pytest.raises(Unavailable) as failed:
            call(made)
        assert not isinstance(failed.value, OutOfTime)
        assert len(server.requests) == 1


def test_a_connection_is_used_again_unless_it_was_ended() -> None:
    steps = (answer(), answer(close=True), answer(), hangs_up, answer())
    with client(*steps, attempts=2) as (made, server):
        call(made)
        call(made)
        assert server.connections == 1
        call(made)
        assert server.connections == 2
        call(made)  # hung up on, and tried again
        assert server.connections == 3


def test_a_connection_that_died_at_rest_is_noticed_before_anything_is_sent() -> None:
    with client(answer(), answer()) as (made, server):

        def ends(connection: Any) -> bool:
            answer()(connection)
            return False  # without having said so

        server._script[0] = ends
        call(made)
        server.idle.acquire()
        call(made)
        assert len(server.requests) == server.connections == 2


def test_no_more_than_so_many_connections_are_kept() -> None:
    together = Barrier(8)

    def waits(connection: Any) -> bool:
        together.wait(60)
        return answer()(connection)

    with client(*[waits] * 8, kept=3) as (made, server), ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: call(made), range(8)))
        assert server.connections == 8
        assert len(made._connections._idle) == 3


def test_nothing_secret_is_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    steps = (refusal("InternalServerError", 500), refusal("AccessDeniedException"))
    with client(*steps, attempts=2) as (made, server):
        with pytest.raises(StoreError) as failed:
            call(made)
        assert b"a token that nobody sees" in server.requests[0]
        assert b"a secret that nobody sees" not in server.requests[0]
    said = caplog.text + repr(failed.value) + repr(KEYS) + repr(made)
    assert "attempt 1 failed" in said
    assert "nobody sees" not in said


def test_a_clock_that_is_off_is_set_once_for_all_who_sign() -> None:
    ahead = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    skewed = refusal("InvalidSignatureException", Date=ahead)
    with client(skewed, answer(), answer(), attempts=2) as (made, server):
        # Each in the name of another, as tenants do.
        for who in ("a", "b"):
            assert call(made.signed_by(Credentials(who, "secret"))) == {}
        assert len(server.requests) == 3
    moments = [
        datetime.strptime(found.decode(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        for request in server.requests
        for found in re.findall(rb"X-Amz-Date: (\S+)", request)
    ]
    for later in moments[1:]:
        assert timedelta(minutes=59) < later - moments[0] < timedelta(minutes=62)


@pytest.mark.parametrize("date", ["now", "", "no date"])
def test_a_signature_refused_by_a_clock_like_ours_is_not_tried_again(date: str) -> None:
    told = format_datetime(datetime.now(UTC), usegmt=True) if date == "now" else date
    refused = refusal("InvalidSignatureException", Date=told)
    with client(refused, answer(), attempts=2) as (made, server):
        with pytest.raises(AccessDenied):
            call(made)
        assert len(server.requests) == 1
