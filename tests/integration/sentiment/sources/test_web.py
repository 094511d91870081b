"""The HTTP client, over real sockets."""

import logging
import traceback
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.sources import (
    BadAnswer,
    InvalidAddress,
    SourceError,
    Unauthorized,
    Unavailable,
    Web,
)
from tablewright.runtime.retry import Backoff
from tests.integration.sentiment.sources.clock import Clock, after
from tests.integration.sentiment.sources.server import (
    Answer,
    Cut,
    Drip,
    Drop,
    Flood,
    Hang,
    Server,
)

SECRET = "s3cret-value"
HEADERS = {"Authorization": f"Bearer {SECRET}"}


def ask(web: Web, server: Server, deadline: datetime | None = None) -> Any:
    return web.get(f"{server.url}/search", {"q": "a b&c"}, HEADERS, deadline)


def test_parameters_and_headers_arrive_as_they_were_given(web: Web, server: Server) -> None:
    server.will_answer(Answer({"fine": True}))
    assert ask(web, server) == {"fine": True}
    [request] = server.requests
    assert (request.method, request.path) == ("GET", "/search")
    assert request.parameters == {"q": "a b&c"}
    assert request.headers["authorization"] == f"Bearer {SECRET}"


def test_a_form_is_posted(web: Web, server: Server) -> None:
    server.will_answer(Answer())
    web.post(f"{server.url}/token", {"grant": "a&b"}, HEADERS)
    [request] = server.requests
    assert (request.method, request.body) == ("POST", "grant=a%26b")
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"


def test_a_fraction_becomes_a_decimal(web: Web, server: Server) -> None:
    server.will_answer(Answer(b'{"number": 0.1}'))
    number = ask(web, server)["number"]
    assert isinstance(number, Decimal)
    assert number == Decimal("0.1")


def test_answers_over_one_connection_do_not_mix(web: Web, server: Server) -> None:
    server.will_answer(Answer(1), Answer(b"{broken"), Answer({}, 404), Answer(2))
    assert ask(web, server) == 1
    for _ in range(2):
        with pytest.raises(BadAnswer):
            ask(web, server)
    assert ask(web, server) == 2


@pytest.mark.parametrize("failure", [Answer({}, 500), Answer({}, 503), Drop(), Cut()])
def test_a_failure_is_repeated_until_it_works(
    failure: Answer, web: Web, server: Server, clock: Clock
) -> None:
    server.will_answer(failure, failure, Answer("fine"))
    assert ask(web, server) == "fine"
    assert len(clock.slept) == 2


def test_a_failure_that_stays_is_given_up(clock: Clock, server: Server) -> None:
    web = Web(now=clock.now, sleep=clock.sleep, backoff=Backoff(attempts=3, first=1, longest=2))
    server.will_answer(*[Answer({}, 502)] * 4)
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1/search answered with status 502"):
        ask(web, server)
    assert len(server.requests) == 3
    assert all(0 <= seconds <= 2 for seconds in clock.slept)


def test_nobody_listening_is_unavailable(web: Web, server: Server) -> None:
    server.server_close()
    with pytest.raises(Unavailable, match="could not be read: NewConnectionError"):
        ask(web, server)


def test_a_server_without_encryption_is_not_talked_to_as_if_it_had_one(
    web: Web, server: Server
) -> None:
    with pytest.raises(Unavailable, match="SSLError"):
        web.get(server.url.replace("http:", "https:"), {}, HEADERS)
    assert server.requests == []


@pytest.mark.parametrize("slow", [Hang(), Drip()])
def test_a_slow_answer_is_not_waited_for(slow: Answer, server: Server) -> None:
    web = Web(connect_seconds=0.1, read_seconds=0.7, backoff=Backoff(attempts=1))
    server.will_answer(slow)
    with pytest.raises(Unavailable, match=r"ReadTimeoutError|answered too slowly"):
        ask(web, server)


def test_an_answer_that_takes_longer_than_the_deadline_is_not_waited_for(
    clock: Clock, server: Server
) -> None:
    web = Web(read_seconds=3600, now=clock.now, sleep=clock.sleep, backoff=Backoff(attempts=1))
    server.will_answer(Hang())
    with pytest.raises(Unavailable, match="ReadTimeoutError"):
        ask(web, server, after(0.2))


