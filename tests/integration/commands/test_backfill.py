"""`tablewright backfill` and `verify`: expiry alone, everything, estimates, and kills."""

import json
import os
import re
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
from tablewright.changes.state import CONTROL_TABLE
from tablewright.commands.changes import verify
from tablewright.commands.changes.backfill import main
from tablewright.designs import describe
from tablewright.model import Table
from tablewright.model.sharding.epochs import Undivided
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.wire.client import WireClient
from tablewright.testing import Database
from tests.integration.changes.designs import (
    NAME,
    Before,
    Indexed,
    Moved,
    completed_items,
    records,
    stored,
)
from tests.integration.changes.designs import fill as fill_orders
from tests.integration.commands.conftest import killed_at_each_call

TABLE = "sales"
PLACE = "tests.integration.changes.designs"
DESIGN = "tablewright.catalog.sales.design:Sales"
EXPIRY = ("--only", "ttl", "--keep-later")
EXPIRING = [News, Forms, Dashboard, Events, Sales]
DERIVED = Sales.__design__.derived
RIGHT = {number: int(DERIVED(Sale.__entity__, sale(number))["ttl"]) for number in range(400)}


def fill(database: Database, number_of: int) -> None:
    """Sales as they were stored before there was expiry."""
    database.store(Sales).put_many(Sales.put_sales, [sale(number) for number in range(number_of)])
    client = database.client()
    for item in database.items(TABLE):
        without = {name: value for name, value in item.items() if name != "ttl"}
        client.put_item(TableName=TABLE, Item=without)


def expiries(database: Database) -> dict[str, int | None]:
    return {
        item["saleId"]["S"]: int(item["ttl"]["N"]) if "ttl" in item else None
        for item in database.items(TABLE)
    }


def expected(number_of: int) -> dict[str, Any]:
    return {sale(number)["sale_id"]: RIGHT[number] for number in range(number_of)}


def run(*options: str) -> int:
    where = ("--table", TABLE, "--region", "eu-west-1", "--rate", "5000")
    return main([DESIGN, *where, *EXPIRY, *options])


def test_every_item_without_expiry_gets_it(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 300)
    assert run() == 0
    assert expiries(dynamodb) == expected(300)
    told = capsys.readouterr().err
    assert "300 items looked at" in told
    assert "300 completed: attributes added" in told
    assert "300 write units, $0.00, as DynamoDB reported them" in told
    assert not list(Path().iterdir())


@pytest.mark.parametrize("design", EXPIRING)
def test_items_of_every_design_are_told_apart(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str], design: type[Table]
) -> None:
    """None is unsettled: not one that never expires, nor one whose date stands in its key."""
    dynamodb.table(design, TABLE)
    model, epochs = design.__design__, Undivided()
    examples = [model.attributes(one, one.example, epochs) for one in model.entity_list]
    dynamodb.write([{n: encode(v) for n, v in one.items() if n != model.ttl} for one in examples])
    place = f"{design.__module__}:{design.__name__}"
    options = ("--table", TABLE, "--region", "eu-west-1", "--dry-run")
    assert main([place, *options, *EXPIRY, "--in-clear"]) == 0
    told = capsys.readouterr().err
    where = (*options[:-1], "--in-clear")
    assert verify.main([place, *where]) == 1
    assert main([place, *where, *EXPIRY]) == 0
    capsys.readouterr()
    # An example of epochs says that there are shards, in which the other examples are not.
    assert verify.main([place, *where]) == int(bool(model.epochs))
    assert ("has another" in capsys.readouterr().out) == bool(model.epochs)
    assert len(dynamodb.items(TABLE)) == len(examples)
    expiring = sum(model.ttl in one for one in examples)
    assert f"{expiring} would be completed" in told
    if others := len(examples) - expiring:
        assert f"{others} complete already" in told


def test_a_dry_run_changes_nothing_and_says_what_it_would_do(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 50)
    before = dynamodb.items(TABLE)
    assert run("--dry-run") == 0
    assert dynamodb.items(TABLE) == before
    told = capsys.readouterr().err
    assert "50 items looked at, none changed (dry run)" in told
    assert "50 would be completed" in told
    assert not list(Path().iterdir())


