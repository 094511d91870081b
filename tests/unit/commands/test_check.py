"""`tablewright check`: what is wrong with a design, at the line where it is declared."""

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tablewright.commands.command_line import main
from tablewright.commands.designs.check import findings
from tests.every_design import EVERY_DESIGN

SHOP = """
from datetime import datetime

from tablewright.model import Entity, Field, Get, Index, Key, Put, Query, Table, Text, Timestamp


class Order(Entity, key=Key("ORDER#{order_id}")):
    order_id: Field[str] = Text()
    placed_at: Field[datetime] = Timestamp()


class Sound(Table, pk="PK"):
    place = Put(Order)


class Slow(Table, pk="PK", ttl="ttl"):
    newest = Index("NEWEST", pk="NPK", sk="NSK", keys={Order: Key("ALL", "{placed_at}")})
    unread = Index("UNREAD", pk="UPK", keys={Order: Key("{order_id}")})
    place = Put(Order)
    recent = Query(Order, newest, range=Order.placed_at)


class Wrong(Table, pk="PK"):
    late = Index("L", pk="LPK", keys={Order: Key("{placed_at}#{colour}")})
    place = Put(Order)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "checked_shop", raising=False)
    (tmp_path / "checked_shop.py").write_text(SHOP)
    return tmp_path


def line_of(text: str) -> int:
    return next(at for at, line in enumerate(SHOP.splitlines(), start=1) if text in line)


def test_a_sound_design_passes(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "checked_shop:Sound"]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "1 design: 0 errors, 0 warnings\n")


def test_an_error_is_told_with_its_line(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "checked_shop:Wrong", "checked_shop:Sound"]) == 1
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert any("colour" in line for line in lines)
    for line in lines:
        assert line.startswith(f"checked_shop.py:{line_of('late = ')}: error: Wrong: ")
    assert told.err.startswith("2 designs: ")


def test_warnings_say_what_would_mend_them(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "checked_shop:Slow"]) == 0
    hot, unused, ttl = capsys.readouterr().out.splitlines()
    assert hot.startswith(f"checked_shop.py:{line_of('class Order')}: warning: Slow: every Order")
    assert "one partition of index NEWEST" in hot
    assert "shards=Shards(10, by=…)" in hot
    assert unused.startswith(f"checked_shop.py:{line_of('unread = ')}: warning: Slow: index UNREAD")
    assert "no entity expires" in ttl
    assert main(["check", "--strict", "checked_shop:Slow"]) == 1


def test_programs_get_json(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "checked_shop:Slow"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in found] == ["warning"] * 3
    assert found[1]["line"] == line_of("unread = ")


def test_designs_can_be_listed_in_the_projects_file(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "pyproject.toml").write_text(
        '[tool.tablewright]\ndesigns = ["checked_shop:Sound", "checked_shop:Slow"]\n'
    )
    assert main(["check"]) == 0
    assert "2 designs: 0 errors, 3 warnings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "asked", "says"),
    [
        (None, [], "name a design, as in shop.orders:Orders"),
        ("[tool.tablewright\n", [], "pyproject.toml cannot be read"),
        (
            '[tool.tablewright]\ndesigns = ["checked_shop:Sold"]\n',
            [],
            "pyproject.toml: there is nothing at 'checked_shop:Sold'",
        ),
        (None, ["checked_shop:Order"], "'checked_shop:Order' is no table design"),
        (None, ["nowhere:Orders"], "there is nothing at 'nowhere:Orders'"),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(
    file: str | None, asked: list[str], says: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if file:
        (shop / "pyproject.toml").write_text(dedent(file))
    with pytest.raises(SystemExit) as stop:
        main(["check", *asked])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('Get("nothing")', "TypeError: Get: of must be a class such as Entity, not 'nothing'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
def test_a_module_that_fails_is_told_with_its_line(
    line: str, reason: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "checked_shop.py").write_text(f"{SHOP}\n{line}\n")
    with pytest.raises(SystemExit) as stop:
        main(["check", "checked_shop:Sound"])
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert f"'checked_shop' cannot be imported: {reason}" in told
    assert f"checked_shop.py:{len(SHOP.splitlines()) + 2})" in told


def test_every_design_of_the_project_is_without_error() -> None:
    designs = EVERY_DESIGN
    assert len(designs) > 20
    wrong = [one for table in designs for one in findings(table) if one.kind == "error"]
    assert wrong == []


@pytest.mark.parametrize(
    ("terminal", "told", "expected"),
    [
        (True, {}, "\033[31merror\033[0m"),
        (True, {"NO_COLOR": "1"}, " error:"),
        (False, {}, " error:"),
    ],
)
def test_colours_are_for_a_terminal(
    shop: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    told: dict[str, str],
    expected: str,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert main(["check", "checked_shop:Wrong"]) == 1
    assert expected in capsys.readouterr().out
