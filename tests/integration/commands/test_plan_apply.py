"""`tablewright plan` and `apply`: a change from its plan to its end, on the engine."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes import Kind, LiveTable, Plan
from tablewright.commands.changes import apply, plan
from tablewright.designs import describe
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import create_table
from tablewright.testing import Database
from tests.integration.changes.designs import NAME, Before, Indexed, items_of, records

PLACE = "tests.integration.changes.designs"


@pytest.fixture
def table(dynamodb: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.sleep", lambda _: None)
    create_table(dynamodb.caller, Before.__design__, NAME, protected=False, recovery=False)
    dynamodb.write(items_of(Before, records(7)), NAME)
    lock = json.dumps(describe(Before))
    Path("orders.lock.json").write_text(lock)
    Path("pyproject.toml").write_text(
        f'[tool.tablewright.stages.prod]\nregion = "eu-west-1"\ntables = {{ orders = "{NAME}" }}\n'
    )


def planned(*options: str) -> int:
    asked = ("--from", "orders.lock.json", "--stage", "prod", "-o", "orders.plan.json")
    return plan.main([f"{PLACE}:Indexed", *asked, *options])


def applied(*options: str) -> int:
    return apply.main(["orders.plan.json", "--stage", "prod", *options])


@pytest.mark.usefixtures("table")
def test_a_plan_is_printed_written_and_carried_out_release_by_release(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned("--items", "1000000", "--bytes", "400000000") == 0
    said = capsys.readouterr().out
    assert "1,000,000 items of 400 bytes" in said
    assert "go on by: --released writers" in said
    assert "Remove index by_customer" in said

    assert applied("--dry-run") == 0
    assert "0 of" in capsys.readouterr().out
    assert applied() == apply.WAITS
    assert "--released writers" in capsys.readouterr().out
    assert applied("--released", "writers") == apply.WAITS
    assert "rewritten where they are" in capsys.readouterr().out
    assert applied("--released", "writers", "--released", "readers") == 0
    assert applied("--released", "readers") == 0, "there is nothing left to do"

    assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(Indexed.__design__)
    found = {item["PK"]["S"] + item["SK"]["S"]: item for item in dynamodb.items(NAME)}
    anew = {item["PK"]["S"] + item["SK"]["S"]: item for item in items_of(Indexed, records(7))}
    assert found == anew


@pytest.mark.usefixtures("table")
def test_updates_are_made_by_the_deploy_command_of_a_stage() -> None:
    with Path("pyproject.toml").open("a") as file:
        file.write("deploy = 'echo {context} >> deployed.txt; exit 7'\n")
    assert planned() == 0
    assert applied() == 2
    (told,) = Path("deployed.txt").read_text().splitlines()
    assert told.startswith("-c tablewright:on-the-way=")
    form = json.loads(told.partition("=")[2])["orders"]
    first = next(s for s in Plan.from_file(Path("orders.plan.json")).steps if s.kind is Kind.TABLE)
    assert TableForm.from_json(form) == first.form


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    "deploy", ["echo {context}", 'echo "{context}"', "sh -c 'echo {context}'", "echo '{context}'"]
)
def test_no_text_of_a_plan_is_run_by_the_shell(deploy: str) -> None:
    with Path("pyproject.toml").open("a") as file:
        file.write(f"deploy = {json.dumps(deploy + ' >> deployed.txt; exit 7')}\n")
    assert planned() == 0
    plan_file = Path("orders.plan.json")
    attribute = re.findall(r'"partition": {\s*"(\w+)": "S"', plan_file.read_text())[0]
    hostile = "a'$(touch RAN)`touch RAN`;touch RAN;'"
    plan_file.write_text(plan_file.read_text().replace(f'"{attribute}"', json.dumps(hostile)))
    assert applied() == 2
    assert "touch RAN" in Path("deployed.txt").read_text() or "'{context}'" in deploy
    assert not Path("RAN").exists()


@pytest.mark.usefixtures("table")
def test_a_table_that_somebody_else_changed_is_not_touched(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned() == 0
    assert applied() == apply.WAITS
    live = LiveTable(dynamodb.caller, NAME)
    live.update(live.form._replace(stream="NEW_IMAGE"))
    said = applied("--released", "writers", "--released", "readers")
    assert said == 2
    assert (
        "somebody else has changed the table: stream is NEW_IMAGE, not none"
        in capsys.readouterr().err
    )


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("kept", "says"),
    [
        ("{", "is no progress of a plan"),
        ("[]", "is no progress of a plan"),
        ('{"done": 3}', "is no progress of a plan"),
        ('{"plan": "another", "done": 3}', "is the progress of another plan"),
    ],
)
def test_progress_that_is_not_the_plan_s_own_is_refused(
    kept: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned() == 0
    Path("orders.plan.state.json").write_text(kept)
    assert applied() == 2
    assert says in capsys.readouterr().err


@pytest.mark.usefixtures("table")
def test_items_that_cannot_be_rewritten_stop_the_plan_and_are_named(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    (item, *_) = items_of(Before, records(1))
    dynamodb.write([{**item, "PK": {"S": "ORDER#bad"}, "total": {"S": "much"}}], NAME)
    assert planned() == 0
    assert applied("--released", "writers") == 1
    assert "ORDER#bad" in capsys.readouterr().err


def test_a_key_that_cannot_change_in_place_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    place = "tests.integration.commands.test_plan_apply"
    assert plan.main([f"{place}:OtherKey", "--from", f"{PLACE}:Before"]) == 1
    assert "the key of a table cannot be changed" in capsys.readouterr().err


class OtherKey(Before, id="orders", pk="P"):
    pass


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        (plan, [f"{PLACE}:Nothing"], "there is nothing at"),
        (plan, [f"{PLACE}:Indexed"], "say what to plan from"),
        (
            plan,
            [f"{PLACE}:Indexed", "--from", "no.json"],
            "no lock file: it cannot be read",
        ),
        (
            plan,
            [f"{PLACE}:Indexed", "--stage", "prod"],
            "stage prod needs pyproject.toml",
        ),
        (plan, [f"{PLACE}:Indexed", "--from", f"{PLACE}:Before", "--region", "x"], "x"),
        (plan, [f"{PLACE}:Indexed", "--rate", "0"], "'0' is not a number from 1 to"),
        (plan, [f"{PLACE}:Indexed", "--items", "-3"], "'-3' is not a number from 0 to"),
        (apply, ["no.plan.json", "--table", "t", "--rate", "0"], "is not a number above 0"),
        (apply, ["no.plan.json", "--table", "t", "--segments", "0"], "not a number from 1 to 100"),
        (apply, ["no.plan.json", "--table", "t"], "no.plan.json is no plan: it cannot be read"),
        (apply, ["bad.plan.json", "--table", "t"], "is no plan"),
    ],
)
def test_bad_input_gets_a_sentence(
    command: Any,
    arguments: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.plan.json").write_text('{"format": 1, "steps": 3}')
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
