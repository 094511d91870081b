"""`tablewright table`: a design's table is made, compared and dropped, and nothing else is."""

import os
from pathlib import Path
from typing import Any

import pytest

from tablewright.commands.command_line import main
from tablewright.commands.designs import table as table_command
from tablewright.model import Entity, Field, Get, Index, Key, Query, Table, Text
from tablewright.runtime.aws import Caller
from tablewright.runtime.deployed_table import create_table
from tablewright.testing import Database
from tests.every_design import EVERY_DESIGN

NOBODY = "http://127.0.0.1:9"
Told = pytest.CaptureFixture[str]


class Thing(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    colour: Field[str] = Text()


class Things(Table, pk="id"):
    thing = Get(Thing)


class Coloured(Table, pk="id", ttl="ends", stream="NEW_IMAGE"):
    by_colour = Index("COL", pk="colour", keys={Thing: Key("{colour}")})
    thing = Get(Thing)
    of_colour = Query(Thing, by_colour)


THINGS, COLOURED = (f"{__name__}:{name}" for name in ("Things", "Coloured"))


@pytest.fixture(autouse=True)
def account(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {**dynamodb.environment, "AWS_DEFAULT_REGION": "eu-west-1"}.items():
        monkeypatch.setenv(name, value)


def table(verb: str, design: str, *more: str, name: str = "things") -> int:
    return main(["table", verb, design, "--name", name, *more])


@pytest.mark.parametrize("design", EVERY_DESIGN, ids=lambda one: one.__design__.id)
def test_every_design_s_table_is_made_as_it_says(design: type[Table], dynamodb: Database) -> None:
    of = design.__design__
    made = create_table(dynamodb.caller, of, of.id, protected=False, recovery=False)
    assert made.differences(of) == []
    assert made.ttl == of.ttl


def test_what_is_there_is_shown_beside_what_the_design_says(capsys: Told) -> None:
    table("create", THINGS)
    capsys.readouterr()
    assert table("describe", COLOURED) == 1
    assert capsys.readouterr().out.splitlines() == [
        "things: ACTIVE, on demand, 0 items, 0 bytes",
        "deletion protection off, point-in-time recovery not known",
        "key        id (partition, S)",
        "index COL  colour (partition, S), everything",
        "           differs: there is none",
        "stream     NEW_IMAGE",
        "           differs: there is none",
        "ttl        ends",
        "           differs: there is none",
    ]


def test_a_table_that_is_another_one_is_left_as_it_is(dynamodb: Database, capsys: Told) -> None:
    table("create", THINGS)
    assert table("create", COLOURED) == 1
    told = capsys.readouterr().err
    assert "things is there already, and is not what coloured says:" in told
    assert "stream: the design says NEW_IMAGE, and there is none" in told
    assert table("drop", COLOURED, "--yes", "things") == 1
    assert "--force drops it all the same" in capsys.readouterr().err
    assert table("create", THINGS) == 0
    assert "things is there already, as things says" in capsys.readouterr().out
    assert table("drop", COLOURED, "--yes", "things", "--force") == 0
    assert dynamodb.caller.call("ListTables", {})["TableNames"] == []


class WithRecovery:
    """The engine, and the recovery that it does not have; stopped before it is switched on."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.stops = True
        self.recovers = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateContinuousBackups":
            if self.stops:
                raise KeyboardInterrupt
            self.recovers = True
            return {}
        if operation == "DescribeContinuousBackups":
            status = "ENABLED" if self.recovers else "DISABLED"
            found = {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": status}}
            return {"ContinuousBackupsDescription": found}
        return self._caller.call(operation, params)


def test_a_creation_that_was_stopped_ends_with_recovery_when_it_is_repeated(
    dynamodb: Database, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = WithRecovery(dynamodb.caller)
    monkeypatch.setattr(table_command, "connect", lambda *given, **settings: caller)
    assert table("create", THINGS, "--recovery") == 130
    assert not caller.recovers
    caller.stops = False
    assert table("create", THINGS, "--recovery") == 0
    assert caller.recovers
    assert "switched on point-in-time recovery of things" in capsys.readouterr().out
    assert table("create", THINGS, "--recovery") == 0
    assert "switched on" not in capsys.readouterr().out


def test_a_table_is_dropped_by_who_says_its_name_again(dynamodb: Database, capsys: Told) -> None:
    table("create", THINGS)
    assert table("drop", THINGS, "--yes", "thing") == 2
    assert "say --yes things to drop it" in capsys.readouterr().err
    assert dynamodb.caller.call("ListTables", {})["TableNames"] == ["things"]


def test_a_protected_table_is_not_dropped(dynamodb: Database, capsys: Told) -> None:
    assert table("create", THINGS, "--deletion-protection") == 0
    assert "deletion protection on" in capsys.readouterr().out
    assert table("drop", THINGS, "--yes", "things") == 1
    assert "things is protected from deletion" in capsys.readouterr().err
    off = {"TableName": "things", "DeletionProtectionEnabled": False}
    dynamodb.caller.call("UpdateTable", off)
    assert table("drop", THINGS, "--yes", "things") == 0


def test_what_is_not_there_is_told_in_a_sentence(capsys: Told) -> None:
    assert table("describe", THINGS, name="nothing") == 2
    assert table("drop", THINGS, "--yes", "nothing", name="nothing") == 2
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"tablewright table {verb}: there is no table nothing in this region"
        for verb in ("describe", "drop")
    ]


def test_an_engine_that_is_not_there_is_told_in_a_sentence(capsys: Told) -> None:
    assert table("create", THINGS, "--endpoint-url", NOBODY) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"tablewright table create: {NOBODY} cannot be used now: ")


def test_who_has_no_credentials_or_region_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Told
) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    assert table("describe", THINGS, "--profile", "nobody") == 2
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    assert table("describe", THINGS) == 2
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    assert table("describe", THINGS, "--region", "eu-west-1") == 2
    profile, region, credentials = capsys.readouterr().err.splitlines()
    assert "profile (nobody) could not be found" in profile
    assert region.endswith("name a region by --region, or set AWS_REGION")
    assert "the credentials are missing, or do not allow this" in credentials


def test_a_name_that_no_table_can_have_is_refused(capsys: Told) -> None:
    with pytest.raises(SystemExit) as stop:
        table("create", THINGS, name="a b")
    assert stop.value.code == 2
    assert "a table's name has 3 to 255 letters" in capsys.readouterr().err


def test_recovery_is_asked_for_where_it_is_wanted(capsys: Told) -> None:
    # This engine has none, and says so.
    assert table("create", THINGS, "--recovery") == 2
    assert "UpdateContinuousBackups" in capsys.readouterr().err
