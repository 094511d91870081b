"""The page on backfills: its commands do what it says, and print what it shows."""

import re
import shlex
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from aws_cdk import App

from cdk_app.settings import ROOT
from tablewright.commands.command_line import main
from tablewright.testing import Database
from tests.infrastructure.synthesis import context, only, template_of

PAGE = (ROOT / "docs" / "backfill.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
SHOP, STACK = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def shop(dynamodb: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's module in a folder of its own, and a database with its orders."""
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "shop_stack.py").write_text(STACK)
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    module = import_module("shop")
    dynamodb.table(module.Orders, "dev-orders")
    module.fill(300)
    yield
    for name in ("shop", "shop_stack"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("shop")
def test_the_commands_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    commands = [
        (command, shown)
        for block in BLOCKS
        for command, shown in re.findall(r"\$ tablewright (.*)\n((?:(?!\$).*\n)*)", block)
    ]
    names = [command.split()[0] for command, _ in commands]
    assert names == ["backfill", "backfill", "backfill", "verify"]
    for command, shown in commands:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out == shown


@pytest.mark.usefixtures("shop")
def test_the_stack_of_the_page_has_the_function() -> None:
    stack = import_module("shop_stack").Shop(App(context=context()), "Shop")
    rule = only(template_of(stack), "AWS::Events::Rule")
    assert rule["ScheduleExpression"] == "rate(5 minutes)"
