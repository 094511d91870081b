"""Designs of another git revision, in a folder of their own: no checkout changes."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import tablewright

# Before anything of the folder can be imported, so that the library is the one of now; after the
# command, whether it looked at the files of then.
_PROGRAM = """
import pathlib, sys
from tablewright.commands.command_line import main
code = main(sys.argv[2:])
file = pathlib.Path(str(getattr(sys.modules.get(sys.argv[1]), "__file__", None))).resolve()
if not code and not file.is_relative_to(pathlib.Path.cwd()):
    sys.exit(f"it was imported from {file}, which is not as it was then")
sys.exit(code)
"""
_NOTHING = "there is nothing at "


class UnknownRevision(ValueError):
    """A revision that has no such design, or no repository to look for it in."""


class NotYetDeclared(UnknownRevision):
    """A revision that there is, and that the design was not in."""


def json_at(revision: str, place: str, command: Sequence[str]) -> Any:
    """The JSON that a command of now prints of the design of a revision; raises UnknownRevision."""
    module, _, _ = place.partition(":")
    if module.partition(".")[0] == "tablewright":
        raise UnknownRevision(
            f"{place} is part of the library, of which one version is installed: revisions are for "
            "designs of your own"
        )
    folder = _import_folder(module)
    root = Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip())
    with tempfile.TemporaryDirectory(prefix="tablewright-") as made:
        archive = BytesIO(_git(root, "archive", "--format=tar", revision))
        with tarfile.open(fileobj=archive) as files:
            files.extractall(made, filter=_inside)  # noqa: S202 - by the filter for data
        place_of_old = Path(made).resolve() / folder.relative_to(root.resolve())
        return json.loads(_printed(place_of_old, revision, place, command))


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """A file as it is extracted; none for a link that leads out of the folder."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _printed(folder: Path, revision: str, place: str, command: Sequence[str]) -> str:
    if not folder.is_dir():
        raise NotYetDeclared(f"{revision} has no folder {folder.name}")
    library = str(Path(tablewright.__file__).parent.parent)
    paths = [library, *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, place.partition(":")[0], *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        said = (run.stderr.strip().splitlines() or ["nothing was said"])[-1]
        kind = NotYetDeclared if _NOTHING in said else UnknownRevision
        raise kind(f"{place} cannot be looked at as of {revision}: {said}")
    return run.stdout


def _import_folder(module: str) -> Path:
    """The folder that a module is imported from, by its whole name."""
    file = Path(str(sys.modules[module].__file__)).resolve()
    above = len(module.split(".")) - (file.name != "__init__.py")
    return file.parents[above]


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - git is where PATH has it
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UnknownRevision("git is needed to look at a revision, and is not on PATH") from None
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip().splitlines()
        raise UnknownRevision(f"git {arguments[0]}: {said[0] if said else 'failed'}")
    return run.stdout
