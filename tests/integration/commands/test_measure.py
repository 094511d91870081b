"""`tablewright measure`: figures of the engine, kept in a file and held against it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.testing.dynamodb_local import DynamoDbLocal, DynamoDbLocalError

DESIGN = "tests.integration.costs.test_floors:Notes"
SCENARIO = "tests.integration.costs.test_floors:notes"
EVENTS = ("tablewright.catalog.portal.events:Events", "docs.scenarios.portal_events:measure")
COMMAND = "tablewright.commands.designs.measure.DynamoDbLocal"


@pytest.fixture(autouse=True)
def engine(dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one engine of the run, in place of one that the command would start."""

    @contextmanager
    def running() -> Iterator[DynamoDbLocal]:
        yield dynamodb_local

    monkeypatch.setattr(COMMAND, running)


def test_figures_are_shown_beside_their_floors_and_what_was_not_run_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "notes.json"
    assert main(["measure", DESIGN, SCENARIO, "-o", str(kept)]) == 0
    told = capsys.readouterr()
    (line,) = (one for one in told.out.splitlines() if one.startswith("write, once"))
    assert line.split()[2:] == ["1", "0", "0", "5.0", "5"]
    assert told.err == "not run by the scenario: not_run\n"
    assert len(json.loads(kept.read_text())) == 12


def test_a_pattern_that_got_dearer_fails_with_before_and_now(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    figures = ROOT / "docs" / "tables" / "events.capacity.json"
    before = json.loads(figures.read_text())
    (case,) = (one for one in before if one["pattern"] == "store_event")
    case["write"] = str(case["many"])
    (kept := tmp_path / "events.json").write_text(json.dumps(before[:-1]))
    assert main(["measure", *EVENTS, "--check", str(kept), "--json"]) == 1
    told = capsys.readouterr()
    assert "dearer: store_event, 100 events: write units 1, now 2" in told.err
    assert "new: query_events_by_user" in told.err
    assert json.loads(told.out) == json.loads(figures.read_text())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([DESIGN, "tests.integration.costs.test_floors:Notes"], "is no scenario"),
        ([DESIGN, "tests.integration.costs.test_floors:none"], "there is nothing at"),
        ([DESIGN, SCENARIO, "--check", "none.json"], "none.json cannot be read"),
        ([DESIGN, SCENARIO, "--check", str(ROOT / "pyproject.toml")], "pyproject.toml is not JSON"),
        ([DESIGN, SCENARIO, "--check", str(ROOT / "package.json")], "has no measurements"),
    ],
)
def test_bad_input_gets_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["measure", *arguments])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_a_scenario_that_fails_is_told_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing_scenario.py").write_text("def fails(measuring):\n    return 1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit):
        main(["measure", DESIGN, "failing_scenario:fails"])
    told = capsys.readouterr().err
    assert "the scenario failed: ZeroDivisionError: division by zero" in told
    assert "failing_scenario.py:2)" in told


def test_an_engine_that_is_not_there_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise DynamoDbLocalError("there is no Java on PATH")

    monkeypatch.setattr(COMMAND, missing)
    with pytest.raises(SystemExit):
        main(["measure", DESIGN, SCENARIO])
    assert "there is no Java on PATH" in capsys.readouterr().err
