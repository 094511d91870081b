"""Every command shows its help without any extra, and names the extra that a run needs."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import ROOT
from tablewright.commands.command_line import COMMANDS
from tablewright.commands.missing_packages import EXTRAS

NAMES = {name for group in COMMANDS.values() for name in group}
GROUPS: list[tuple[str, ...]] = [
    *(("boto3", "botocore"), ("tqdm",), ("markdown_it",), ("duckdb",)),
    ("aws_cdk", "cdk_nag", "constructs", "cryptography", "hypothesis", "jsii", "orjson", "pytest"),
]
ALL = tuple(package for group in GROUPS for package in group)
# Commands whose example cannot run with no package but the library.
NEED_PACKAGES = {
    *("adopt", "active-region", "apply", "backfill", "bring-back", "doc", "read-archive"),
    *("migration", "recommend", "redrive", "reencrypt", "rotate-keys", "table", "verify"),
    "verify-archive",
}
# One downloads, the other takes long; neither needs a package.
NOT_RUN = {"install-engine", "shard-spread"}
PROGRAM = """
import contextlib, importlib.abc, io, json, sys

blocked, commands = json.loads(sys.argv[1])

class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Block())
first = set(sys.modules)

def run(arguments):
    for name in set(sys.modules) - first:
        if name.partition(".")[0] in ("tablewright", "shop"):
            del sys.modules[name]
    from tablewright.commands.command_line import main
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue(), err.getvalue()

print(json.dumps([run(command) for command in commands]))
"""


def run(blocked: tuple[str, ...], commands: list[list[str]], folder: Path) -> list[Any]:
    """Exit code, output and errors of commands, in a program that cannot import some packages."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([blocked, commands])],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: list[Any] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("blocked", [*GROUPS, ALL], ids=",".join)
def test_every_command_shows_its_help_without_packages(
    blocked: tuple[str, ...], tmp_path: Path
) -> None:
    names = sorted(NAMES)
    for name, (code, out, err) in zip(
        names, run(blocked, [[name, "--help"] for name in names], tmp_path), strict=True
    ):
        assert (code, err) == (0, ""), name
        assert out.startswith(f"usage: tablewright {name} ")


def test_a_command_names_the_extra_of_a_package_that_it_uses(tmp_path: Path) -> None:
    run(ALL, [["init", "shop"]], tmp_path)
    names = sorted(NAMES - NOT_RUN)
    helps = run(ALL, [[name, "--help"] for name in names], tmp_path)
    examples = [re.findall("For example: tablewright (.*)", out)[0].split() for _, out, _ in helps]
    needing = set()
    for name, (code, _, err) in zip(names, run(ALL, examples, tmp_path / "shop"), strict=True):
        if "is not installed" in err:
            needing.add(name)
            assert code == 2
            assert re.fullmatch(
                rf"tablewright {name} needs the package \w+, which is not installed: "
                r"pip install 'tablewright\[\w+\]'\n",
                err,
            )
    assert needing == NEED_PACKAGES


def test_packages_are_in_the_extra_that_is_named_for_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {
        extra: {re.split("[^a-z0-9-]", one.replace("_", "-"))[0] for one in requirements}
        for extra, requirements in project["optional-dependencies"].items()
    }
    distributions = {"botocore": "boto3", "markdown_it": "markdown-it-py", "aws_cdk": "aws-cdk-lib"}
    distributions |= {"jsii": "aws-cdk-lib", "cdk_nag": "cdk-nag"}
    for package, extra in EXTRAS.items():
        assert distributions.get(package, package) in required[extra]
    assert set(ALL) == EXTRAS.keys()


def test_the_readme_lists_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(rows) == project["optional-dependencies"].keys()
