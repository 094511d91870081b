"""Lost items come back from a restored table: which ones, how, and what is left alone."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.commands.items.bring_back import main
from tablewright.model.table_form import TableForm
from tablewright.runtime.wire.client import WireClient
from tablewright.testing import Database
from tests.integration.commands.conftest import killed_at_each_call

LIVE, RESTORED = "forms", "before-the-loss"
SOON = int(datetime(2099, 1, 1, tzinfo=UTC).timestamp())
LONG_AGO = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())
MARK = {"restored_from": {"S": RESTORED}}

Item = dict[str, Any]


def item(number: int, /, **more: Any) -> Item:
    key = {"PK": {"S": f"TENANT#t{number % 3}"}, "SK": {"S": f"SUB#{number:03}"}}
    return {**key, "number": {"N": str(number)}, "tags": {"SS": ["a", "b", "c"]}, **more}


def key_of(one: Item) -> Item:
    return {name: one[name] for name in ("PK", "SK")}


def in_order(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda one: repr(key_of(one)))


@pytest.fixture
def restore(dynamodb: Database, environment: Any) -> Callable[..., list[Item]]:
    """A live table that has nothing, and a copy of it as a restore makes them: keys and items."""
    dynamodb.table(Forms)
    keys = TableForm.of(Forms.__design__).definition(RESTORED)
    del keys["GlobalSecondaryIndexes"], keys["StreamSpecification"]
    keys["AttributeDefinitions"] = keys["AttributeDefinitions"][:2]
    dynamodb.client().create_table(**keys)

    def restore(*items: Item) -> list[Item]:
        dynamodb.write(list(items), RESTORED)
        return in_order(items)

    return restore


Restore = Callable[..., list[Item]]


def run(*options: str) -> int:
    given = ("--from", RESTORED, "--to", LIVE, "--region", "eu-west-1", "--rate", "5000")
    return main([*given, *options])


def unmarked(database: Database) -> list[Item]:
    """What the live table has, without the mark; sets in one order."""
    return in_order(
        {n: {"SS": sorted(v["SS"])} if "SS" in v else v for n, v in one.items() if n not in MARK}
        for one in database.items(LIVE)
    )


def test_what_is_missing_comes_back_whole_and_marked(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = item(0, payload={"B": b"\x00\xff"}, GSI1PK={"S": "TENANT#t0"}, GSI1SK={"S": "TS#1"})
    kept = item(1)
    restore(lost, kept, item(2))
    dynamodb.write([kept], LIVE)
    assert run() == 0
    found = {one["SK"]["S"]: one for one in dynamodb.items(LIVE)}
    assert found["SUB#000"].items() >= {**MARK, "payload": {"B": b"\x00\xff"}}.items()
    assert MARK.items() <= found["SUB#002"].items()
    assert "restored_from" not in found["SUB#001"]
    assert unmarked(dynamodb) == in_order([lost, kept, item(2)])
    indexed = dynamodb.client().query(
        TableName=LIVE, IndexName="GSI1", KeyConditionExpression="GSI1PK = :tenant",
        ExpressionAttributeValues={":tenant": {"S": "TENANT#t0"}},
    )  # fmt: skip
    assert indexed["Count"] == 1
    told = capsys.readouterr().err
    assert "3 items looked at:" in told
    assert "2 brought back" in told
    assert "1 there already, and the same" in told
    assert not list(Path().iterdir())


def test_brought_back_once_there_is_nothing_more_to_bring(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    restore(*(item(number) for number in range(5)))
    assert run() == 0
    before = dynamodb.items(LIVE)
    assert run() == 0
    assert dynamodb.items(LIVE) == before
    assert "5 there already, and the same" in capsys.readouterr().err


def test_a_dry_run_changes_nothing_and_names_what_is_missing_or_differs(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    restore(item(0), item(1), item(2))
    dynamodb.write([item(1), item(2, number={"N": "3"})], LIVE)
    before = dynamodb.items(LIVE)
    assert run("--dry-run") == 0
    assert dynamodb.items(LIVE) == before
    out, told = capsys.readouterr()
    assert sorted(map(json.loads, out.splitlines()), key=repr) == [
        {"outcome": "differs", "key": key_of(item(2))},
        {"outcome": "missing", "key": key_of(item(0))},
    ]
    assert "3 items looked at, none changed (dry run):" in told
    assert "1 would be brought back" in told
    assert not list(Path().iterdir())


def test_what_was_changed_since_stays_as_it_is(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    restore(item(0))
    newer = item(0, number={"N": "17"})
    dynamodb.write([newer], LIVE)
    assert run() == 0
    assert unmarked(dynamodb) == [newer]
    assert "1 there already, and not the same: left alone" in capsys.readouterr().err


def test_what_is_written_meanwhile_is_never_overwritten(
    dynamodb: Database, restore: Restore, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    restore(*(item(number) for number in range(6)))
    call = WireClient.call

    def written_first(self: WireClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        number = int(params["Item"]["number"]["N"]) if operation == "PutItem" else 1
        if number % 2 == 0:
            dynamodb.write([item(number, number={"N": "99"})], LIVE)
        return call(self, operation, params)

    monkeypatch.setattr(WireClient, "call", written_first)
    assert run() == 0
    found = {one["SK"]["S"]: one["number"]["N"] for one in dynamodb.items(LIVE)}
    assert found == {f"SUB#{n:03}": "99" if n % 2 == 0 else str(n) for n in range(6)}
    told = capsys.readouterr().err
    assert "3 brought back" in told
    assert "3 written by others meanwhile: left alone" in told


def test_what_has_expired_is_not_brought_back(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    expiry = {"Enabled": True, "AttributeName": "ttl"}
    dynamodb.client().update_time_to_live(TableName=LIVE, TimeToLiveSpecification=expiry)
    lasting = item(1, ttl={"N": str(SOON)})
    restore(item(0, ttl={"N": str(LONG_AGO)}), lasting)
    assert run() == 0
    assert unmarked(dynamodb) == [lasting]
    assert "1 expired: not brought back" in capsys.readouterr().err


def test_only_what_is_asked_for_is_brought_back(dynamodb: Database, restore: Restore) -> None:
    named = [item(n, PK={"S": pk}) for n, pk in enumerate(("T#a", "T#a#0", "T#a#SUB#1", "T#ab"))]
    restore(*named)
    assert run("--key", "T#a", "--key-prefix", "T#a#") == 0
    assert [one["PK"]["S"] for one in dynamodb.items(LIVE)] == ["T#a", "T#a#0", "T#a#SUB#1"]


@pytest.mark.parametrize("effect", ["before", "after"])
def test_killed_at_any_call_it_goes_on_and_ends_the_same(
    dynamodb: Database, restore: Restore, monkeypatch: pytest.MonkeyPatch, effect: str
) -> None:
    every = restore(*(item(number) for number in range(7)))
    newer = item(3, number={"N": "17"})
    expected = in_order([newer, *(one for one in every if one["SK"] != newer["SK"])])

    client = dynamodb.client()

    def again() -> None:
        for one in every:
            client.delete_item(TableName=LIVE, Key=key_of(one))
        client.put_item(TableName=LIVE, Item=newer)

    for kill in killed_at_each_call(monkeypatch, effect, again, lambda: run("--segments", "2")):
        assert run("--segments", "2") == 0
        assert unmarked(dynamodb) == expected, kill
        assert not list(Path().iterdir())
    assert kill > 10


def test_what_the_table_refuses_is_told_and_holds_up_nothing(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str]
) -> None:
    # As large as an item may be: the mark does not fit.
    beside = len("PKTENANT#t0SKSUB#000number0tagsabc" + "text") - 1 + 2
    large = item(0, text={"S": "x" * (400 * 1024 - beside)})
    restore(large, item(1))
    assert run() == 1
    assert unmarked(dynamodb) == [item(1)]
    told = capsys.readouterr().err
    assert f"Refused: {json.dumps(key_of(large))}: PutItem: Item size" in told
    assert "1 refused by the table" in told


def test_what_cannot_be_done_is_said_in_a_sentence(
    dynamodb: Database, restore: Restore, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    region = ("--region", "eu-west-1")
    assert main(["--from", LIVE, "--to", LIVE, *region]) == 2
    assert "--from and --to are the same table" in capsys.readouterr().err
    assert main(["--from", "nothing", "--to", LIVE, *region]) == 2
    assert "ResourceNotFoundException" in capsys.readouterr().err
    other = {"AttributeName": "id", "AttributeType": "N"}
    dynamodb.client().create_table(
        TableName="other", BillingMode="PAY_PER_REQUEST", AttributeDefinitions=[other],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )  # fmt: skip
    assert main(["--from", "other", "--to", LIVE, *region]) == 2
    told = capsys.readouterr().err
    assert "other is no copy of forms: its keys are id (N), and not PK (S), SK (S)" in told
    state = tmp_path / f"bring-back-{LIVE}.json"
    progress = {"table": f"{RESTORED} to {LIVE} T#a", "segments": 4, "counts": {}}
    state.write_text(json.dumps({**progress, "positions": {}, "finished": []}))
    assert run() == 2
    assert f"is of table {RESTORED} to {LIVE} T#a in 4 segments" in capsys.readouterr().err


def test_a_table_that_is_not_there_yet_is_waited_for(
    dynamodb: Database, restore: Restore, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    call = WireClient.call

    def creating(self: WireClient, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = call(self, operation, params)
        if operation == "DescribeTable" and params["TableName"] == RESTORED:
            answer["Table"]["TableStatus"] = "CREATING"
        return answer

    monkeypatch.setattr(WireClient, "call", creating)
    assert run() == 2
    assert f"{RESTORED} is still CREATING: wait until it is ACTIVE" in capsys.readouterr().err
