"""The backfill of expiry: what it sets, what it leaves, and how it goes on after a kill."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from docs.scenarios.sales import sale
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.news.design import News
from tablewright.catalog.portal.events import Events
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.commands.backfill_ttl import main
from tablewright.model import Table
from tablewright.model.sharding.epochs import Undivided
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.wire.client import WireClient
from tests.integration.commands.conftest import killed_at_each_call
from tests.integration.conftest import Database

TABLE = "table"
DESIGN = ("--design", "tablewright.catalog.sales.design:Sales")
EXPIRING = [News, Forms, Dashboard, Events, Sales]
DERIVED = Sales.__design__.derived
RIGHT = {number: int(DERIVED(Sale.__entity__, sale(number))["ttl"]) for number in range(400)}


def fill(database: Database, number_of: int) -> None:
    """Sales as they were stored before there was expiry."""
    database.create(Sales)
    database.store(Sales).put_many(Sales.put_sales, [sale(number) for number in range(number_of)])
    client = database.client()
    for item in database.items():
        without = {name: value for name, value in item.items() if name != "ttl"}
        client.put_item(TableName=TABLE, Item=without)


def expiries(database: Database) -> dict[str, int | None]:
    return {
        item["saleId"]["S"]: int(item["ttl"]["N"]) if "ttl" in item else None
        for item in database.items()
    }


def expected(number_of: int) -> dict[str, Any]:
    return {sale(number)["sale_id"]: RIGHT[number] for number in range(number_of)}


def run(*options: str) -> int:
    return main([*DESIGN, "--table", TABLE, "--region", "eu-west-1", "--rate", "5000", *options])


def test_every_item_without_expiry_gets_it(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 300)
    assert run() == 0
    assert expiries(database) == expected(300)
    told = capsys.readouterr().err
    assert "300 items looked at" in told
    assert "300 expiry set" in told
    assert not list(Path().iterdir())


@pytest.mark.parametrize("design", EXPIRING)
def test_items_of_every_design_are_told_apart(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str], design: type[Table]
) -> None:
    """None is unsettled: not one that never expires, nor one whose date stands in its key."""
    database.create(design)
    model, epochs = design.__design__, Undivided()
    examples = [model.attributes(one, one.example, epochs) for one in model.entity_list]
    database.write([{n: encode(v) for n, v in one.items() if n != model.ttl} for one in examples])
    place = f"{design.__module__}:{design.__name__}"
    options = ("--table", TABLE, "--region", "eu-west-1", "--dry-run")
    assert main(["--design", place, *options]) == 0
    told = capsys.readouterr().err
    expiring = sum(model.ttl in one for one in examples)
    assert f"{expiring} expiry would be set" in told
    if others := len(examples) - expiring:
        assert f"{others} that do not expire" in told


def test_a_dry_run_changes_nothing_and_says_what_it_would_do(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 50)
    before = database.items()
    assert run("--dry-run") == 0
    assert database.items() == before
    told = capsys.readouterr().err
    assert "50 items looked at, none changed (dry run)" in told
    assert "50 expiry would be set" in told
    assert not list(Path().iterdir())


def test_a_later_expiry_is_left_alone_and_an_earlier_one_is_not(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 4)
    client = database.client()
    for item, ttl in zip(database.items(), (RIGHT[0] * 2, RIGHT[1] - 1, None, None), strict=True):
        number = int(item["saleId"]["S"].split("_")[1])
        if ttl:
            new = {"N": str(RIGHT[number] + (10**6 if ttl > RIGHT[number] else -(10**6)))}
            client.put_item(TableName=TABLE, Item={**item, "ttl": new})
    before = expiries(database)
    assert run() == 0
    after = expiries(database)
    for id, right in expected(4).items():
        assert after[id] == max(before[id] or 0, right)
    assert "1 kept a later expiry" in capsys.readouterr().err


def test_an_item_deleted_since_it_was_read_does_not_come_back(
    database: Database, environment: Any, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    fill(database, 3)
    call = WireClient.call

    def deletes_first(self: WireClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem":
            call(self, "DeleteItem", {"TableName": TABLE, "Key": params["Key"]})
        return call(self, operation, params)

    monkeypatch.setattr(WireClient, "call", deletes_first)
    assert run() == 0
    assert database.items() == []
    assert "3 changed or deleted meanwhile" in capsys.readouterr().err


def test_an_item_without_a_readable_date_is_reported(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 2)
    (first, _) = database.items()
    bad = {**first, "saleDate": {"S": "29.12.2025"}}
    database.client().put_item(TableName=TABLE, Item=bad)
    alien = {"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}
    database.client().put_item(TableName=TABLE, Item=alien)
    assert run() == 1
    told = capsys.readouterr().err
    assert "1 without a readable date" in told
    assert "1 that do not expire" in told


def test_an_item_of_a_date_without_an_expiry_is_reported_and_passed_over(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 20)
    for item, day in zip(database.items(), ("9999-12-31", "0001-01-01"), strict=False):
        put = {**item, "saleDate": {"S": day}}
        database.client().put_item(TableName=TABLE, Item=put)
    assert run() == 1
    assert "2 of a date that no expiry can be computed from" in capsys.readouterr().err
    assert sum(expiry is not None for expiry in expiries(database).values()) == 18


def test_a_ttl_that_is_no_number_is_called_so(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(database, 2)
    odd = {**database.items()[0], "ttl": {"S": "2025-12-29"}}
    database.client().put_item(TableName=TABLE, Item=odd)
    for options in (("--dry-run",), ()):
        assert run(*options) == 1
        told = capsys.readouterr().err
        assert "1 with a non-numeric ttl, left alone" in told
        assert "changed or deleted" not in told
    assert odd in database.items()


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_at_any_call_it_goes_on_and_ends_the_same(
    database: Database, environment: Any, monkeypatch: pytest.MonkeyPatch, effect: str
) -> None:
    fill(database, 12)
    unset = database.items()
    client = database.client()

    def again() -> None:
        for item in unset:
            client.put_item(TableName=TABLE, Item=item)

    for kill in killed_at_each_call(monkeypatch, effect, again, lambda: run("--segments", "2")):
        assert run("--segments", "2") == 0
        assert expiries(database) == expected(12), kill
        assert not list(Path().iterdir())
    assert kill > 12


def test_a_process_killed_for_good_leaves_a_place_to_go_on_from(
    database: Database, environment: dict[str, str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    fill(database, 400)
    state = tmp_path / "state.json"
    command = [sys.executable, "-m", "tablewright", "backfill-ttl", *DESIGN, "--table", TABLE,
               "--region", "eu-west-1", "--segments", "2", "--rate", "100",
               "--state", str(state)]  # fmt: skip
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen(
        command, cwd=root, env={**os.environ, **environment}, stderr=subprocess.DEVNULL
    )
    # The first page of a segment, about 200 items, has been written when the file appears.
    deadline = time.monotonic() + 60
    while not state.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    half = [expiry for expiry in expiries(database).values() if expiry]
    assert 0 < len(half) < 400
    assert json.loads(state.read_text())["table"] == TABLE
    assert run("--segments", "2", "--state", str(state)) == 0
    assert expiries(database) == expected(400)
    assert "Going on where" in capsys.readouterr().err
    assert not state.exists()


def test_what_cannot_be_done_is_said_in_a_sentence(
    database: Database, environment: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run() == 2
    assert "ResourceNotFoundException" in capsys.readouterr().err
    fill(database, 1)
    state = tmp_path / f"backfill-{TABLE}.json"
    state.write_text(json.dumps({"table": TABLE, "segments": 9}))
    assert run() == 2
    assert "in 9 segments: go on with these" in capsys.readouterr().err
    for option, wrong in {"--design": "xy", "--segments": "0x", "--rate": "0x"}.items():
        for value in wrong:
            with pytest.raises(SystemExit):
                run(option, value)
