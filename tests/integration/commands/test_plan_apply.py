"""`tablewright plan` and `apply`: a change from its plan to its end, on the engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes import Kind, LiveTable, Plan
from tablewright.changes.state import CONTROL_TABLE
from tablewright.commands.changes import apply, plan
from tablewright.commands.changes.migration_state import held, state_of
from tablewright.designs import describe
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import create_table
from tablewright.testing import Database
from tests.integration.changes.designs import (
    NAME,
    Before,
    Contracted,
    Indexed,
    completed_items,
    in_order,
    items_of,
    records,
    stored,
)

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
    assert "Remove index" not in said

    assert applied("--dry-run") == 0
    assert "0 of" in capsys.readouterr().out
    assert applied() == apply.WAITS
    assert "--released writers" in capsys.readouterr().out
    assert applied("--released", "writers") == apply.WAITS
    said = capsys.readouterr().out
    assert "7 completed: attributes added" in said
    assert "write units, $0.00" in said
    assert applied("--released", "writers", "--released", "readers") == 0
    assert applied("--released", "readers") == 0, "there is nothing left to do"

    assert LiveTable(dynamodb.caller, NAME).form == TableForm.of(Indexed.__design__)
    assert stored(dynamodb) == completed_items(Indexed, records(7))


@pytest.mark.usefixtures("table")
def test_what_old_code_reads_is_removed_only_when_its_readers_have_moved(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveTable(dynamodb.caller, NAME)
    for name, index in TableForm.of(Indexed.__design__).indexes.items():
        if name not in live.form.indexes:
            live.update(live.form.with_index(name, index))
    dynamodb.empty(NAME)
    dynamodb.write(items_of(Indexed, records(7)), NAME)
    change = (f"{PLACE}:Contracted", "--from", f"{PLACE}:Indexed", "--stage", "prod")
    assert plan.main([*change, "--remove-attributes", "-o", "orders.plan.json"]) == 0
    assert "go on by: --readers-moved" in capsys.readouterr().out
    released = ("--released", "readers", "--released", "writers")
    assert applied(*released) == apply.WAITS
    assert "the same command with --readers-moved" in capsys.readouterr().out
    assert "by_customer" in live.form.indexes
    assert stored(dynamodb) == items_of(Indexed, records(7))
    assert applied(*released, "--readers-moved") == 0
    assert live.form == TableForm.of(Contracted.__design__)
    assert stored(dynamodb) == items_of(Contracted, records(7))
    assert applied("--undo") == 2
    assert "a contract step is done, so this plan cannot be undone" in capsys.readouterr().err


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("remove", [True, False])
def test_a_plan_is_undone_until_something_is_removed(
    dynamodb: Database, capsys: pytest.CaptureFixture[str], *, remove: bool
) -> None:
    assert planned() == 0
    before = stored(dynamodb), LiveTable(dynamodb.caller, NAME).form
    assert applied("--undo") == 0, "nothing is done"
    assert applied("--released", "writers") == apply.WAITS
    assert applied("--undo") == apply.WAITS
    assert "--released before" in capsys.readouterr().out
    options = ("--remove-attributes",) if remove else ()
    assert applied("--undo", "--released", "before", *options) == 0
    assert "The plan is undone." in capsys.readouterr().out
    assert LiveTable(dynamodb.caller, NAME).form == before[1]
    after = stored(dynamodb)
    assert after == (before[0] if remove else completed_items(Indexed, records(7)))
    # And forth again.
    assert applied("--released", "writers", "--released", "readers") == 0
    assert stored(dynamodb) == completed_items(Indexed, records(7))


@pytest.mark.usefixtures("table")
def test_a_second_table_starts_from_zero(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned() == 0
    released = ("--released", "writers", "--released", "readers")
    assert applied(*released) == 0
    other = "other-orders"
    create_table(dynamodb.caller, Before.__design__, other, protected=False, recovery=False)
    dynamodb.write(items_of(Before, records(7)), other)
    where = ("orders.plan.json", "--table", other, "--region", "eu-west-1")
    capsys.readouterr()
    assert apply.main([*where, "--dry-run"]) == 0
    assert "0 of 6 steps are done" in capsys.readouterr().out
    assert apply.main([*where, *released]) == 0
    found = sorted(dynamodb.items(other), key=in_order)
    assert found == completed_items(Indexed, records(7))


@pytest.mark.usefixtures("table")
def test_a_table_made_anew_under_the_same_name_starts_from_zero(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned() == 0
    assert applied() == apply.WAITS
    dynamodb.client().delete_table(TableName=NAME)
    create_table(dynamodb.caller, Before.__design__, NAME, protected=False, recovery=False)
    capsys.readouterr()
    assert applied("--dry-run") == 0
    assert "0 of 6 steps are done" in capsys.readouterr().out


@pytest.mark.usefixtures("table")
def test_two_runners_cannot_apply_one_plan_to_one_table(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned() == 0
    name = f"plan {Plan.from_file(Path('orders.plan.json')).id}"
    with held(state_of(dynamodb.caller, NAME, name, CONTROL_TABLE)):
        assert applied() == 2
    said = capsys.readouterr().err
    assert "holds the lease of this migration: waiting" in said
    assert "this runner does not hold the lease; it is held by" in said
    assert applied() == apply.WAITS


@pytest.mark.usefixtures("table")
def test_an_attribute_that_items_have_with_another_meaning_is_refused(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    (item, *_) = items_of(Before, records(1))
    assert planned() == 0
    dynamodb.write([{**item, "D1": {"S": "of others"}}], NAME)
    said = "1 of 7 sampled items have the attribute D1 with another meaning. Give the index new"
    assert planned() == 1
    assert said in capsys.readouterr().err
    assert applied() == 1
    assert said in capsys.readouterr().err
    assert "by_owner" not in LiveTable(dynamodb.caller, NAME).form.indexes


class Lasting(Before, id="orders", ttl=None):
    pass


class Fading(Lasting, id="orders", ttl="until"):
    pass


@pytest.mark.usefixtures("table")
def test_an_expiry_that_would_delete_items_is_refused_with_their_number(
    dynamodb: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    place = "tests.integration.commands.test_plan_apply"
    live = LiveTable(dynamodb.caller, NAME)
    live.update(live.form._replace(ttl=None))
    change = (f"{place}:Fading", "--from", f"{place}:Lasting", "--stage", "prod")
    assert plan.main([*change]) == 0
    dynamodb.write([{**one, "until": {"N": "1"}} for one in items_of(Before, records(3))], NAME)
    assert plan.main([*change]) == 1
    said = capsys.readouterr().err
    assert "3 of 7 sampled items have the attribute until with another meaning" in said
    assert "DynamoDB would delete them by it" in said


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
    attribute = "D1"
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
    live = LiveTable(dynamodb.caller, NAME)
    live.update(live.form._replace(stream="NEW_IMAGE"))
    assert applied() == 2
    assert (
        "somebody else has changed the table: stream is NEW_IMAGE, not none"
        in capsys.readouterr().err
    )


@pytest.mark.usefixtures("table")
def test_items_that_cannot_be_completed_stop_the_plan_and_are_named(
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
    Path("bad.plan.json").write_text('{"format": 2, "steps": 3}')
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
