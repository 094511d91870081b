"""What the README and the guide show runs from the wheel, with the extra that they name."""

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tablewright import __version__
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import HOME, home
from tablewright.testing.engine.tools import ToolError
from tests.integration.wheel.conftest import Installed
from toolchain.release import contents, examples

# What the worker is granted, with the index that it is granted on.
GRANTED = """
import json
from aws_cdk.assertions import Template
(policy,) = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
for one in policy["Properties"]["PolicyDocument"]["Statement"]:
    actions = one["Action"] if isinstance(one["Action"], list) else [one["Action"]]
    print(*actions, json.dumps(one["Resource"]).partition("/index/")[2].partition('"')[0])
"""
GRANTS = {
    "README.md": {"dynamodb:PutItem ", "dynamodb:Query by_customer"},
    "docs/guide.md": {
        "dynamodb:BatchGetItem dynamodb:PutItem ",
        "dynamodb:Query BY_CUSTOMER",
    },
}
CATALOG = "docs/catalog.md"
CHAPTERS = ("docs/guide/tenants.md", "docs/guide/regions.md")
# In one process: starting CDK takes longer than all of them. Tells what each printed, its error.
ONE_BY_ONE = """
import contextlib, io, json, runpy, sys, traceback
ended = {}
for page, file in json.loads(sys.argv[1]).items():
    told, error = io.StringIO(), ""
    with contextlib.redirect_stdout(told):
        try:
            runpy.run_path(file, run_name="__main__")
        except Exception:
            error = traceback.format_exc()
    ended[page] = told.getvalue(), error
print(json.dumps(ended))
"""


def run(python: Path, code: str, folder: Path, *arguments: str, **environment: str) -> str:
    """What code prints that runs outside the project."""
    (folder / "program.py").write_text(code)
    done = subprocess.run(
        (python, "-I", "program.py", *arguments),
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_the_library_and_nothing_else(wheel: Path) -> None:
    contents.check(wheel)


def test_a_wheel_that_lacks_a_file_of_the_library_is_told_so(wheel: Path, tmp_path: Path) -> None:
    lacking = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(lacking, "w") as archive:
        for name in whole.namelist():
            if name != "tablewright/py.typed":
                archive.writestr(name, b"")
    with pytest.raises(ToolError, match=r"lacks tablewright/py\.typed\."):
        contents.check(lacking)


def test_every_extra_is_tried() -> None:
    assert {*contents.extras()} == {extra for extra in examples.IMPORTED if extra}


@pytest.mark.parametrize("extra", examples.IMPORTED)
def test_each_part_is_imported_with_its_extra(
    extra: str, installed: Installed, tmp_path: Path
) -> None:
    run(installed(extra), examples.imports(extra), tmp_path)


def test_the_command_is_installed(installed: Installed, tmp_path: Path) -> None:
    code = """
from importlib.metadata import entry_points, version
(command,) = entry_points(group="console_scripts", name="tablewright")
command.load()(["--help"])
print(version("tablewright"))
"""
    *told, named = run(installed("commands"), code, tmp_path).splitlines()
    assert told[0] == "usage: tablewright COMMAND [OPTION…]"
    assert named == __version__


@pytest.fixture(scope="module")
def constructed(
    installed: Installed, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[str]]:
    """What the stacks of each page printed, and the error that ended them."""
    folder = tmp_path_factory.mktemp("stacks")
    programs = {
        CATALOG: "\n".join((*examples.python_blocks(CATALOG), GRANTED)),
        **{page: examples.stacks(page) + GRANTED for page in GRANTS},
        **{page: examples.stacks(page) for page in CHAPTERS},
    }
    files = {page: folder / f"{number}.py" for number, page in enumerate(programs)}
    for page, file in files.items():
        file.write_text(programs[page])
    asked = json.dumps({page: str(file) for page, file in files.items()})
    ended: dict[str, list[str]] = json.loads(
        run(installed("constructs"), ONE_BY_ONE, folder, asked)
    )
    return ended


def test_a_ready_made_table_is_granted_as_the_catalogue_shows(
    constructed: dict[str, list[str]],
) -> None:
    granted, error = constructed[CATALOG]
    assert error == ""
    assert granted.splitlines() == ["dynamodb:Query GSI1"]


@pytest.mark.parametrize("page", GRANTS)
def test_the_page_s_stack_grants_what_the_page_says(
    page: str, constructed: dict[str, list[str]]
) -> None:
    granted, error = constructed[page]
    assert error == ""
    assert set(granted.splitlines()) == GRANTS[page]


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_chapter_s_stacks_are_made_as_it_says(
    page: str, constructed: dict[str, list[str]]
) -> None:
    _, error = constructed[page]
    assert error == ""


@pytest.mark.parametrize("page", examples.CALLS)
def test_the_page_s_blocks_run_in_order(
    page: str, installed: Installed, dynamodb: Database, tmp_path: Path
) -> None:
    settings = {"AWS_DEFAULT_REGION": "eu-west-1", HOME: str(home()), **dynamodb.environment}
    run(installed(*examples.extras_of_calls(page)), examples.calls(page), tmp_path, **settings)


def test_the_chapter_on_testing_is_a_file_of_tests_that_passes(
    installed: Installed, tmp_path: Path
) -> None:
    (tmp_path / "test_orders.py").write_text(examples.tests())
    done = subprocess.run(
        (installed("testing"), "-I", "-m", "pytest", "-q", "-rA", "test_orders.py"),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], HOME: str(home())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    written = re.findall(r"^def test_", examples.tests(), re.MULTILINE)
    assert done.stdout.count("PASSED") == len(written) > 4


def test_the_plugin_is_loaded_without_what_it_may_not_need(
    installed: Installed, tmp_path: Path
) -> None:
    code = """
import sys
from importlib.metadata import entry_points
(plugin,) = entry_points(group="pytest11", name="tablewright")
plugin.load()
print({"boto3", "hypothesis", "tablewright.testing.database"} & sys.modules.keys())
"""
    assert run(installed("testing"), code, tmp_path) == "set()\n"
