"""The guide's story of one change: every command of it, from the lock to the dropped index."""

import re
import shlex
import sys
from importlib import import_module, reload
from pathlib import Path
from types import ModuleType

import pytest

from cdk_app.settings import ROOT
from tablewright.changes import LiveTable, verify
from tablewright.commands.changes.apply import WAITS
from tablewright.commands.command_line import main
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import create_table
from tablewright.testing import Database

PAGE = (ROOT / "docs" / "changing.md").read_text()
BEFORE, AFTER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    (command, shown)
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for command, shown in re.findall(r"\$ (.*)\n((?:(?!\$).*\n)*)", block)
]
ENDS = [0, 1, 0, WAITS, WAITS, 0, 0]


def declared(text: str) -> ModuleType:
    Path("shop.py").write_text(text)
    return reload(import_module("shop"))


def test_every_command_of_the_story_does_what_it_says(
    dynamodb: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr("time.sleep", lambda _: None)
    (told,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    Path("pyproject.toml").write_text(told)
    Path("shop.py").write_text(BEFORE)
    shop = import_module("shop")
    try:
        create_table(
            dynamodb.caller, shop.Orders.__design__, "prod-orders", protected=False, recovery=False
        )
        shop.fill(dynamodb.store(shop.Orders, table="prod-orders"), 40)
        ended = iter(ENDS)
        for number, (command, shown) in enumerate(COMMANDS):
            words = shlex.split(command)
            if words[0] == "rm":
                Path(words[1]).unlink()
                continue
            if number == 1:
                start = BEFORE.index("class Orders")
                end = BEFORE.index("def fill")
                shop = declared(BEFORE[:start] + AFTER + "\n\n" + BEFORE[end:])
            assert main(words[1:]) == next(ended), command
            if shown:
                assert capsys.readouterr().out == shown
            if words[1] == "plan":
                checked = shlex.split(COMMANDS[1][0])
                assert main(checked[1:]) == 0, "with its plan the check passes"
            capsys.readouterr()
        live = LiveTable(dynamodb.caller, "prod-orders")
        assert live.form == TableForm.of(shop.Orders.__design__)
        assert verify(shop.Orders, "prod-orders", dynamodb.caller).is_sound
    finally:
        sys.modules.pop("shop", None)
