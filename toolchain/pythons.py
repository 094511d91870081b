"""Pythons of the machine: on PATH, and those that pyenv keeps beside it."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tablewright.constructs.functions.dependencies import LAMBDA
from tablewright.testing.engine.tools import ToolError
from toolchain import machine

# The version that runs this.
OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
_ASK = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


def find(version: str) -> Path | None:
    """A Python of this version that works, or None."""
    return next((place for place in _places(version) if _version(place) == version), None)


@cache
def find_runtime() -> Path | None:
    """The Python that Lambda runs, if it is not the one at hand: PYTHON_RUNTIME names it, or it is
    looked for. None if the machine has none."""
    version = LAMBDA.python
    if version == OWN:
        return None
    named = os.environ.get("PYTHON_RUNTIME")
    if not named:
        return find(version)
    if _version(Path(named)) != version:
        raise ToolError(f"PYTHON_RUNTIME={named} is no Python {version}: name one, or unset it.")
    return Path(named)


def _places(version: str) -> list[Path]:
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    kept = sorted((home / "versions").glob(f"{version}.*/bin/python{version}"), reverse=True)
    named = machine.on_path(f"python{version}")
    return [*kept, *([Path(named)] if named else [])]


def _version(python: Path) -> str:
    """What it says that it is: a name on PATH may stand for a Python that is not there."""
    try:
        said = subprocess.run((python, "-I", "-c", _ASK), capture_output=True, text=True)
    except OSError:
        return ""
    return said.stdout.strip()
