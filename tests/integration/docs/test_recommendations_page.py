"""The page on recommendations is what its blocks do, run in order."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import ROOT
from lambdas.operations.contract import DETAIL_TYPE, EVENT_SOURCE
from tablewright.commands.operations.recommend import main
from tablewright.costs.price_lists import US_EAST_1
from tablewright.recommendations import Kind, read_usage, recommendations
from tablewright.recommendations.report import report

PAGE = (ROOT / "docs" / "recommendations.md").read_text()
COMMAND = "$ tablewright recommend "


def test_every_block_prints_what_the_page_says_and_the_event_has_its_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    blocks = re.findall(r"```(python|console)\n(.*?)```", PAGE, re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", "console", "console", "python"]
    for kind, block in blocks:
        if kind == "python":
            exec(block, names)  # noqa: S102
            continue
        command, _, printed = block.partition("\n")
        assert command.startswith(COMMAND)
        assert main(command.removeprefix(COMMAND).split()) == 1
        assert capsys.readouterr().out == printed
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    event = json.loads(shown)
    usage = read_usage(tmp_path / "usage.json")
    found = report(usage, US_EAST_1, recommendations(usage, US_EAST_1))
    detail = event["detail"]
    assert (event["source"], event["detail-type"]) == (EVENT_SOURCE, DETAIL_TYPE)
    assert detail.keys() == {*found, "count", "report"}
    assert (detail["saving"], detail["count"]) == (found["saving"], len(found["recommendations"]))
    (first,) = detail["recommendations"]
    said = {name: one for name, one in first.items() if one != "…"}
    assert said.items() <= {**found["recommendations"][0], "changes": first["changes"]}.items()
    assert first["changes"] == list(found["recommendations"][0]["changes"])
    assert first.keys() == found["recommendations"][0].keys()


def test_the_page_has_every_kind() -> None:
    (rows,) = re.findall(r"\| kind \|.*?\n\n", PAGE, re.DOTALL)
    named = re.findall(r"^\| ([a-z, ]+) \|", rows, re.MULTILINE)
    listed = {kind for one in named for kind in one.split(", ")}
    assert listed - {"kind"} == set(Kind)
