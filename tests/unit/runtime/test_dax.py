"""Reads that may be old go to DAX, all others past it; and all of them when it is away."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablewright.runtime.dax import Accelerated
from tablewright.runtime.errors import ResourceMissing, StoreError, Throttled

KEY = {"PK": {"S": "a"}}
GET = {"TableName": "t", "Key": KEY}
BATCH = {"RequestItems": {"t": {"Keys": [KEY]}}}
QUERY = {"TableName": "t", "KeyConditionExpression": "#a = :a"}


class Direct:
    """DynamoDB, as far as it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(operation)
        return {"from": "DynamoDB"}


class Cluster:
    """A cluster that answers, or fails as it is told to, both when called and when connected to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.connections = 0
        self.fails: Exception | None = None
        self.refuses: Exception | None = None

    def connect(self, endpoint: str) -> "Cluster":
        assert endpoint == "daxs://cluster"
        self.connections += 1
        if self.refuses:
            raise self.refuses
        return self

    def _answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((method, params))
        if self.fails:
            raise self.fails
        return {"from": "DAX"}

    def get_item(self, **params: Any) -> dict[str, Any]:
        return self._answer("get_item", params)

    def batch_get_item(self, **params: Any) -> dict[str, Any]:
        return self._answer("batch_get_item", params)

    def query(self, **params: Any) -> dict[str, Any]:
        return self._answer("query", params)


def error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "so it is"}}, "")


AWAY = [
    error("NoRouteException"),
    error("AccessDeniedException"),
    error("InternalServerErrorException"),
    TimeoutError("timed out"),
    ConnectionRefusedError("refused"),
]


class Setting:
    def __init__(self) -> None:
        self.now = 1000.0
        self.direct = Direct()
        self.cluster = Cluster()
        self.caller = Accelerated(
            self.direct,
            "daxs://cluster",
            connect=self.cluster.connect,
            clock=lambda: self.now,
        )

    def get(self) -> str:
        return str(self.caller.call("GetItem", GET)["from"])


@pytest.fixture
def setting() -> Setting:
    return Setting()


@pytest.mark.parametrize(
    ("operation", "params", "method"),
    [
        ("GetItem", GET, "get_item"),
        ("GetItem", {**GET, "ConsistentRead": False}, "get_item"),
        ("BatchGetItem", BATCH, "batch_get_item"),
        ("Query", QUERY, "query"),
    ],
)
def test_a_read_that_may_be_old_goes_to_the_cluster(
    operation: str, params: dict[str, Any], method: str, setting: Setting
) -> None:
    assert setting.caller.call(operation, params) == {"from": "DAX"}
    assert setting.cluster.asked == [(method, params)]
    assert setting.direct.asked == []


@pytest.mark.parametrize(
    ("operation", "params"),
    [
        ("GetItem", {**GET, "ConsistentRead": True}),
        ("Query", {**QUERY, "ConsistentRead": True}),
        ("BatchGetItem", {"RequestItems": {"t": {"Keys": [KEY], "ConsistentRead": True}}}),
        ("PutItem", {"TableName": "t", "Item": KEY}),
        ("TransactWriteItems", {"TransactItems": []}),
        ("Scan", {"TableName": "t"}),
    ],
)
def test_anything_else_goes_past_it_without_a_connection(
    operation: str, params: dict[str, Any], setting: Setting
) -> None:
    assert setting.caller.call(operation, params) == {"from": "DynamoDB"}
    assert setting.cluster.connections == 0


def test_one_connection_serves_all_calls(setting: Setting) -> None:
    assert [setting.get(), setting.get()] == ["DAX", "DAX"]
    assert setting.cluster.connections == 1


@pytest.mark.parametrize("reason", AWAY, ids=str)
def test_a_cluster_that_fails_is_left_alone_for_half_a_minute(
    reason: Exception, setting: Setting
) -> None:
    setting.cluster.fails = reason
    assert setting.get() == "DynamoDB"
    setting.now += 29.9
    assert setting.get() == "DynamoDB"
    assert len(setting.cluster.asked) == 1
    setting.cluster.fails = None
    setting.now += 0.1
    assert setting.get() == "DAX"


@pytest.mark.parametrize("reason", AWAY, ids=str)
def test_a_cluster_that_cannot_be_connected_to_is_tried_again_after_half_a_minute(
    reason: Exception, setting: Setting
) -> None:
    setting.cluster.refuses = reason
    assert [setting.get(), setting.get()] == ["DynamoDB", "DynamoDB"]
    assert setting.cluster.connections == 1
    setting.cluster.refuses = None
    setting.now += 30
    assert setting.get() == "DAX"


def test_readers_at_once_try_to_connect_once(setting: Setting) -> None:
    at_once = 8
    together = threading.Barrier(at_once)
    setting.cluster.refuses = TimeoutError()

    def read(_: int) -> str:
        together.wait()
        return setting.get()

    with ThreadPoolExecutor(at_once) as executor:
        assert list(executor.map(read, range(at_once))) == ["DynamoDB"] * at_once
    assert setting.cluster.connections == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ValidationException", StoreError),
        ("ResourceNotFoundException", ResourceMissing),
        ("ProvisionedThroughputExceededException", Throttled),
    ],
)
def test_what_dynamodb_would_say_itself_is_passed_on(
    code: str, kind: type[StoreError], setting: Setting
) -> None:
    setting.cluster.fails = error(code)
    with pytest.raises(kind, match=f"GetItem: {code}: so it is"):
        setting.get()
    assert setting.direct.asked == []
    setting.cluster.fails = None
    assert setting.get() == "DAX"


def test_going_past_the_cluster_is_logged_with_the_reason(
    setting: Setting, caplog: pytest.LogCaptureFixture
) -> None:
    setting.cluster.fails = TimeoutError("no answer in time")
    setting.get()
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "DynamoDB does for 30.0 s: no answer in time" in record.getMessage()
