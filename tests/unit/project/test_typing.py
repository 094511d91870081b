"""Type checkers know what declarations say, and report the mistakes that can be made with them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cdk_app.settings import ROOT
from examples.designs.shop import Shop
from tablewright.designs import describe, python_source
from tests.unit.designs.everything import Everything

FOLDER = "typing_tests"
GUIDE = [ROOT / "README.md", ROOT / "docs" / "guide.md", *(ROOT / "docs" / "guide").glob("*.md")]
WRONG = "# wrong"


def by_mypy() -> set[tuple[str, int]]:
    command = (sys.executable, "-m", "mypy", "--no-error-summary", FOLDER, f"{FOLDER}/mistakes.py")
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not said.stderr
    found = re.findall(r"(?m)^(\S+?):(\d+): error", said.stdout)
    return {(file, int(line)) for file, line in found}


def by_pyright() -> set[tuple[str, int]]:
    command = (ROOT / "node_modules" / ".bin" / "pyright", "--outputjson", FOLDER)
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        (one["file"].removeprefix(f"{ROOT}/"), one["range"]["start"]["line"] + 1)
        for one in json.loads(said.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    }


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_every_mistake_is_reported_and_nothing_else(check: object) -> None:
    assert callable(check)
    lines = (ROOT / FOLDER / "mistakes.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith(WRONG)}
    assert len(wrong) > 20
    assert check() == {(f"{FOLDER}/mistakes.py", number) for number in wrong}


def test_what_the_guide_shows_and_what_is_generated_is_typed(tmp_path: Path) -> None:
    for page in GUIDE:
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        (tmp_path / f"{page.stem.lower()}_page.py").write_text("\n".join(blocks))
    for design in (Everything, Shop):
        source = python_source(describe(design))
        (tmp_path / f"{design.__name__.lower()}_source.py").write_text(source)
    command = (sys.executable, "-m", "mypy", *map(str, tmp_path.iterdir()))
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout
