"""From the wheel alone: a new app passes its tests, and commands take the guide's design."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tablewright.testing import Database
from tablewright.testing.dynamodb_local import HOME, home
from tests.integration.wheel.conftest import Installed
from toolchain.release import examples

CDK_LIBRARY = Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
SCENARIO = """
from tablewright.costs.measuring import Measuring

def scenario(measuring: Measuring) -> None:
    store = measuring.store()
    key = {"tenant": "acme", "order_id": "o1"}
    placed_at = datetime(2099, 1, 31, tzinfo=UTC)
    order = Order(**key, customer="ann", placed_at=placed_at, total=Decimal(9))
    measuring.run(Orders.place, "one order", lambda: store.put(Orders.place, order))
    measuring.run(Orders.order, "one order", lambda: store.get(Orders.order, key))
"""
TRAFFIC = """
[patterns.place]
per_day = 1000

[items.Order]
number = 100_000
size = 300
"""
# In one process: each start would take as long as the command.
COMMANDS = """
import contextlib, io, json, sys
from tablewright.commands.command_line import main

def run(*arguments):
    told, beside = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(beside):
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = stop.code
    return code, told.getvalue(), beside.getvalue()

found = {" ".join(asked[:2]): run(*asked) for asked in json.loads(sys.argv[1])}
print(json.dumps(found))
"""


def told(folder: Path, dynamodb: Database) -> dict[str, str]:
    """The variables of somebody who has nothing of this project but its engine."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CDK_VALIDATION": "false",
        # The CDK library, unpacked: in a home of its own it would be unpacked again.
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(CDK_LIBRARY),
        HOME: str(home()),
        **dynamodb.environment,
    }


def test_a_new_app_passes_its_tests(
    installed: Installed, dynamodb: Database, tmp_path: Path
) -> None:
    if shutil.which("make") is None:
        pytest.skip("needs make")
    python = installed("commands", "constructs", "runtime", "testing")
    environment = python.parent.parent
    variables = told(tmp_path, dynamodb)
    for command, folder in (
        ((python, "-m", "tablewright", "init", "shop"), tmp_path),
        (("make", "test", f"VENV={environment}"), tmp_path / "shop"),
    ):
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        # Later than what is required: everything is there, and pip has nothing to do.
        (environment / "installed").touch()
    assert "1 design: 0 errors, 0 warnings" in done.stderr
    assert "6 passed" in done.stdout


def test_a_change_of_a_new_app_is_compared_with_its_last_commit(
    installed: Installed, dynamodb: Database, tmp_path: Path
) -> None:
    if shutil.which("make") is None or shutil.which("git") is None:
        pytest.skip("needs make and git")
    python = installed("commands", "constructs", "runtime", "testing")
    variables = told(tmp_path, dynamodb)
    app = tmp_path / "shop"

    def run(*command: str | Path, folder: Path = app) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=False
        )

    assert run(python, "-m", "tablewright", "init", "shop", folder=tmp_path).returncode == 0
    name = ("-c", "user.name=sam", "-c", "user.email=sam@acme.example")
    for command in (("init", "-q"), ("add", "."), (*name, "commit", "-q", "-m", "An app")):
        assert run("git", *command).returncode == 0
    environment = python.parent.parent
    (environment / "installed").touch()
    change = ("make", "change", f"VENV={environment}", "BASE=HEAD")
    unchanged = run(*change)
    assert unchanged.returncode == 0, unchanged.stderr
    assert "against HEAD: no difference" in unchanged.stderr
    orders = app / "shop" / "orders.py"
    orders.write_text(orders.read_text().replace('"AT#{placed_at}"', '"PLACED#{placed_at}"'))
    changed = run(*change)
    assert changed.returncode == 2, changed.stdout + changed.stderr  # as make ends
    assert "migrate: Orders: order-changed: index " in changed.stdout
    assert "Orders against HEAD: migrate" in changed.stderr


def test_the_guide_s_design_goes_through_every_command(
    installed: Installed, dynamodb: Database, tmp_path: Path
) -> None:
    design, *_ = examples.python_blocks("docs/guide.md")
    (tmp_path / "guide.py").write_text(f"from datetime import UTC\n{design}{SCENARIO}")
    (tmp_path / "traffic.toml").write_text(TRAFFIC)
    asked = [
        ["check", "guide:Orders", "--strict"],
        ["explain", "guide:Orders", "of_customer"],
        ["doc", "guide:Orders", "-o", "pages", "--format", "html"],
        ["measure", "guide:Orders", "guide:scenario", "-o", "capacity.json"],
        ["cost", "guide:Orders", "--traffic", "traffic.toml"],
        ["table", "create", "guide:Orders", "--name", "dev-orders"],
        ["export", "guide:Orders", "--to", "nosql-workbench", "-o", "model.json"],
        ["import", "model.json", "-o", "orders.py"],
    ]
    done = subprocess.run(
        (installed("commands", "runtime", "testing"), "-c", COMMANDS, json.dumps(asked)),
        cwd=tmp_path,
        env=told(tmp_path, dynamodb),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for command, (code, *said) in json.loads(done.stdout).items():
        assert code == 0, (command, said)
    assert dynamodb.caller.call("ListTables", {})["TableNames"] == ["dev-orders"]
    assert "<svg" in next((tmp_path / "pages").glob("*.html")).read_text()
    assert len(json.loads((tmp_path / "capacity.json").read_text())) == 2
    assert "class Orders(Table" in (tmp_path / "orders.py").read_text()
