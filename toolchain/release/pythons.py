"""Pythons of the machine: on PATH, and those that pyenv keeps beside it."""

import os
import subprocess
from pathlib import Path

from toolchain import machine

_ASK = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


def find(version: str) -> Path | None:
    """A Python of this version that works, or None."""
    return next((place for place in _places(version) if _version(place) == version), None)


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
