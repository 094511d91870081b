"""A function whose services hang answers before Lambda stops it."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from typing import Any

import boto3
import pytest
from botocore.endpoint import DEFAULT_TIMEOUT

from benchmarks.servers.scripted import hangs_up, scripted
from lambdas.sales.handlers import api
from tablewright.runtime import aws as edge
from tablewright.runtime import boto3_client, deadline
from tablewright.runtime.aws import connect
from tablewright.runtime.deadline import invocation, seconds_left
from tablewright.runtime.errors import OutOfTime, Unavailable, Unreachable
from tablewright.runtime.retry import Backoff
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Timeouts
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials
from tests.infrastructure.synthesis import Assembly, resources
from tests.integration.http import Limited
from tests.integration.loopback import Loopback, Session, loopback
from tests.integration.sales.http import CONTRACT, body_of

# The pauses between attempts, of a second and of two, are not shortened.
LIMIT = 10.0
CLAIMS = {"custom:tenant": "acme"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hangs is given up sooner, yet what does not has time on a busy machine."""
    monkeypatch.setitem(edge.SETTINGS, "read_timeout", 0.7)


@pytest.fixture
def cloud(quick: None) -> Iterator[tuple[Loopback, Session]]:
    with loopback() as found:
        yield found


@pytest.fixture
def function(cloud: tuple[Loopback, Session], monkeypatch: pytest.MonkeyPatch) -> Loopback:
    world, session = cloud
    for name in (
        "SALES_INTELLIGENCE_TABLE_NAME",
        "TENANT_ROLE_ARN",
        "CURSOR_SECRET_ARN",
        "EMBEDDING_BUCKET",
    ):
        monkeypatch.setenv(name, name.lower())
    monkeypatch.setattr(boto3.session, "Session", lambda: session)
    monkeypatch.setattr(api, "resources", cache(api.resources.__wrapped__))
    return world


def ask(method: str, path: str, body: Any = None, **query: Any) -> tuple[Any, float]:
    event = CONTRACT.event(method, path, body, claims=CLAIMS, query=query)
    began = time.monotonic()
    answer = api.handler(event, Limited(LIMIT))
    return answer, time.monotonic() - began


@pytest.mark.parametrize("hung", ["PutItem", "AssumeRole"])
def test_a_write_that_hangs_is_answered_in_time(function: Loopback, hung: str) -> None:
    function.hangs = {hung}
    answer, took = ask("POST", "/sales", body_of())
    assert answer["statusCode"] == 503
    assert answer["headers"]["Retry-After"]
    assert took < LIMIT
    assert function.asked.count(hung) > 1  # it was not given up at the first attempt


def test_a_list_whose_shards_hang_is_answered_in_time(function: Loopback) -> None:
    function.hangs = {"Query"}
    answer, took = ask("GET", "/sales", category="dress")
    assert answer["statusCode"] == 503
    assert took < LIMIT


def test_keys_that_cannot_be_read_are_answered_in_time(function: Loopback) -> None:
    function.hangs = {"GetSecretValue"}
    answer, took = ask("GET", "/sales", category="dress", cursor="x" * 40)
    assert answer["statusCode"] == 503
    assert took < LIMIT


def test_near_the_end_of_an_invocation_no_call_begins(cloud: tuple[Loopback, Session]) -> None:
    world, session = cloud
    dynamo = connect(session, "dynamodb")
    with invocation(Limited(0.5)), pytest.raises(OutOfTime):
        dynamo.call("ListTables", {})
    assert world.asked == []
    dynamo.call("ListTables", {})


def test_retries_end_with_the_invocation(cloud: tuple[Loopback, Session]) -> None:
    world, session = cloud
    world.hangs = {"ListTables"}
    dynamo = connect(session, "dynamodb", retries={"mode": "standard", "total_max_attempts": 5})
    began = time.monotonic()
    with invocation(Limited(3)), pytest.raises(Unavailable) as failed:
        dynamo.call("ListTables", {})
    # It was sent, so nobody may say that it was not made.
    assert not isinstance(failed.value, OutOfTime)
    assert time.monotonic() - began < 3
    assert 1 <= world.asked.count("ListTables") < 5


def test_second_attempt_fits_into_what_the_first_one_leaves(
    cloud: tuple[Loopback, Session],
) -> None:
    """In a tenth of the time: a function of 10 s, whose reads take 4 s at most, begins with 8 s."""
    world, session = cloud
    world.hangs_once = {"ListTables"}
    dynamo = connect(session, "dynamodb", read_timeout=0.4)
    with invocation(Limited(0.9 + deadline._ANSWERING)):
        assert dynamo.call("ListTables", {}) == {}
    assert world.asked == ["ListTables", "ListTables"]


def test_time_out_is_cut_to_what_the_invocation_has_left(
    cloud: tuple[Loopback, Session],
) -> None:
    world, session = cloud
    world.hangs = {"ListTables"}
    dynamo = connect(session, "dynamodb", read_timeout=60)
    began = time.monotonic()
    with invocation(Limited(0.5 + deadline._ANSWERING)), pytest.raises(Unavailable) as failed:
        dynamo.call("ListTables", {})
    assert time.monotonic() - began < 0.5 + deadline._ANSWERING
    assert not isinstance(failed.value, OutOfTime)
    assert world.asked == ["ListTables"]


