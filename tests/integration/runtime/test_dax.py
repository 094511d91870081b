"""The real client of DAX, as it is bundled, in front of a cluster that is not there."""

import socket
import sys
import time
from collections.abc import Iterator

import pytest

from cdk_app.settings import ROOT
from tablewright.catalog.sales.design import Sales
from tablewright.constructs.functions.dependencies import LAMBDA, Platform, dependencies
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.dax import Accelerated
from tablewright.testing import Database

LOCK = ROOT / "lambdas" / "sentiment" / "accelerated.txt"
KEY = {"PK": {"S": "a"}, "SK": {"S": "b"}}
GET = {"TableName": "sales", "Key": KEY}


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The client can be imported, as in a function's bundle."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(dependencies(LOCK, Platform.host())))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("amazondax", "antlr4"):
            del sys.modules[name]


@pytest.fixture
def port() -> Iterator[tuple[int, socket.socket]]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1]), taken


@pytest.mark.parametrize("listens", [False, True], ids=["refuses", "is silent"])
@pytest.mark.parametrize("scheme", ["dax", "daxs"])
def test_dynamodb_answers_in_place_of_a_cluster_that_does_not(
    scheme: str,
    listens: bool,
    port: tuple[int, socket.socket],
    bundled: None,
    dynamodb: Database,
    caplog: pytest.LogCaptureFixture,
) -> None:
    number, taken = port
    if listens:
        taken.listen()
    dynamodb.table(Sales)
    item = {**KEY, "saleId": {"S": "s1"}}
    client = dynamodb.client()
    client.put_item(TableName="sales", Item=item)
    caller = Accelerated(Boto3Client(client), f"{scheme}://127.0.0.1:{number}")
    begun = time.monotonic()
    assert caller.call("GetItem", GET)["Item"] == item
    # Its own time-out is a minute; a machine may be busy.
    assert time.monotonic() - begun < 50
    assert caller.call("GetItem", GET)["Item"] == item
    (warning,) = (r for r in caplog.records if r.name == "tablewright.runtime.dax")
    assert "NoRouteException" in warning.getMessage()


def test_the_client_is_pure_python_for_the_processor_of_lambda_too() -> None:
    bundle = dependencies(LOCK, LAMBDA)
    assert (bundle / "amazondax" / "__init__.py").is_file()
    assert (bundle / "antlr4" / "__init__.py").is_file()
    (wheel,) = bundle.glob("amazon_dax_client-*.dist-info/WHEEL")
    assert "Tag: py3-none-any" in wheel.read_text().splitlines()
    compiled = [*(bundle / "amazondax").rglob("*.so"), *(bundle / "antlr4").rglob("*.so")]
    assert compiled == []
