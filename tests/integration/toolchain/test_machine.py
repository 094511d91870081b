"""The machine's own Node is used when it is new enough and its npm works."""

from pathlib import Path

import pytest

from toolchain.machine import Node, find_node


def script(file: Path, body: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On PATH is nothing but what a test puts into `bin`; Node itself is in `node`."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def node(installed: Path, version: str) -> Path:
    place = installed / "node" / "node"
    script(installed / "bin" / "node", f"echo {version} {place}")
    return place


def test_npm_is_the_one_beside_node(installed: Path) -> None:
    found = node(installed, "22.1.0")
    script(installed / "bin" / "npm", "echo 9")
    npm = script(installed / "node" / "npm", "echo 10")
    assert find_node() == Node(found, npm)


@pytest.mark.parametrize("broken", ["exit 1", "exec /nowhere/npm"])
def test_an_npm_that_does_not_run_is_passed_over(installed: Path, broken: str) -> None:
    found = node(installed, "24.0.0")
    script(installed / "node" / "npm", broken)
    assert find_node() is None
    npm = script(installed / "bin" / "npm", "echo 10")
    assert find_node() == Node(found, npm)


def test_an_old_node_is_passed_over(installed: Path) -> None:
    node(installed, "20.19.0")
    script(installed / "node" / "npm", "echo 10")
    assert find_node() is None


def test_there_may_be_none(installed: Path) -> None:
    assert find_node() is None