def test_request_that_was_sent_before_the_time_ran_out_is_not_called_unsent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A busy machine sleeps for longer than it was asked to."""
    sleep = time.sleep
    monkeypatch.setattr("time.sleep", lambda seconds: sleep(1))
    keys = Credentials("key", "secret")
    with scripted(hangs_up) as server:
        dynamo = WireClient(SERVICES["dynamodb"], server.url, "eu-west-1", lambda: keys)
        with invocation(Limited(1 + deadline._ANSWERING)), pytest.raises(Unavailable) as failed:
            dynamo.call("UpdateItem", {})
        assert len(server.requests) == 1
    assert not isinstance(failed.value, OutOfTime)
    assert failed.value.maybe_applied


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_connection_is_cut_to_what_the_invocation_has_left(scheme: str) -> None:
    """A full queue of connections delays the next one; a server that says nothing, its TLS."""
    with ExitStack() as held:
        server = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3 if scheme == "http" else 0):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        url = f"{scheme}://127.0.0.1:{server.getsockname()[1]}"
        keys = Credentials("key", "secret")
        dynamo = WireClient(SERVICES["dynamodb"], url, "eu-west-1", lambda: keys)
        began = time.monotonic()
        with invocation(Limited(0.5 + deadline._ANSWERING)), pytest.raises(Unreachable) as failed:
            dynamo.call("ListTables", {})
        assert time.monotonic() - began < 0.5 + deadline._ANSWERING
        assert not failed.value.maybe_applied


def test_sending_is_cut_to_what_the_invocation_has_left() -> None:
    """A server that reads nothing stops a request that is larger than its buffers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        keys = Credentials("key", "secret")
        dynamo = WireClient(SERVICES["dynamodb"], url, "eu-west-1", lambda: keys)
        began = time.monotonic()
        with invocation(Limited(6 + deadline._ANSWERING)), pytest.raises(Unavailable) as failed:
            dynamo.call("PutItem", {"TableName": "t" * 16_000_000})
    assert time.monotonic() - began < edge.SETTINGS["read_timeout"] / 2
    assert failed.value.maybe_applied


def test_time_outs_outside_lambda_are_botocores() -> None:
    assert Timeouts() == (DEFAULT_TIMEOUT, DEFAULT_TIMEOUT)
    assert (edge.SETTINGS["connect_timeout"], edge.SETTINGS["read_timeout"]) == Timeouts()


def test_boto3_does_not_call_a_sent_request_unsent(cloud: tuple[Loopback, Session]) -> None:
    world, session = cloud
    world.hangs = {"ListTables"}
    dynamo = boto3_client.connect(session, "dynamodb", connect_timeout=0.2, read_timeout=0.2)
    seconds = 0.2 + 0.2 + 2 + 0.1 + deadline._ANSWERING
    with invocation(Limited(seconds)), pytest.raises(Unavailable) as failed:
        dynamo.call("ListTables", {})
    assert not isinstance(failed.value, OutOfTime)
    assert world.asked == ["ListTables"]


def test_boto3_with_long_time_outs_calls_within_an_invocation(
    cloud: tuple[Loopback, Session],
) -> None:
    _, session = cloud
    dynamo = boto3_client.connect(session, "dynamodb", connect_timeout=60, read_timeout=60)
    with invocation(Limited(sum(edge.TIMEOUTS_IN_LAMBDA) + 4 + deadline._ANSWERING)):
        assert dynamo.call("ListTables", {})["ResponseMetadata"]["HTTPStatusCode"] == 200


def test_waits_between_tries_end_with_the_invocation() -> None:
    with invocation(Limited(1.5)):
        assert sum(1 for _ in Backoff(attempts=100, first=0.2)) < 100


def test_an_invocation_within_another_has_no_more_time_than_that() -> None:
    with invocation(Limited(10)):
        with invocation(Limited(100), at_most=29):
            assert seconds_left() < 10
        assert seconds_left() < 10
    assert seconds_left() == float("inf")


def test_the_time_of_an_attempt_fits_into_that_of_every_function(dev: Assembly) -> None:
    pause = 2 ** (edge.SETTINGS["retries"]["total_max_attempts"] - 2)
    longest = sum(edge.TIMEOUTS_IN_LAMBDA) + pause + deadline._ANSWERING
    for name in ("forms", "portal", "sales", "sentiment"):
        for function in resources(dev.template(name), "AWS::Lambda::Function").values():
            # It calls nobody.
            if function["Handler"] != "lambdas.sentiment.handlers.serve_page.handler":
                assert function["Timeout"] > longest, function["Handler"]


def test_every_function_is_bound_by_its_time(dev: Assembly) -> None:
    """Those that answer requests are so where all of them are answered."""
    for name in ("forms", "portal", "sales", "sentiment"):
        for function in resources(dev.template(name), "AWS::Lambda::Function").values():
            module = import_module(function["Handler"].removesuffix(".handler"))
            bound = hasattr(module.handler, "__wrapped__") or hasattr(module, "app")
            assert bound or module.__name__ == "lambdas.sentiment.handlers.serve_page", module
