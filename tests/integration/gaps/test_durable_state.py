"""A killed emulator has kept what it held a moment before."""

import itertools
import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tests.integration.gaps.clouds import HOME, Cloud, running, script, until

# Code of a function that is replaced and put back, with its state saved twice each time.
CODE = """
import os
os.environ["PERSIST_STATE"] = "1"
from ministack.services import lambda_svc
write, written = lambda_svc._write_code_blob, []

def counted(code_zip):
    written.append(code_zip.decode())
    return write(code_zip)

lambda_svc._write_code_blob = counted
from local.gaps import durable_state
durable_state.close()
for code in (first := b"first", b"second", first):
    lambda_svc._functions["one"] = {"code_zip": code}
    for _ in range(2):
        name = lambda_svc.get_state()["functions"]["one"]["code_zip"]["code_blob_ref"]
        assert lambda_svc._read_code_blob(name) == code
print(*written)
"""


def kill(cloud: Cloud) -> None:
    cloud.process.kill()
    cloud.process.wait()


def test_what_was_stored_survives_a_kill(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        cloud.client("ssm").put_parameter(Name="kept", Value="first", Type="String")
        cloud.client("ssm").put_parameter(
            Name="kept", Value="second", Type="String", Overwrite=True
        )
        file = cloud.state / "ssm.json"
        until(lambda: file.exists() and "second" in file.read_text())
        kill(cloud)
        cloud.start()
        found = cloud.client("ssm").get_parameter(Name="kept")["Parameter"]["Value"]
        assert found == "second"


def test_an_end_in_order_keeps_the_very_last_change(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        for number in range(50):
            cloud.client("ssm").put_parameter(Name=f"n{number}", Value="x", Type="String")
        cloud.stop()
        cloud.start()
        assert cloud.client("ssm").get_parameter(Name="n49")["Parameter"]["Value"] == "x"


def test_code_of_functions_is_written_when_it_is_new(tmp_path: Path) -> None:
    done = script(CODE, tmp_path)
    assert done.stdout == "first second first\n", done.stderr


def test_ministack_itself_writes_nothing_until_it_ends(
    cloud_without: Callable[[str], Cloud],
) -> None:
    other = cloud_without("durable_state")
    other.client("ssm").put_parameter(Name="lost", Value="x", Type="String")
    kill(other)
    assert not (other.state / "ssm.json").exists()


def test_a_kill_under_load_loses_no_acknowledged_item(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        make_table(cloud)
        cloud.client("dynamodb").put_item(TableName="table", Item=item("0"))
        cloud.stop()
        add_items(cloud.state / "items.sqlite", 50_000)
        cloud.start()
        acknowledged: list[str] = []
        writer = threading.Thread(target=put_items, args=(cloud, acknowledged), daemon=True)
        writer.start()
        until(lambda: len(acknowledged) > 100)
        kill(cloud)
        writer.join(30)
        cloud.start()
        items = {key for key in scan(cloud) if key.startswith("new")}
        # One more may have been stored, whose answer was lost.
        assert set(acknowledged) <= items <= {*acknowledged, f"new{len(acknowledged)}"}
        assert len(scan(cloud)) == 50_000 + len(items)


def test_deleted_and_replaced_items_and_dropped_tables_stay_so(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state")) as cloud:
        make_table(cloud)
        make_table(cloud, "dropped")
        client = cloud.client("dynamodb")
        for key in ("a", "b", "c"):
            client.put_item(TableName="table", Item=item(key))
            client.put_item(TableName="dropped", Item=item(key))
        cloud.stop()
        cloud.start()
        client = cloud.client("dynamodb")
        client.delete_item(TableName="table", Key={"id": {"S": "a"}})
        client.put_item(TableName="table", Item=item("b", "new"))
        client.delete_table(TableName="dropped")
        make_table(cloud, "dropped")
        cloud.stop()
        cloud.start()
        assert scan(cloud) == {"b": "new", "c": "old"}
        assert scan(cloud, "dropped") == {}


def test_a_full_disk_refuses_writes_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    with running(Cloud(tmp_path / "state", file_limit=200_000)) as cloud:
        make_table(cloud)
        acknowledged: list[str] = []
        refusal = put_items(cloud, acknowledged)
        assert "cannot store its state" in str(refusal)
        kill(cloud)
        cloud.file_limit = None
        cloud.start()
        assert scan(cloud).keys() == set(acknowledged)
        cloud.client("dynamodb").put_item(TableName="table", Item=item("again"))


def make_table(cloud: Cloud, name: str = "table") -> None:
    cloud.client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def item(key: str, text: str = "old") -> dict[str, dict[str, str]]:
    return {"id": {"S": key}, "text": {"S": text}, "more": {"S": "x" * 300}}


def add_items(file: Path, number: int) -> None:
    place = ("item", "000000000000", HOME, "table")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany(
            "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(*place, f"{n}", "__no_sort__", json.dumps(item(f"{n}"))) for n in range(number)],
        )


def put_items(cloud: Cloud, acknowledged: list[str]) -> Exception:
    """Put items one after another until the cloud refuses one or is gone; return its error."""
    client: Any = cloud.client("dynamodb")
    for number in itertools.count():
        try:
            client.put_item(TableName="table", Item=item(f"new{number}"))
        except (ClientError, BotoCoreError) as error:
            refusal: Exception = error
            return refusal
        acknowledged.append(f"new{number}")
    raise AssertionError


def scan(cloud: Cloud, name: str = "table") -> dict[str, str]:
    pages = cloud.client("dynamodb").get_paginator("scan").paginate(TableName=name)
    return {one["id"]["S"]: one["text"]["S"] for page in pages for one in page["Items"]}
