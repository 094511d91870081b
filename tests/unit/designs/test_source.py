"""The source of a description declares the same design, as a person would write it."""

import ast
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from runpy import run_path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdk_app.settings import ROOT
from examples.designs.chat import BusyChat, Chat
from examples.designs.shop import Shop
from tablewright.designs import (
    Beside,
    InvalidDescription,
    describe,
    python_source,
)
from tablewright.designs.source.layout import WIDTH, Literal, call, lines, quoted
from tablewright.designs.source.module import module_source
from tablewright.model import Table
from tablewright.model.validation.design import validate
from tests.every_design import EVERY_DESIGN
from tests.unit.designs.everything import Everything

DESIGNS: tuple[type[Table], ...] = (Everything, *EVERY_DESIGN)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.__name__)
def test_the_source_of_a_design_declares_the_same_design(
    design: type[Table], tmp_path: Path
) -> None:
    told = describe(design)
    (tmp_path / "made.py").write_text(python_source(told))
    names = run_path(str(tmp_path / "made.py"))
    (made,) = (
        one
        for one in names.values()
        if isinstance(one, type) and issubclass(one, Table) and one.__module__ == "<run_path>"
    )
    assert describe(made) == told
    assert list(made.__design__.patterns) == list(design.__design__.patterns)
    assert validate(made) == validate(design)


def test_sources_are_laid_out_as_ruff_does_it(tmp_path: Path) -> None:
    for design in DESIGNS:
        (tmp_path / f"{design.__name__}.py").write_text(python_source(describe(design)))
    for command in (("format", "--check"), ("check", "--ignore=N999")):
        ruff = (sys.executable, "-m", "ruff", *command, f"--config={ROOT / 'pyproject.toml'}")
        done = subprocess.run((*ruff, tmp_path), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_what_is_imported_does_not_hide_behind_fields_of_its_name() -> None:
    source = python_source(describe(Everything))
    assert "from builtins import set as set_\n" in source
    assert "date: Field[date_] = Date(default=date_(2026, 1, 31))" in source


def test_names_and_examples_of_the_original_are_kept_where_they_are_told() -> None:
    example = {"customer": "ann", "name": "Ann", "addresses": [{"street": "A", "city": "B"}]}
    comments = {"Order.total": "With taxes.", "Customer": "Somebody.", "by_product": "Sold."}
    beside = Beside("Market", {"by_product": "sold"}, {"Customer": example}, comments)
    source = python_source(describe(Shop), beside)
    assert 'class Market(Table, pk="PK", sk="SK", id="shop"):' in source
    assert '    # Sold.\n    sold = Index(\n        "by_product",' in source
    assert '"addresses": (Address(street="A", city="B"),)' in source
    assert "    # With taxes.\n    total: " in source
    assert "# Somebody.\nclass Customer(\n" in source


def test_several_designs_in_one_module_share_no_names(tmp_path: Path) -> None:
    source = module_source([(describe(one), Beside()) for one in (Chat, BusyChat)], "Chats.")
    (tmp_path / "chats.py").write_text(source)
    names = run_path(str(tmp_path / "chats.py"))
    assert describe(names["Chat"]) == describe(Chat)
    assert describe(names["BusyChat"]) == describe(BusyChat)
    assert "class BusyChatRoom(" in source


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("format",), 99, "format is 99: this version reads format 1"),
        (
            ("entities", "Order", "fields", "x = 1; y"),
            {"kind": "Text"},
            "fields.'x = 1; y' is 'x = 1; y': it must be a name that Python accepts",
        ),
        (("patterns", "import"), {"kind": "Get", "of": "Order"}, "'import': it must be a name"),
        (
            ("entities", "Order", "fields", "total", "kind"),
            "print",
            "is 'print': it must be one of",
        ),
        (("entities", "Order", "fields", "total", "kind"), "os:system(1)", "it must be one of"),
        (("patterns", "order", "kind"), "Table", "is 'Table': it must be one of BatchCreate,"),
        (("indexes", "by_product", "projects"), "Entity", "it must be one of ALL, KEYS_ONLY"),
        (("entities", "Order", "key"), {}, "is an object: it must have 'partition'"),
        (("patterns", "order", "of"), "Bill", "patterns.order.of is 'Bill': it must be one of"),
        (("entities",), [], "entities is a list: it must be an object"),
    ],
)
def test_a_description_that_is_none_is_refused_in_a_sentence(
    path: tuple[str, ...], value: object, says: str
) -> None:
    told = deepcopy(describe(Shop))
    holder = told
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value
    with pytest.raises(InvalidDescription) as refused:
        python_source(told)
    assert says in str(refused.value)


@settings(max_examples=30)
@given(st.text())
def test_any_text_can_be_written(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text
    made = lines(call("f", Literal(text), Literal("b" * 90)), "", "", 0)
    first = ast.parse("\n".join(made)).body[0]
    assert isinstance(first, ast.Expr)
    assert isinstance(first.value, ast.Call)
    assert ast.literal_eval(first.value.args[0]) == text


def test_long_texts_are_broken_between_words() -> None:
    made = lines(call("f", Literal("word " * 60)), "x = ", "", 4)
    assert all(len(line) <= WIDTH for line in made)
    assert len(made) > 4
