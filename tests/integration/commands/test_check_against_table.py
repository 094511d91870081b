"""`tablewright check --against table:NAME`: a design beside a table that is there."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tablewright.changes import Kind, Plan, Step
from tablewright.commands.command_line import main
from tablewright.designs import describe
from tablewright.model import Entity, Field, Get, Index, Key, Query, Table, Text
from tablewright.model.table_form import TableForm
from tablewright.testing import Database

NOBODY = "http://127.0.0.1:9"
Told = pytest.CaptureFixture[str]


class Thing(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    colour: Field[str] = Text()


class Things(Table, pk="id"):
    thing = Get(Thing)


class Coloured(Table, pk="id", ttl="ends", stream="NEW_IMAGE"):
    by_colour = Index("COL", pk="colour", keys={Thing: Key("{colour}")})
    shades = Index(pk="SPK", keys={Thing: Key("SHADE#{colour}")})
    thing = Get(Thing)
    of_colour = Query(Thing, by_colour)
    of_shade = Query(Thing, shades)


class Keyed(Table, pk="key"):
    thing = Get(Thing)


@pytest.fixture(autouse=True)
def account(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {**dynamodb.environment, "AWS_DEFAULT_REGION": "eu-west-1"}.items():
        monkeypatch.setenv(name, value)


def create(design: str) -> None:
    assert main(["table", "create", f"{__name__}:{design}", "--name", "things"]) == 0


def check(design: str, *more: str, name: str = "things") -> int:
    return main(["check", f"{__name__}:{design}", "--against", f"table:{name}", *more])


def test_the_price_is_for_the_items_that_the_table_has(capsys: Told, dynamodb: Database) -> None:
    create("Things")
    for number in range(3):
        item = {"id": {"S": str(number)}, "colour": {"S": "red"}}
        dynamodb.caller.call("PutItem", {"TableName": "things", "Item": item})
    capsys.readouterr()
    assert check("Coloured") == 1
    assert "\nColoured, 3 items of 12 bytes: " in capsys.readouterr().err


def test_a_table_as_its_design_says_has_no_difference(capsys: Told) -> None:
    create("Coloured")
    assert check("Coloured") == 0
    assert "against table:things: no difference" in capsys.readouterr().err


def test_every_part_that_differs_is_a_finding(capsys: Told) -> None:
    create("Things")
    capsys.readouterr()
    assert check("Coloured", "--json") == 1
    findings = [one for one in json.loads(capsys.readouterr().out) if "code" in one]
    assert {one["code"] for one in findings} == {"table-differs"}
    assert {one["kind"] for one in findings} == {"writers first"}
    subjects = ["stream", "ttl", "index COL", "index shades"]
    assert [one["subject"] for one in findings] == subjects


def test_another_key_needs_a_new_table(capsys: Told) -> None:
    create("Things")
    assert check("Keyed") == 1
    assert "new table: Keyed: table-differs: key: " in capsys.readouterr().out


def test_a_plan_from_the_design_of_the_table_lets_it_pass(tmp_path: Path, capsys: Told) -> None:
    create("Things")
    plan = tmp_path / "plan.json"
    form = TableForm.of(Coloured.__design__)
    step = Step(kind=Kind.VERIFY, says="Verify.", form=form, code="any code", undo="nothing")
    start = TableForm.of(Things.__design__)
    whole = Plan(describe(Things), describe(Coloured), start, (step,))
    plan.write_text(whole.to_text())
    assert check("Coloured", "--plan", str(plan)) == 0
    plan.write_text(replace(whole, steps=()).to_text())
    assert check("Coloured", "--plan", str(plan)) == 1
    plan.write_text(replace(whole, before=describe(Keyed)).to_text())
    assert check("Coloured", "--plan", str(plan)) == 1


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("nothing", (), "there is no table nothing in this region"),
        ("things", ("--endpoint-url", NOBODY), f"{NOBODY} cannot be used now"),
        ("things", ("--profile", "nobody"), "nobody"),
    ],
)
def test_a_table_that_cannot_be_described_is_told_in_a_sentence(
    name: str, more: tuple[str, ...], says: str, capsys: Told
) -> None:
    with pytest.raises(SystemExit) as stop:
        check("Things", *more, name=name)
    assert stop.value.code == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


STAGES = """
[tool.tablewright.stages.prod]
region = "eu-west-1"
tables = { things = "things" }
[tool.tablewright.stages.broken]
colour = "red"
"""


def test_a_stage_names_the_table_of_a_design(
    capsys: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create("Things")
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(STAGES)
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    assert main(["check", f"{__name__}:Things", "--against", "stage:prod"]) == 0
    assert "against stage:prod: no difference" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("stage", "says"),
    [
        ("dev", "pyproject.toml has no stage dev; it has: prod, broken"),
        ("broken", "a stage has deploy, endpoint_url, profile, region, tables, not colour"),
        ("prod", "stage prod says no table of coloured"),
    ],
)
def test_a_stage_that_does_not_say_where_a_table_is_is_told_in_a_sentence(
    stage: str, says: str, capsys: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(STAGES)
    with pytest.raises(SystemExit) as stop:
        main(["check", f"{__name__}:Coloured", "--against", f"stage:{stage}"])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err
