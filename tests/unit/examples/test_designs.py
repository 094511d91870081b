"""The designs are sound, say what they are, and together show what the library has."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tablewright.model as model
from examples.designs import DESIGNS
from examples.designs.chat import BusyChat
from tablewright.model import Table
from tablewright.model.operands import Operand
from tablewright.model.validation.design import check
from tablewright.runtime import Store

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted((ROOT / "examples" / "designs").glob("*.py"))
TESTS = sorted((ROOT / "tests" / "integration" / "examples").glob("*.py"))
# What is not for declaring a table.
OTHER = {
    # Needs keys: docs/guide/secrets.md.
    "Digest",
    *("Change", "Condition", "Design", "EntityModel", "Pattern", "Record"),
    *("DesignError", "InvalidRecord", "InvalidValue", "TablewrightError"),
    *("Epoch", "Epochs", "ShardFunction", "last_character", "uniform", "unchecked"),
    "ALL",  # what an index projects unless it is told otherwise
    "truncate_time",  # docs/guide/declaring.md shows it
    "key_of",  # needs keys, which these designs do without: docs/guide/secrets.md shows it
}


def nodes(*files: Path) -> Iterator[ast.AST]:
    for file in files:
        yield from ast.walk(ast.parse(file.read_text()))


def attributes(*files: Path) -> set[str]:
    """Names that are asked of something: ``store.put``."""
    return {node.attr for node in nodes(*files) if isinstance(node, ast.Attribute)}


def is_of_entity(node: ast.AST) -> bool:
    """Whether an expression begins with a class, as ``Order.total`` does."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(node, ast.Name) and node.id[0].isupper()


@pytest.mark.parametrize("table", [*DESIGNS, BusyChat])
def test_a_design_is_sound(table: type[Table]) -> None:
    check(table)


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_says_what_everything_in_it_is_for(table: type[Table]) -> None:
    design = table.__design__
    assert design.describes
    for entity in design.entity_list:
        assert entity.describes, entity
        assert entity.check(entity.example), entity
    for pattern in design.pattern_list:
        assert pattern.describes.endswith("."), pattern


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_says_where_it_comes_from(table: type[Table]) -> None:
    module = table.__module__
    assert module == f"examples.designs.{table.__design__.id.replace('-', '_')}"
    assert "\n\nAfter the " in (sys.modules[module].__doc__ or "")


def test_every_module_is_listed() -> None:
    listed = {table.__module__.rpartition(".")[2] for table in DESIGNS}
    assert {file.stem for file in MODULES} == listed | {"__init__"}


@pytest.mark.parametrize("table", DESIGNS)
def test_every_access_pattern_is_run(table: type[Table]) -> None:
    named = [node for node in nodes(*MODULES, *TESTS) if isinstance(node, ast.Attribute)]
    run = {ast.unparse(node) for node in named}
    assert {f"{table.__name__}.{name}" for name in table.__design__.patterns} - run == set()


def test_they_use_every_field_and_pattern_that_there_is() -> None:
    used = {
        alias.name
        for node in nodes(*MODULES)
        if isinstance(node, ast.ImportFrom) and node.module == "tablewright.model"
        for alias in node.names
    }
    assert used == set(model.__all__) - OTHER


def test_they_use_every_method_of_a_store() -> None:
    calls = [
        node
        for node in nodes(*MODULES, *TESTS)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
    ]
    # Each names a pattern, but for those that carry out what others have made.
    used = {node.func.attr for node in calls if is_of_entity(node.args[0])}  # type: ignore[attr-defined]
    used |= {"transact_get", "transact_write"} & attributes(*MODULES)
    methods = {name for name in dir(Store) if not name.startswith("_")} - {"with_client"}
    assert methods - used == set()


def test_they_use_every_condition_and_every_change() -> None:
    methods = {name for name in dir(Operand) if not name.startswith("_")} - {
        "field",
        "leaf",
        "path",
    }
    assert methods - attributes(*MODULES, *TESTS) == set()
    found = list(nodes(*MODULES, *TESTS))
    compared = [n for n in found if isinstance(n, ast.Compare) and is_of_entity(n.left)]
    signs = {type(sign) for node in compared for sign in node.ops}
    assert signs == {ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE}
    joined = {type(n.op) for n in found if isinstance(n, ast.BinOp)}
    assert {ast.BitAnd, ast.BitOr} <= joined
    assert any(isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Invert) for n in found)


def test_they_use_every_kind_of_range() -> None:
    bounds = {n.arg for n in nodes(*MODULES, *TESTS) if isinstance(n, ast.keyword)}
    assert {"since", "until", "after", "before", "begins_with", "along", "expired"} <= bounds
