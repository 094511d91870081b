"""The wire client does as boto3's does: requests, answers, errors, retries."""

import random
import re
import zlib
from functools import cache
from typing import Any

import boto3
import pytest
from botocore.credentials import Credentials
from botocore.exceptions import CredentialRetrievalError

from benchmarks.servers.scripted import Step, answer, hangs_up, refusal, scripted
from tablewright.runtime import aws, boto3_client
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.deadline import invocation
from tablewright.runtime.errors import OutOfTime, StoreError, Unavailable, Unreachable
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.wire.client import WireClient
from tablewright.testing import Database
from tests.integration.http import Limited

ATTEMPTS = 3
THROTTLED = refusal("ProvisionedThroughputExceededException")
# What both are answered, one after another, until one of them gives up.
SCRIPTS: dict[str, list[Step]] = {
    "at once": [answer()],
    "in the end": [THROTTLED, refusal("InternalServerError", 500), answer()],
    "never": [THROTTLED] * 4,
    "refused": [refusal("ValidationException")],
    "refused after a retry": [answer(b"", 503), refusal("ResourceNotFoundException")],
    "hung up on": [hangs_up, hangs_up, answer()],
    "hung up on for ever": [hangs_up] * 4,
    "damaged once": [answer(b'{"a":1}', x_amz_crc32="7"), answer()],
    "throttled without a code": [answer(b"", 429), answer(b"{}", 429), answer()],
    "bad gateway": [answer(b"<html>", 502), answer(b"", 504), answer()],
    "a condition": [refusal("ConditionalCheckFailedException")],
    "a transaction in progress": [refusal("TransactionInProgressException"), answer()],
    "a transaction in conflict": [refusal("TransactionConflictException"), answer()],
    "a timeout of the service": [refusal("RequestTimeout"), answer()],
    "limits": [refusal("RequestLimitExceeded"), refusal("LimitExceededException"), answer()],
    "credentials": [refusal("ExpiredTokenException")],
}  # fmt: skip


# Whether an attempt before the one that failed its condition may have been applied.
CONDITION = refusal("ConditionalCheckFailedException")
MAYBE_APPLIED: list[tuple[list[Step], bool]] = [
    ([CONDITION], False),
    ([THROTTLED, CONDITION], False),
    ([answer(b"{}", 429), CONDITION], False),
    ([hangs_up, CONDITION], True),
    ([refusal("InternalServerError", 500), CONDITION], True),
    ([answer(b"", 503), CONDITION], True),
    ([answer(b'{"a":1}', x_amz_crc32="7"), CONDITION], True),
    ([hangs_up, THROTTLED, CONDITION], True),
    ([hangs_up] * 3, True),
    ([THROTTLED] * 3, False),
    ([refusal("ThrottlingException", 503)] * 3, True),
    ([refusal("InternalFailure", 400), CONDITION], True),
    ([answer(b"<html>", 502), refusal("ExpiredTokenException")], True),
]


@cache
def session() -> boto3.session.Session:
    return boto3.session.Session("key", "secret", "token", region_name="eu-west-1")


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


def outcome(caller: Caller) -> tuple[type[StoreError] | None, Any]:
    try:
        found = caller.call("ListTables", {})
    except StoreError as error:
        return type(error), re.sub(r": .*", "", str(error))
    return None, {name: value for name, value in found.items() if name != "ResponseMetadata"}


@pytest.mark.parametrize("connect", [aws.connect, boto3_client.connect])
@pytest.mark.parametrize("number", range(len(MAYBE_APPLIED)))
def test_an_error_tells_that_an_earlier_attempt_may_have_been_applied(
    connect: Any, number: int, no_pauses: None
) -> None:
    script, maybe_applied = MAYBE_APPLIED[number]
    with scripted(*script) as server:
        caller = connect(session(), "dynamodb", endpoint_url=server.url)
        with pytest.raises(StoreError) as refused:
            caller.call("UpdateItem", {})
    assert refused.value.maybe_applied == maybe_applied


@pytest.mark.parametrize("connect", [aws.connect, boto3_client.connect])
def test_call_that_was_not_sent_was_not_applied(connect: Any, no_pauses: None) -> None:
    with scripted() as server:
        caller = connect(session(), "dynamodb", endpoint_url=server.url)
        with invocation(Limited(1.1)), pytest.raises(OutOfTime) as late:
            caller.call("UpdateItem", {})
        assert server.requests == []
    nobody = connect(session(), "dynamodb", endpoint_url="http://127.0.0.1:1")
    with pytest.raises(Unreachable) as unreachable:
        nobody.call("UpdateItem", {})
    assert not late.value.maybe_applied
    assert not unreachable.value.maybe_applied


@pytest.mark.parametrize("connect", [aws.connect, boto3_client.connect])
@pytest.mark.parametrize("lost", [False, True])
def test_credentials_that_fail_before_a_retry_do_not_hide_what_was_sent(
    connect: Any, lost: bool, no_pauses: None
) -> None:
    class Failing(Credentials):  # type: ignore[misc]
        reads = 0

        def get_frozen_credentials(self) -> Any:
            self.reads += 1
            if self.reads > lost:
                raise CredentialRetrievalError(provider="p", error_msg="m")
            return super().get_frozen_credentials()

    own = boto3.session.Session(region_name="eu-west-1")
    core: Any = own._session
    core._credentials = Failing("key", "secret")
    with scripted(hangs_up) as server:
        caller = connect(own, "dynamodb", endpoint_url=server.url)
        with pytest.raises(Unavailable) as failed:
            caller.call("UpdateItem", {})
        assert len(server.requests) == lost
    assert failed.value.maybe_applied == lost


