"""Whether a request that failed may have had an effect, on real sockets."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import boto3
import pytest

from tablewright.runtime import boto3_client
from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import Unavailable, Unreachable


@pytest.fixture(params=[connect, boto3_client.connect])
def client(request: pytest.FixtureRequest) -> Callable[[int], Caller]:
    def of(port: int) -> Caller:
        session = boto3.session.Session("own", "own", region_name="eu-west-1")
        made: Caller = request.param(session, "dynamodb", endpoint_url=f"http://127.0.0.1:{port}")
        return made

    return of


@contextmanager
def server(answers: int) -> Iterator[tuple[int, list[bytes]]]:
    """Takes so many connections, reads each one's request, and hangs up; then it is gone."""
    asked: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))
    port = int(listening.getsockname()[1])

    def serve() -> None:
        for _ in range(answers):
            connection, _ = listening.accept()
            asked.append(connection.recv(65536))
            # Before the hang-up, so that the next attempt finds nobody.
            if len(asked) == answers:
                listening.close()
            connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield port, asked
    thread.join()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def test_where_nobody_listens_the_request_was_never_sent(client: Callable[[int], Caller]) -> None:
    with pytest.raises(Unreachable):
        client(free_port()).call("ListTables", {})


def test_a_request_that_was_sent_and_not_answered_may_have_had_an_effect(
    client: Callable[[int], Caller],
) -> None:
    with server(3) as (port, asked), pytest.raises(Unavailable) as failed:
        client(port).call("ListTables", {})
    assert len(asked) == 3
    assert not isinstance(failed.value, Unreachable)


def test_one_sent_attempt_counts_although_the_last_found_nobody(
    client: Callable[[int], Caller],
) -> None:
    with server(1) as (port, asked):
        dynamodb = client(port)
        with pytest.raises(Unavailable) as failed:
            dynamodb.call("ListTables", {})
    assert len(asked) == 1
    assert not isinstance(failed.value, Unreachable)
    # What was sent by one call is of no meaning for the next.
    with pytest.raises(Unreachable):
        dynamodb.call("ListTables", {})
