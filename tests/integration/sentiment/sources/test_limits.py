"""Rate limits: waited for when there is time, told when there is not."""

import pytest

from lambdas.sentiment.sources import RateLimited, Web
from tablewright.runtime.retry import Backoff
from tests.integration.sentiment.sources.clock import START, Clock, after
from tests.integration.sentiment.sources.server import Answer, Server

EPOCH = int(START.timestamp())


@pytest.fixture
def web(clock: Clock) -> Web:
    """A client that waits for limits alone, and not between attempts."""
    return Web(now=clock.now, sleep=clock.sleep, backoff=Backoff(attempts=4, first=0))


def refusal(**headers: str) -> Answer:
    return Answer({}, 429, {name.replace("_", "-"): text for name, text in headers.items()})


@pytest.mark.parametrize(
    "limited",
    [
        refusal(retry_after="30"),
        refusal(retry_after="Sun, 01 Mar 2026 12:00:30 GMT"),
        Answer({}, 503, {"Retry-After": "30"}),
        refusal(x_rate_limit_reset=str(EPOCH + 30)),
        refusal(x_rate_limit_remaining="0", x_rate_limit_reset=str(EPOCH + 30)),
        refusal(x_ratelimit_remaining="0.0", x_ratelimit_reset="30"),
        refusal(x_ratelimit_reset="29.5"),
        refusal(x_ratelimit_remaining="0", x_ratelimit_reset=str(EPOCH + 30)),
    ],
)
def test_a_limit_that_ends_in_time_is_waited_for(
    limited: Answer, web: Web, server: Server, clock: Clock
) -> None:
    server.will_answer(limited, Answer("fine"))
    assert web.get(server.url, {}, {}, after(60)) == "fine"
    assert sum(clock.slept) == 30


def test_a_limit_beyond_the_deadline_is_told(web: Web, server: Server, clock: Clock) -> None:
    server.will_answer(refusal(retry_after="61"))
    with pytest.raises(RateLimited, match=r"before 2026-03-01T12:01:01\+00:00") as error:
        web.get(server.url, {}, {}, after(60))
    assert error.value.until == after(61)
    assert clock.slept == []


def test_without_a_deadline_no_limit_is_waited_for(web: Web, server: Server, clock: Clock) -> None:
    server.will_answer(refusal(retry_after="1"))
    with pytest.raises(RateLimited):
        web.get(server.url, {}, {})
    assert clock.slept == []


@pytest.mark.parametrize("headers", [{}, {"retry_after": "soon"}, {"x_rate_limit_reset": "1e9"}])
def test_a_limit_without_an_end_is_told_at_once(
    headers: dict[str, str], web: Web, server: Server
) -> None:
    server.will_answer(refusal(**headers))
    with pytest.raises(RateLimited, match="wants no further request for a while") as error:
        web.get(server.url, {}, {}, after(60))
    assert error.value.until is None
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"x-rate-limit-remaining": "0", "x-rate-limit-reset": str(EPOCH + 900)},
        {"x-ratelimit-remaining": "0.4", "x-ratelimit-reset": "900"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(EPOCH + 900)},
    ],
)
def test_the_last_request_of_a_window_is_answered_and_the_next_one_not_sent(
    headers: dict[str, str], web: Web, server: Server, clock: Clock
) -> None:
    server.will_answer(Answer("last", headers=headers), Answer("first"))
    assert web.get(server.url, {}, {}, after(60)) == "last"
    with pytest.raises(RateLimited) as error:
        web.get(server.url, {}, {}, after(60))
    assert error.value.until == after(900)
    assert len(server.requests) == 1
    clock.sleep(900)
    assert web.get(server.url, {}, {}) == "first"


def test_a_limit_holds_for_its_host_only(web: Web, server: Server, elsewhere: Server) -> None:
    server.will_answer(refusal(retry_after="900"))
    elsewhere.will_answer(Answer("fine"))
    with pytest.raises(RateLimited):
        web.get(server.url, {}, {})
    assert web.get(elsewhere.url, {}, {}) == "fine"


def test_requests_that_remain_are_not_held_back(web: Web, server: Server, clock: Clock) -> None:
    headers = {"x-rate-limit-remaining": "10", "x-rate-limit-reset": str(EPOCH + 900)}
    server.will_answer(Answer(1, headers=headers), Answer(2, headers=headers))
    assert [web.get(server.url, {}, {}), web.get(server.url, {}, {})] == [1, 2]
    assert clock.slept == []


def test_a_server_that_always_asks_for_patience_is_given_up(web: Web, server: Server) -> None:
    server.will_answer(*[refusal(retry_after="0")] * 9)
    with pytest.raises(RateLimited):
        web.get(server.url, {}, {}, after(60))
    assert len(server.requests) == 4
