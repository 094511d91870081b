"""Writes whose answers are lost on the way, by both clients, against DynamoDB Local.

A proxy between the client and DynamoDB Local loses requests or answers. An operation that promises
it is carried out once; of any other the table shows each request that arrived. No call reports a
request that was carried out as one that was not made.
"""

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from benchmarks.servers.scripted import Server, Step
from tablewright.runtime import aws, boto3_client
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, OutOfTime, Unavailable, Unreachable
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.services import SERVICES
from tablewright.testing import Database
from tablewright.testing.database import REGION

ATTEMPTS = 3
TABLE = "counters"
KEY = {"PK": {"S": "k"}}
ADD_ONE = {
    "TableName": TABLE,
    "Key": KEY,
    "UpdateExpression": "ADD n :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}
STATEMENT = {"Statement": "UPDATE counters SET n = n + 1 WHERE PK = 'k'"}
# Each adds one to `n`.
ADDITIONS: dict[str, dict[str, Any]] = {
    "UpdateItem": ADD_ONE,
    "TransactWriteItems": {"TransactItems": [{"Update": ADD_ONE}]},
    "ExecuteStatement": STATEMENT,
    "BatchExecuteStatement": {"Statements": [STATEMENT]},
    "ExecuteTransaction": {"TransactStatements": [STATEMENT]},
}
ONCE = {"TransactWriteItems", "ExecuteTransaction"}
ITEM = {**KEY, "n": {"N": "7"}}
# Each has the same effect however often it arrives: the item after it.
REPLACEMENTS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "PutItem": ({"TableName": TABLE, "Item": ITEM}, ITEM),
    "DeleteItem": ({"TableName": TABLE, "Key": KEY}, None),
    "BatchWriteItem": ({"RequestItems": {TABLE: [{"PutRequest": {"Item": ITEM}}]}}, ITEM),
}
# Operations that change no item.
OF_TABLES = {
    *("CreateTable", "DeleteTable", "UpdateContinuousBackups", "UpdateTable", "UpdateTimeToLive"),
}
BEFORE, AFTER, MIDDLE = "before it is passed on", "after it was carried out", "in mid-answer"
POINTS = (BEFORE, AFTER, MIDDLE)


class Proxy(Server):
    """Passes requests on; of writes it loses as many as `losses` says, at the same point each."""

    def __init__(self, endpoint: str) -> None:
        host, port = endpoint.removeprefix("http://").split(":")
        self._service = (host, int(port))
        self.losses = 0
        self.point = ""
        self.bodies: list[Any] = []
        self.arrivals = 0
        super().__init__()

    def step(self, request: bytes) -> Step:
        self.bodies.append(json.loads(request.partition(b"\r\n\r\n")[2]))
        point = self.point if self.losses else ""
        self.losses = max(0, self.losses - 1)

        def pass_on(connection: socket.socket) -> bool:
            if point == BEFORE:
                return False
            answer = self._answer(request)
            self.arrivals += 1
            if point != AFTER:
                connection.sendall(answer[: len(answer) - 1] if point else answer)
            return False

        return pass_on

    def _answer(self, request: bytes) -> bytes:
        """The answer of the service, with a header that ends the connection."""
        head, _, body = request.partition(b"\r\n\r\n")
        with socket.create_connection(self._service, 60) as service:
            service.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
            answer = b""
            while part := service.recv(65536):
                answer += part
        return answer