def test_a_later_expiry_is_left_alone_and_an_earlier_one_is_not(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 4)
    client = dynamodb.client()
    for item, ttl in zip(
        dynamodb.items(TABLE), (RIGHT[0] * 2, RIGHT[1] - 1, None, None), strict=True
    ):
        number = int(item["saleId"]["S"].split("_")[1])
        if ttl:
            new = {"N": str(RIGHT[number] + (10**6 if ttl > RIGHT[number] else -(10**6)))}
            client.put_item(TableName=TABLE, Item={**item, "ttl": new})
    before = expiries(dynamodb)
    assert run() == 0
    after = expiries(dynamodb)
    for id, right in expected(4).items():
        assert after[id] == max(before[id] or 0, right)
    assert "1 complete already" in capsys.readouterr().err


def test_an_item_deleted_since_it_was_read_does_not_come_back(
    dynamodb: Database, environment: Any, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    fill(dynamodb, 3)
    call = WireClient.call

    def deletes_first(self: WireClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and params["TableName"] == TABLE:
            call(self, "DeleteItem", {"TableName": TABLE, "Key": params["Key"]})
        return call(self, operation, params)

    monkeypatch.setattr(WireClient, "call", deletes_first)
    assert run() == 0
    assert dynamodb.items(TABLE) == []
    assert "3 deleted by others meanwhile" in capsys.readouterr().err


def test_an_item_without_a_readable_date_is_reported(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 2)
    (first, _) = dynamodb.items(TABLE)
    bad = {**first, "saleDate": {"S": "29.12.2025"}}
    dynamodb.client().put_item(TableName=TABLE, Item=bad)
    alien = {"PK": {"S": "SOMETHING"}, "SK": {"S": "ELSE"}}
    dynamodb.client().put_item(TableName=TABLE, Item=alien)
    assert run() == 1
    told = capsys.readouterr().err
    assert "1 left as they are: to complete them would change them" in told
    assert "1 foreign: of no entity of the design (PK SOMETHING, SK ELSE)" in told
    assert "1 left: Sale" in told, told


def test_an_item_of_a_date_without_an_expiry_is_reported_and_passed_over(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 20)
    for item, day in zip(dynamodb.items(TABLE), ("9999-12-31", "0001-01-01"), strict=False):
        put = {**item, "saleDate": {"S": day}}
        dynamodb.client().put_item(TableName=TABLE, Item=put)
    assert run() == 1
    assert "2 left as they are" in capsys.readouterr().err
    assert sum(expiry is not None for expiry in expiries(dynamodb).values()) == 18


def test_a_ttl_that_is_no_number_is_called_so(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 2)
    odd = {**dynamodb.items(TABLE)[0], "ttl": {"S": "2025-12-29"}}
    dynamodb.client().put_item(TableName=TABLE, Item=odd)
    for options in (("--dry-run",), ()):
        assert run(*options) == 1
        told = capsys.readouterr().err
        assert "1 left: ttl is not a number" in told
    assert odd in dynamodb.items(TABLE)


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_at_any_call_it_goes_on_and_ends_the_same(
    dynamodb: Database, environment: Any, monkeypatch: pytest.MonkeyPatch, effect: str
) -> None:
    fill(dynamodb, 12)
    unset = dynamodb.items(TABLE)
    client = dynamodb.client()

    def again() -> None:
        for item in unset:
            client.put_item(TableName=TABLE, Item=item)

    for kill in killed_at_each_call(monkeypatch, effect, again, lambda: run("--segments", "2")):
        assert run("--segments", "2") == 0
        assert expiries(dynamodb) == expected(12), kill
        assert not list(Path().iterdir())
    assert kill > 12


def test_a_process_killed_for_good_leaves_a_place_to_go_on_from(
    dynamodb: Database, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 400)
    command = [sys.executable, "-m", "tablewright", "backfill", DESIGN, *EXPIRY, "--table", TABLE,
               "--region", "eu-west-1", "--segments", "2", "--rate", "100"]  # fmt: skip
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen(
        command, cwd=root, env={**os.environ, **environment}, stderr=subprocess.DEVNULL
    )
    # The first page of a segment, about 200 items, has been written when progress is saved.
    deadline = time.monotonic() + 60
    while not has_progress(dynamodb) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    half = [expiry for expiry in expiries(dynamodb).values() if expiry]
    assert 0 < len(half) < 400
    assert run("--segments", "2") == 0
    assert expiries(dynamodb) == expected(400)
    told = capsys.readouterr().err
    assert "holds the lease of this migration: waiting" in told
    assert "Going on where the last run stopped" in told
    assert "400 items looked at" in told
    (shown, *_) = re.findall(r"\| (\d+)/400 ", told)
    assert int(shown) > 0, "the bar does not begin again"


def has_progress(database: Database) -> bool:
    if CONTROL_TABLE not in database.client().list_tables()["TableNames"]:
        return False
    return any("state" in item for item in database.items(CONTROL_TABLE))


def test_what_cannot_be_done_is_said_in_a_sentence(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 2
    assert "ResourceNotFoundException" in capsys.readouterr().err
    fill(dynamodb, 1)
    for option, wrong in {
        "--from": "xy",
        "--sample": "0x",
        "--segments": "0x",
        "--rate": "0x",
    }.items():
        for value in wrong:
            with pytest.raises(SystemExit):
                run(option, value)


def test_a_lock_file_says_what_items_were_written_by(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    some = records(30)
    fill_orders(dynamodb, Indexed, Before, some)
    Path("orders.lock.json").write_text(json.dumps(describe(Before)))
    where = ("--table", NAME, "--region", "eu-west-1", "--rate", "5000")
    assert verify.main([f"{PLACE}:Indexed", *where]) == 1
    assert "10 items of Line" in capsys.readouterr().out
    assert main([f"{PLACE}:Indexed", *where, "--from", "orders.lock.json", "--estimate"]) == 0
    told = capsys.readouterr().out
    assert "30 items, by all of them" in told
    assert "dollars on demand in eu-west-1" in told
    assert main([f"{PLACE}:Indexed", *where, "--from", "orders.lock.json"]) == 0
    assert stored(dynamodb) == completed_items(Indexed, some)
    assert verify.main([f"{PLACE}:Indexed", *where, "--from", "orders.lock.json"]) == 0
    assert "index by_customer: 20 entries, as it should be" in capsys.readouterr().out
    assert main([f"{PLACE}:Indexed", *where, "--from", f"{PLACE}:Before"]) == 0
    assert "30 complete already" in capsys.readouterr().err


def test_designs_that_need_more_than_additions_are_refused_with_the_reasons(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_orders(dynamodb, Moved, Before, records(3))
    before = stored(dynamodb)
    where = ("--table", NAME, "--region", "eu-west-1", "--from", f"{PLACE}:Before")
    assert main([f"{PLACE}:Moved", *where]) == 2
    told = capsys.readouterr().err
    assert "hidden: Order by key" in told
    assert "`tablewright migration new` copies the items to a new table" in told
    assert stored(dynamodb) == before


def test_progress_is_of_one_table_and_one_pair_of_designs(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dynamodb, 3)
    assert run() == 0
    assert run() == 0
    other = "other-sales"
    dynamodb.table(Sales, other)
    dynamodb.write([{n: w for n, w in one.items() if n != "ttl"} for one in dynamodb.items(TABLE)],
                   other)  # fmt: skip
    capsys.readouterr()
    assert main([DESIGN, "--table", other, "--region", "eu-west-1", *EXPIRY]) == 0
    assert "3 completed" in capsys.readouterr().err
    assert len(dynamodb.items(CONTROL_TABLE)) == 2


@pytest.mark.parametrize(
    ("text", "says"), [("{}", "no lock file"), ("[1]", "no lock file"), ("no json", "no lock file")]
)
def test_what_is_no_lock_file_is_refused_in_a_sentence(
    dynamodb: Database, environment: Any, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    Path("orders.lock.json").write_text(text)
    with pytest.raises(SystemExit):
        run("--from", "orders.lock.json")
    assert f"orders.lock.json is {says}" in capsys.readouterr().err


def test_secret_fields_ask_for_their_keys(
    environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--table", NAME, "--region", "eu-west-1")
    with pytest.raises(SystemExit):
        main([f"{PLACE}:Hidden", *where])
    assert "by --ring" in capsys.readouterr().err
