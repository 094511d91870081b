"""What the README and the guide show runs from the wheel, with the extra that they name."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from tablewright import __version__
from tablewright.testing.dynamodb_local import HOME, home
from tests.integration.conftest import Database
from tests.integration.wheel.conftest import Installed

IMPORTED = {
    "": ("tablewright.model", "tablewright.catalog.sales.design"),
    "constructs": (
        "tablewright.constructs.dax.accelerator",
        "tablewright.catalog.forms.constructs",
    ),
    "nag": ("tablewright.constructs.nag",),
    "runtime": ("tablewright.runtime.store.store", "tablewright.testing.tables"),
    "pages": ("tablewright.pages.page", "tablewright.pages.cost_chapter"),
    "testing": ("tablewright.testing.faults",),
    "secrets": ("tablewright.model", "cryptography"),
    "commands": ("tablewright.commands.redrive", "tablewright.commands.audit_isolation"),
}
CREATE = """
import boto3
from tablewright.testing.tables import create
create(boto3.client("dynamodb"), Orders, "dev-orders")
"""
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
CHAPTERS = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "guide").glob("*.md"))


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def run(python: Path, code: str, folder: Path, **environment: str) -> str:
    """What code prints that runs outside the project."""
    (folder / "program.py").write_text(code)
    done = subprocess.run(
        (python, "-I", "program.py"),
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("extra", IMPORTED)
def test_each_part_is_imported_with_its_extra(
    extra: str, installed: Installed, tmp_path: Path
) -> None:
    run(installed(extra), "\n".join(f"import {name}" for name in IMPORTED[extra]), tmp_path)


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


def test_a_ready_made_table_is_granted_as_the_catalogue_shows(
    installed: Installed, tmp_path: Path
) -> None:
    granted = run(
        installed("constructs"), "\n".join((*blocks("docs/catalog.md"), GRANTED)), tmp_path
    )
    assert granted.splitlines() == ["dynamodb:Query GSI1"]


def deploys(block: str) -> bool:
    return "aws_cdk" in block or "iam." in block


def deployed(page: str) -> str:
    """The blocks of a page up to its last for CDK, without those for a function."""
    found = blocks(page)
    last = max(at for at, block in enumerate(found) if deploys(block))
    return "\n".join(block for block in found[: last + 1] if "tablewright.runtime" not in block)


@pytest.mark.parametrize("page", GRANTS)
def test_the_page_s_stack_grants_what_the_page_says(
    page: str, installed: Installed, tmp_path: Path
) -> None:
    granted = run(installed("constructs"), deployed(page) + GRANTED, tmp_path)
    assert set(granted.splitlines()) == GRANTS[page]


@pytest.mark.parametrize("chapter", ["tenants", "regions"])
def test_the_chapter_s_stacks_are_made_as_it_says(
    chapter: str, installed: Installed, tmp_path: Path
) -> None:
    run(installed("constructs"), deployed(f"docs/guide/{chapter}.md"), tmp_path)


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md", "docs/healing.md", *CHAPTERS])
def test_the_page_s_blocks_run_in_order(
    page: str, installed: Installed, database: Database, tmp_path: Path
) -> None:
    code = [block for block in blocks(page) if not deploys(block)]
    if page == "README.md":
        code.insert(-1, CREATE)
    settings = {"AWS_DEFAULT_REGION": "eu-west-1", HOME: str(home()), **database.environment}
    # The chapters show by pytest what is refused.
    extras = ("testing", "secrets") if page in CHAPTERS else ("runtime",)
    run(installed(*extras), "\n".join(code), tmp_path, **settings)