@pytest.fixture
def proxy(dynamodb: Database) -> Iterator[Proxy]:
    dynamodb.caller.call(
        "CreateTable",
        {
            "TableName": TABLE,
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    dynamodb.caller.call("PutItem", {"TableName": TABLE, "Item": {**KEY, "n": {"N": "0"}}})
    made = Proxy(dynamodb.client().meta.endpoint_url)
    yield made
    made.close()


@pytest.fixture(params=[aws.connect, boto3_client.connect], ids=["wire", "boto3"])
def caller(
    request: pytest.FixtureRequest,
    dynamodb: Database,
    proxy: Proxy,
    monkeypatch: pytest.MonkeyPatch,
) -> Caller:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    session = boto3.session.Session(**dynamodb._credentials, region_name=REGION)
    made: Caller = request.param(session, "dynamodb", endpoint_url=proxy.url)
    assert isinstance(made, WireClient) == (request.param is aws.connect)
    return made


def test_every_write_of_items_is_tried() -> None:
    reads = re.compile("(Batch|Transact)?Get|Describe|List|Query|Scan")
    writes = {name for name in SERVICES["dynamodb"].operations if not reads.match(name)}
    assert writes == {*ADDITIONS, *REPLACEMENTS, *OF_TABLES}


def stored(dynamodb: Database) -> dict[str, Any] | None:
    read = {"TableName": TABLE, "Key": KEY, "ConsistentRead": True}
    item: dict[str, Any] | None = dynamodb.client().get_item(**read).get("Item")
    return item


@pytest.mark.parametrize("losses", range(ATTEMPTS + 1))
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("operation", ADDITIONS)
def test_addition_is_carried_out_as_often_as_it_arrives_and_by_a_transaction_once(
    operation: str, point: str, losses: int, caller: Caller, proxy: Proxy, dynamodb: Database
) -> None:
    proxy.point, proxy.losses = point, losses
    call(caller, operation, ADDITIONS[operation], succeeds=losses < ATTEMPTS)
    assert len(proxy.bodies) == min(losses + 1, ATTEMPTS)
    passed_on = len(proxy.bodies) - (losses if point == BEFORE else 0)
    assert proxy.arrivals == max(passed_on, 0)
    expected = min(proxy.arrivals, 1) if operation in ONCE else proxy.arrivals
    assert stored(dynamodb) == {**KEY, "n": {"N": str(expected)}}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("operation", REPLACEMENTS)
def test_replacement_that_is_repeated_has_one_effect(
    operation: str, point: str, caller: Caller, proxy: Proxy, dynamodb: Database
) -> None:
    params, item = REPLACEMENTS[operation]
    proxy.point, proxy.losses = point, 2
    call(caller, operation, params, succeeds=True)
    assert stored(dynamodb) == item


@pytest.mark.parametrize("point", POINTS)
def test_second_call_of_the_same_transaction_is_another_transaction(
    point: str, caller: Caller, proxy: Proxy, dynamodb: Database
) -> None:
    for _ in range(2):
        proxy.point, proxy.losses = point, 1
        call(caller, "TransactWriteItems", ADDITIONS["TransactWriteItems"], succeeds=True)
    tokens = [body["ClientRequestToken"] for body in proxy.bodies]
    assert tokens[0] == tokens[1] != tokens[2] == tokens[3]
    assert stored(dynamodb) == {**KEY, "n": {"N": "2"}}


@pytest.mark.parametrize("point", [AFTER, MIDDLE])
def test_conditional_write_whose_answer_was_lost_is_a_conflict(
    point: str, caller: Caller, proxy: Proxy, dynamodb: Database
) -> None:
    """DynamoDB cannot tell the client's own write from another's; the caller reads the item."""
    claim = {**ADD_ONE, "ConditionExpression": "n = :zero"}
    claim["ExpressionAttributeValues"] = {":one": {"N": "1"}, ":zero": {"N": "0"}}
    proxy.point, proxy.losses = point, 1
    with pytest.raises(Conflict):
        caller.call("UpdateItem", claim)
    assert stored(dynamodb) == {**KEY, "n": {"N": "1"}}


@pytest.mark.parametrize("point", [AFTER, MIDDLE])
def test_conditional_transaction_whose_answer_was_lost_has_succeeded(
    point: str, caller: Caller, proxy: Proxy, dynamodb: Database
) -> None:
    claim = {**ADD_ONE, "ConditionExpression": "n = :zero"}
    claim["ExpressionAttributeValues"] = {":one": {"N": "1"}, ":zero": {"N": "0"}}
    proxy.point, proxy.losses = point, 2
    caller.call("TransactWriteItems", {"TransactItems": [{"Update": claim}]})
    assert stored(dynamodb) == {**KEY, "n": {"N": "1"}}


def call(caller: Caller, operation: str, params: dict[str, Any], *, succeeds: bool) -> None:
    if succeeds:
        caller.call(operation, params)
        return
    with pytest.raises(Unavailable) as failed:
        caller.call(operation, params)
    # Each attempt was sent, so nobody may say that the write did not happen.
    assert not isinstance(failed.value, OutOfTime | Unreachable)
