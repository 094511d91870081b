"""The page on adopting: its blocks run, and its command says what it shows."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main

PAGE = (ROOT / "docs" / "adopting.md").read_text()
BLOCKS = re.findall(r"```(python|console)\n(.*?)```", PAGE, re.DOTALL)


def test_the_blocks_run_and_the_command_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "adopting.md", "exec"), names)  # noqa: S102 - our own page
            continue
        command, shown = block.removeprefix("$ tablewright ").split("\n", 1)
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().err == shown
    assert [kind for kind, _ in BLOCKS].count("console") == 1
