"""What the README and the guide show runs from the wheel, with the extra that they name."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
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
    "commands": ("tablewright.commands.redrive", "tablewright.commands.isolation_audit"),
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
CURSORS = """
from tablewright.runtime import Cursors, KeyRing
client = boto3.client("dynamodb")
cursors = Cursors(lambda: KeyRing([b"0" * 32]))
"""


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


def test_a_ready_made_table_is_granted_as_the_catalogue_shows(
    installed: Installed, tmp_path: Path
) -> None:
    granted = run(
        installed("constructs"), "\n".join((*blocks("docs/catalog.md"), GRANTED)), tmp_path
    )
    assert granted.splitlines() == ["dynamodb:Query GSI1"]


@pytest.mark.parametrize("page", GRANTS)
def test_the_page_s_blocks_run_in_order(
    page: str, installed: Installed, database: Database, tmp_path: Path
) -> None:
    *declare, use = blocks(page)
    granted = run(installed("constructs"), "\n".join((*declare, GRANTED)), tmp_path)
    assert set(granted.splitlines()) == GRANTS[page]
    without_cdk = "\n".join(block for block in declare if "aws_cdk" not in block)
    settings = database.environment | {"AWS_DEFAULT_REGION": "eu-west-1"}
    code = "\n".join((without_cdk, CREATE, CURSORS, use))
    run(installed("runtime"), code, tmp_path, **settings)
