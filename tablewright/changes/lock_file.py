"""Lock files: the meaning of a design as it was last agreed on, beside its module."""

from __future__ import annotations

import sys
from pathlib import Path

from tablewright.designs.description.build import check_description
from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import read_document
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
    """Read the descriptions in a lock file, or in a file of several exported designs."""
    try:
        document = read_document(file)
        several = document.elements() if isinstance(document.value, list) else [document]
        return [check_description(one) for one in several]
    except InvalidDescription as error:
        raise InvalidLock(
            f"{file} is no lock file: {error}. `tablewright lock` writes lock files"
        ) from None