def test_repetition_ends_at_the_deadline(clock: Clock, server: Server) -> None:
    web = Web(now=clock.now, sleep=clock.sleep, backoff=Backoff(attempts=9, first=64, longest=999))
    server.will_answer(*[Answer({}, 500)] * 9)
    with pytest.raises(Unavailable, match="status 500"):
        ask(web, server, after(20))
    assert clock.now() == after(20)


def test_after_the_deadline_nothing_is_asked(web: Web, server: Server) -> None:
    with pytest.raises(Unavailable, match=r"no time was left to ask 127\.0\.0\.1/search"):
        ask(web, server, after(0))
    assert server.requests == []


@pytest.mark.parametrize("answer", [Answer(b" " * 1001), Flood()])
def test_an_answer_beyond_the_bound_is_refused(answer: Answer, server: Server) -> None:
    server.will_answer(answer)
    with pytest.raises(BadAnswer, match="more than 1000 bytes"):
        ask(Web(max_bytes=1000), server)


def test_an_answer_at_the_bound_is_read(server: Server) -> None:
    server.will_answer(Answer(b" " * 999 + b"7"))
    assert ask(Web(max_bytes=1000), server) == 7


def test_a_number_that_nothing_can_keep_does_not_spoil_the_answer(web: Web, server: Server) -> None:
    huge = "1e99999999999999999999"
    server.will_answer(Answer(f'[{{"n": {huge}}}, {{"n": {"9" * 5000}}}, {{"n": 0.5}}]'.encode()))
    assert ask(web, server) == [{"n": huge}, {"n": "9" * 5000}, {"n": Decimal("0.5")}]


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": ', b"\xff\xfe", b"NaN", b"[" * 100_000])
def test_what_is_not_json_is_a_bad_answer(body: bytes, web: Web, server: Server) -> None:
    server.will_answer(Answer(body))
    with pytest.raises(BadAnswer, match="not JSON"):
        ask(web, server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(
    status: int, web: Web, server: Server, elsewhere: Server
) -> None:
    server.will_answer(Answer({}, status, {"Location": f"{elsewhere.url}/search"}))
    with pytest.raises(BadAnswer, match="set the source's address to where it is now"):
        ask(web, server)
    assert elsewhere.requests == []


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_not_tried_again(status: int, web: Web, server: Server) -> None:
    server.will_answer(Answer({}, status))
    with pytest.raises(Unauthorized, match=f"refused the credentials with status {status}"):
        ask(web, server)
    assert len(server.requests) == 1


def test_any_other_status_is_a_bad_answer_that_tells_it(web: Web, server: Server) -> None:
    server.will_answer(Answer({}, 400))
    with pytest.raises(BadAnswer, match="status 400, not 200") as error:
        ask(web, server)
    assert error.value.status == 400


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com",
        "http://127.0.0.1.example.com",
        "http://10.0.0.1",
        "ftp://127.0.0.1",
        "//127.0.0.1",
        "https://",
        "https://[::1",
        "api.example.com",
    ],
)
def test_credentials_go_over_encrypted_connections_only(url: str, web: Web) -> None:
    with pytest.raises(InvalidAddress, match="https://"):
        web.get(url, {}, HEADERS)


@pytest.mark.parametrize("credential", [f"{SECRET}\n", f"{SECRET}\r\nX: y", f"{SECRET}é"])
def test_credentials_that_no_header_can_carry_are_refused_without_being_told(
    credential: str, web: Web, server: Server
) -> None:
    with pytest.raises(Unauthorized, match="printable ASCII") as error:
        web.get(server.url, {}, {"Authorization": credential})
    assert SECRET not in "".join(traceback.format_exception(error.value))
    assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"message": SECRET}, 400),
        Answer({"message": SECRET}, 401, {"X-Echo": SECRET}),
        Answer({"message": SECRET}, 429),
        Answer({"message": SECRET}, 302, {"Location": f"/{SECRET}"}),
        Answer(SECRET.encode()),
        Drop(),
    ],
)
def test_no_error_and_no_log_line_tells_a_secret(
    answer: Answer, server: Server, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    web = Web(now=clock.now, sleep=clock.sleep, backoff=Backoff(attempts=1))
    server.will_answer(answer)
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceError) as error:
        ask(web, server)
    assert SECRET not in "".join(traceback.format_exception(error.value))
    assert "127.0.0.1" in caplog.text  # so what the client logs is here
    assert SECRET not in caplog.text
