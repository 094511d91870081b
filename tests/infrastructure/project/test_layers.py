"""Imports point one way: application to catalogue to library; runtime and constructs to model."""

import ast
import re
import sys
from pathlib import Path

import pytest

from cdk_app.settings import ROOT

OWN = {"cdk_app", "deployment", "examples", "lambdas", "local", "stacks", "tests", "toolchain"}
# What all sides of a system agree on, which every one of them may read.
CONTRACT = re.compile(r"(lambdas\.(\w+\.)?contract|cdk_app\.(setting|stage_file))\b")
SHARED = ("__pycache__", "http", "shared")
CORE = (
    "changes",
    "commands",
    "constructs",
    "designs",
    "costs",
    "isolation",
    "model",
    "pages",
    "recommendations",
    "runtime",
    "testing",
)
CDK = {"aws_cdk", "cdk_nag", "constructs", "jsii"}
AWS = {"boto3", "botocore", "aws_lambda_powertools"}


def imported(room: str) -> dict[str, set[str]]:
    """What each module of a room imports, by its path."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        modules = found.setdefault(str(path.relative_to(ROOT)), set())
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path} has a relative import"
                modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    assert found, f"there is no room {room}"
    return found


@pytest.mark.parametrize(
    ("room", "strangers"),
    [
        (
            "tablewright/model",
            CDK | AWS | {"tablewright.changes", "tablewright.constructs", "tablewright.runtime"},
        ),
        ("tablewright/runtime", CDK | {"tablewright.changes", "tablewright.constructs"}),
        ("tablewright/designs", CDK | AWS | {"tablewright.changes"}),
        ("tablewright/changes", CDK | {"tablewright.commands", "tablewright.constructs"}),
        ("tablewright/constructs", AWS | {"tablewright.runtime"}),
        ("tablewright", OWN),
        *((f"tablewright/{room}", {"tablewright.catalog"}) for room in CORE),
        ("lambdas", CDK | (OWN - {"lambdas"}) | {"tablewright.constructs"}),
        ("stacks", AWS | {"cdk_nag"} | (OWN - {"stacks"}) | {"tablewright.runtime"}),
        ("deployment", CDK | (OWN - {"deployment", "toolchain"}) | {"tablewright.constructs"}),
        ("cdk_app", AWS | (OWN - {"cdk_app", "stacks"}) | {"tablewright.runtime"}),
    ],
)
def test_a_room_knows_nothing_of_the_rooms_above_it(room: str, strangers: set[str]) -> None:
    for path, modules in imported(room).items():
        met = {
            m
            for m in modules
            for s in strangers
            if (m == s or m.startswith(f"{s}.")) and not CONTRACT.match(m)
        }
        assert not met, f"{path} imports {', '.join(sorted(met))}"


def others(folder: str, own: str) -> set[str]:
    """The systems beside one of them."""
    return {path.name for path in (ROOT / folder).iterdir() if path.is_dir()} - {own, *SHARED}


@pytest.mark.parametrize("folder", ["lambdas", "stacks", "tablewright/catalog"])
def test_no_system_imports_another(folder: str) -> None:
    package = folder.replace("/", ".")
    for own in others(folder, ""):
        strangers = {f"{package}.{other}" for other in others(folder, own)}
        for path, modules in imported(f"{folder}/{own}").items():
            met = {m for m in modules for s in strangers if m == s or m.startswith(f"{s}.")}
            assert not met, f"{path} imports {', '.join(sorted(met))}"


def test_rules_know_nothing_of_http_s_problems() -> None:
    for path, modules in imported("lambdas").items():
        knows = any(module.startswith("lambdas.http.problems") for module in modules)
        assert not knows or path.startswith("lambdas/http/"), path


def test_the_model_needs_the_standard_library_only() -> None:
    for path, modules in imported("tablewright/model").items():
        for module in modules:
            name = module.split(".")[0]
            assert name in sys.stdlib_module_names or module.startswith("tablewright.model"), (
                f"{path} imports {module}"
            )


def test_the_library_is_small_enough_to_read() -> None:
    long = [
        str(path.relative_to(ROOT))
        for room in ("tablewright/constructs", "cdk_app", "deployment", "stacks")
        for path in Path(ROOT / room).rglob("*.py")
        if len(path.read_text().splitlines()) > 300
    ]
    assert long == []
