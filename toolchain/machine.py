"""Node and Java of the machine itself, when they are new enough."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tablewright.testing.engine.machine import answer, java_of
from toolchain.paths import ROOT

OLDEST_NODE = 22


@dataclass(frozen=True)
class Node:
    node: Path
    npm: Path


def on_path(name: str) -> str | None:
    """The machine's own command: a folder of this project on PATH does not count."""
    folders = [f for f in os.get_exec_path() if not Path(f).absolute().is_relative_to(ROOT)]
    return shutil.which(name, path=os.pathsep.join(folders))


def identity(name: str) -> str:
    """Changes when the machine gets, loses or replaces the command; cheap to ask."""
    found = on_path(name)
    return f"{found} {Path(found).stat().st_mtime_ns}" if found else "none"


def find_node() -> Node | None:
    # Node itself is asked for its place, because the name on PATH may be a version manager's shim.
    said = _ask("node", "-p", "process.versions.node + ' ' + process.execPath")
    match = re.match(r"(\d+)\S* (.+)", said)
    if match is None or int(match[1]) < OLDEST_NODE:
        return None
    node = Path(match[2])
    for npm in (str(node.parent / "npm"), on_path("npm")):
        # Node may come without it, or with one that was moved away from its library.
        if npm and answer(npm, "--version"):
            return Node(node, Path(npm).resolve())
    return None


def find_java() -> Path | None:
    found = on_path("java")
    return java_of(found) if found else None


def _ask(name: str, *arguments: str) -> str:
    command = on_path(name)
    return answer(command, *arguments) if command else ""
