"""Plan of a backfill by the clock: what its function is told of the two designs."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import NamedTuple

from tablewright.changes.backfill.refusals import NotBackfillable, refuse
from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import Description, describe_design
from tablewright.designs.description.errors import InvalidDescription
from tablewright.model.declaration import Table
from tablewright.model.table import Design

PLAN = "backfill.json"
"""The file of the bundle that has the plan."""

ITEMS_LEFT = "BackfillItemsLeft"
"""The metric of items that somebody must look at."""

CALLS = ("Scan", "GetItem", "UpdateItem")
"""The operations that the function calls of the table."""

# Of a description, what changes no item.
_BESIDE = ("describes", "patterns", "stream")


class BackfillPlan(NamedTuple):
    """Both designs as descriptions, units a second, and the run's number."""

    new: Description
    old: Description | None
    rate: float
    run: int

    @classmethod
    def of(cls, new: Design, old: Design | None, *, rate: float, run: int) -> BackfillPlan:
        """The plan of two designs; raises NotBackfillable for what a function cannot follow."""
        refuse(new, old)
        return cls(_described(new), _described(old) if old else None, rate, run)

    @property
    def mark(self) -> str:
        """What tells it from plans of other designs, and of another run: progress is its alone."""
        told = [_of_items(self.new), self.old and _of_items(self.old), self.run]
        return sha256(json.dumps(told).encode()).hexdigest()[:32]

    def tables(self) -> tuple[type[Table], type[Table] | None]:
        """Build both designs."""
        return build_table(self.new), build_table(self.old) if self.old else None

    def to_json(self) -> str:
        """The plan as a text, for the function's bundle."""
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> BackfillPlan:
        """The plan of such a text."""
        return cls(**json.loads(text))


def _of_items(description: Description) -> Description:
    return {name: told for name, told in description.items() if name not in _BESIDE}


def _described(design: Design) -> Description:
    by_command = "run `tablewright backfill` instead"
    if design.has_secrets:
        raise NotBackfillable(f"{design.id} has secret fields, whose keys it needs: {by_command}")
    description = describe_design(design)
    try:
        build_table(description)
    except InvalidDescription as error:
        raise NotBackfillable(
            f"the function of the backfill has no code of {design.id}: {error}; {by_command}"
        ) from None
    return description