@pytest.mark.parametrize("name", SCRIPTS)
def test_as_many_attempts_with_the_same_end(name: str, no_pauses: None) -> None:
    ends = []
    for connect in (aws.connect, boto3_client.connect):
        with scripted(*SCRIPTS[name]) as server:
            caller = connect(session(), "dynamodb", endpoint_url=server.url)
            assert isinstance(caller, WireClient) == (connect is aws.connect)
            ends.append((outcome(caller), len(server.requests)))
    assert ends[0] == ends[1]


def test_in_an_outage_retries_end_after_as_many_calls(no_pauses: None) -> None:
    asked = []
    for connect in (aws.connect, boto3_client.connect):
        with scripted(*[refusal("InternalServerError", 500)] * 300) as server:
            caller = connect(session(), "dynamodb", endpoint_url=server.url)
            for _ in range(60):
                outcome(caller)
            asked.append(len(server.requests))
    assert asked[0] == asked[1] < 60 * ATTEMPTS


@pytest.mark.parametrize("after", [b"1500", b"99999", b"-3", b"soon"])
def test_pauses_are_as_long_as_boto3s(after: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: dict[Any, list[float]] = {}
    for connect in (aws.connect, boto3_client.connect):
        slept = waited[connect] = []
        monkeypatch.setattr("time.sleep", slept.append)
        random.seed(7)
        steps = [
            THROTTLED,
            refusal("InternalServerError", 500, x_amz_retry_after=after.decode()),
            *[hangs_up] * 10,  # until pauses grow no longer
            answer(),
        ]
        with scripted(*steps) as server:
            retries = {"mode": "standard", "total_max_attempts": 13}
            made = connect(session(), "dynamodb", endpoint_url=server.url, retries=retries)
            outcome(made)
    assert waited[aws.connect] == waited[boto3_client.connect]


STS_REFUSAL = (
    b"<ErrorResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><Error><Type>Sender</Type>"
    b"<Code>AccessDenied</Code><Message>&quot;a&quot; may not &lt;that&gt; &amp;amp;</Message>"
    b"</Error></ErrorResponse>"
)


def test_a_refusal_of_sts_reads_the_same() -> None:
    said = []
    for connect in (aws.connect, boto3_client.connect):
        with scripted(answer(STS_REFUSAL, 403, Content_Type="text/xml")) as server:
            made = connect(session(), "sts", endpoint_url=server.url)
            with pytest.raises(StoreError) as failed:
                made.call("AssumeRole", {"RoleArn": "r" * 20, "RoleSessionName": "me"})
            said.append((type(failed.value), str(failed.value)))
    assert said[0] == said[1]


ITEM: dict[str, Any] = {
    "PK": {"S": "NOTE#é\U0001f600"},
    "bytes": {"B": bytes(range(256))},
    "many": {"BS": [b"a", b"b"]},
    "number": {"N": "1.50"},
    "map": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}, {"B": b"\0"}]}}},
}


@pytest.fixture
def table(dynamodb: Database) -> str:
    dynamodb.caller.call(
        "CreateTable",
        {
            "TableName": "plain",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    return "plain"


def test_items_written_by_either_read_the_same_by_either(dynamodb: Database, table: str) -> None:
    def python(item: dict[str, Any]) -> dict[str, Any]:
        return {key: decode(wire) for key, wire in item.items()}

    callers: list[Caller] = [dynamodb.caller, Boto3Client(dynamodb.client())]
    read = {"TableName": table, "Key": {"PK": ITEM["PK"]}}
    for writer in callers:
        writer.call("PutItem", {"TableName": table, "Item": ITEM})
        for reader in callers:
            assert python(reader.call("GetItem", read)["Item"]) == python(ITEM)


BAD: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {"TableName": "nobody", "Key": {"PK": {"S": "x"}}}),
    ("GetItem", {"TableName": "plain", "Key": {}}),
    ("PutItem", {"TableName": "plain", "Item": {"PK": {"S": "x"}, "a": {"N": "no number"}}}),
    ("PutItem", {"TableName": "plain", "Item": {"PK": {"S": "x"}, "a": {"S": "x" * 420_000}}}),
    ("PutItem", {"TableName": "plain", "Item": {"PK": {"S": "x"}},
                 "ConditionExpression": "attribute_exists(PK)"}),
    ("Query", {"TableName": "plain", "KeyConditionExpression": "nonsense"}),
    ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {
        "TableName": "plain", "Key": {"PK": {"S": "x"}},
        "ConditionExpression": "attribute_exists(PK)"}}]}),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "params"), BAD)
def test_what_the_engine_refuses_is_the_same_error(
    dynamodb: Database, table: str, operation: str, params: dict[str, Any]
) -> None:
    said = []
    for caller in (dynamodb.caller, Boto3Client(dynamodb.client())):
        with pytest.raises(StoreError) as failed:
            caller.call(operation, params)
        said.append((type(failed.value), str(failed.value), vars(failed.value)))
    assert said[0] == said[1]


def test_the_checksums_of_the_engine_are_right(dynamodb: Database, table: str) -> None:
    """It sends them, so the tests over it would notice a wrong reading of them."""
    dynamo = dynamodb.caller
    headers: list[bytes | None] = []
    exchange = dynamo._connections.exchange

    def noting(request: bytes) -> Any:
        reply = exchange(request)
        headers.append(reply.headers.get(b"x-amz-crc32"))
        assert headers[-1] == str(zlib.crc32(reply.body)).encode()
        return reply

    dynamo._connections.exchange = noting  # type: ignore[method-assign]
    dynamo.call("ListTables", {})
    assert headers
