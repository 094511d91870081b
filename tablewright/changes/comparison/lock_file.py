"""Lock files: the meaning of a design as it was last agreed on, beside its module."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tablewright.changes.comparison.compare import compare
from tablewright.designs.description.design import FORMAT, Description
from tablewright.model.declaration import Table
from tablewright.model.errors import TablewrightError


class InvalidLock(TablewrightError):
    """A file that is no lock of a design, or one that this version cannot read."""


def lock_file(table: type[Table], folder: Path | None = None) -> Path:
    """Where a design's lock is: in a folder, or else next to the module that declares it."""
    module = Path(str(sys.modules[table.__module__].__file__))
    return (folder or module.resolve().parent) / f"{table.__design__.id}.lock.json"


def plan_file(table: type[Table], lock: Path) -> Path:
    """Where the plan of a design's next change is: beside its lock."""
    return lock.parent / f"{table.__design__.id}.plan.json"


def read_lock(file: Path) -> list[Description]:
    """The descriptions in a file: one in a lock, several as they are exported together."""
    found = read_json(file)
    several: list[object] = found if isinstance(found, list) else [found]
    return [_description(one, file) for one in several]


def read_json(file: Path) -> object:
    """What a file of JSON says; raises InvalidLock."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidLock(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InvalidLock(f"{file} is no JSON: `tablewright lock` writes lock files") from None


def _description(found: object, file: Path) -> Description:
    if not isinstance(found, dict) or "format" not in found:
        raise InvalidLock(f"{file} is no lock file: `tablewright lock` writes them")
    if found["format"] != FORMAT:
        raise InvalidLock(
            f"{file} is of format {found['format']!r}, and this version reads {FORMAT}: use the "
            "version that wrote it"
        )
    try:
        compare(found, found)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidLock(
            f"{file} is a lock file with parts missing: `tablewright lock` writes it anew"
        ) from None
    return found
