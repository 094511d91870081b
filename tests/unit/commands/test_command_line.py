"""`tablewright`: every command is under it, named and told of in one way."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright import __version__
from tablewright.commands.command_line import COMMANDS, main

EVERY = {name: command for group in COMMANDS.values() for name, command in group.items()}


@pytest.mark.parametrize("asked", [["--help"], ["help"], []])
def test_help_lists_every_command(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked) == 0
    told = capsys.readouterr().out
    for name, command in EVERY.items():
        assert re.search(rf"^  {name} +{re.escape(command.says)}$", told, re.MULTILINE)


@pytest.mark.parametrize("name", EVERY)
def test_a_commands_help_calls_it_by_its_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: tablewright {name} ")
    # And shows it, with options that it has.
    usage, _, example = " ".join(told.split()).partition(f"For example: tablewright {name}")
    assert example
    # Those of a step, such as `rotate-keys add`, are told by its own help.
    assert name in ("migration", "rotate-keys", "table") or set(
        re.findall(r"--[\w-]+", example)
    ) <= {*re.findall(r"--[\w-]+", usage)}


def test_every_module_of_commands_is_a_command_or_part_of_one() -> None:
    folder = ROOT / "tablewright" / "commands"
    files = (path.relative_to(ROOT).with_suffix("") for path in folder.rglob("[a-z]*.py"))
    # Those of a new app are data.
    modules = {".".join(path.parts) for path in files if "app_files" not in path.parts}
    runs = {name for name in modules if hasattr(import_module(name), "main")}
    assert runs - {"tablewright.commands.command_line"} <= {one.module for one in EVERY.values()}


def test_the_page_has_every_command() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    assert set(re.findall(r"^\| `tablewright ([\w-]+)` \|", page, re.MULTILINE)) == EVERY.keys()


def test_a_misspelt_command_is_told_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["redirve"]) == 2
    assert "no command 'redirve'. Did you mean 'redrive'?" in capsys.readouterr().err


def test_designs_are_found_in_the_folder_that_a_command_is_run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own_shop.py").write_text("from tablewright.catalog.sales.design import Sales\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    assert main(["audit-isolation", "--design", "own_shop:Sales"]) == 0
    with pytest.raises(SystemExit):
        main(["audit-isolation", "--design", "own_shop:Orders"])
    assert "there is nothing at 'own_shop:Orders'" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"
