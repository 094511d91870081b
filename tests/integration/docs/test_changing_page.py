"""The tutorial of a change: every command of it does what it says, beside an old reader."""

import re
import shlex
import sys
from importlib import import_module, reload
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cdk_app.settings import ROOT
from tablewright.changes import LiveTable, verify
from tablewright.commands.changes.apply import WAITS
from tablewright.commands.command_line import main
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import create_table
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

PAGE = (ROOT / "docs" / "changing.md").read_text()
BEFORE, ADDED, REMOVED = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    (command, shown)
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for command, shown in re.findall(r"\$ (.*)\n((?:(?!\$).*\n)*)", block)
]
# The code that each command ends with, and whether code of the first design still runs.
ENDS = [
    *((0, True), (1, True), (0, True), (WAITS, True), (WAITS, True), (0, True), (0, True)),
    *((0, True), (WAITS, True), (0, False), (0, False)),
]


def declared(tables: str) -> ModuleType:
    start, end = BEFORE.index("class Orders"), BEFORE.index("def fill")
    Path("shop.py").write_text(f"{BEFORE[:start]}{tables}\n\n{BEFORE[end:]}")
    return reload(import_module("shop"))


def listed(store: Store, orders: Any) -> list[tuple[str, str]]:
    """The orders of all customers as a design lists them, by boto3's order of each list."""
    return [
        (one.customer, one.order_id)
        for number in range(7)
        for one in store.each(orders.of_customer, {"customer": f"c{number}"})
    ]


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
        old = shop.Orders
        old_store = dynamodb.store(old, table="prod-orders")
        shop.fill(old_store, 40)
        always = listed(old_store, old)
        assert len(always) == 40
        ended = iter(ENDS)
        for command, shown in COMMANDS:
            words = shlex.split(command)
            if words[0] == "rm":
                Path(words[1]).unlink()
                continue
            if words[1] == "check":
                shop = declared(ADDED)
            elif "--remove-attributes" in words:
                shop = declared(REMOVED)
            code, has_old_reader = next(ended)
            assert main(words[1:]) == code, command
            if shown:
                assert capsys.readouterr().out == shown
            if words[1] == "plan" and shown:
                checked = shlex.split(COMMANDS[1][0])
                assert main(checked[1:]) == 0, "with its plan the check passes"
            capsys.readouterr()
            if has_old_reader:
                assert listed(old_store, old) == always, command
        live = LiveTable(dynamodb.caller, "prod-orders")
        assert live.form == TableForm.of(shop.Orders.__design__)
        assert verify(shop.Orders, "prod-orders", dynamodb.caller).is_sound
        new_store = dynamodb.store(shop.Orders, table="prod-orders")
        assert sorted(listed(new_store, shop.Orders)) == sorted(always)
        items = dynamodb.items("prod-orders")
        assert {name for item in items for name in item}.isdisjoint({"CPK", "CSK"})
    finally:
        sys.modules.pop("shop", None)
