"""Plan: what leads from one design of a table to another, as a file that can be carried out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tablewright.changes.plan.steps import NOTHING, Step, form_from_node
from tablewright.designs.description.build import check_description
from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import read_document
from tablewright.model.errors import TablewrightError
from tablewright.model.table_form import TableForm

FORMAT = 2


class InvalidPlan(TablewrightError):
    """A file that is no plan."""


@dataclass(frozen=True)
class Plan:
    """The steps from the meaning of one design, if that is known, to that of another.

    `start` is the form of the table before the first step. `was` maps new names of entities and
    fields to old ones.
    """

    before: Description | None
    after: Description
    start: TableForm
    steps: tuple[Step, ...]
    was: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The identity of the plan: its designs and steps, without what the steps consume."""
        steps = tuple(replace(step, estimate=NOTHING) for step in self.steps)
        return hashlib.sha256(replace(self, steps=steps).to_text().encode()).hexdigest()[:16]

    def to_text(self) -> str:
        """The plan as JSON, for a file."""
        told = {
            "format": FORMAT,
            "from": self.before,
            "to": self.after,
            "was": dict(self.was),
            "start": self.start.to_json(),
            "steps": [step.to_json() for step in self.steps],
        }
        return json.dumps(told, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_file(cls, file: Path) -> Plan:
        """Read the plan in a file; raises InvalidPlan."""
        try:
            found = read_document(file).shaped("format from to was start steps")
            if found["format"].number() != FORMAT:
                raise found["format"].refuse(f"this version reads format {FORMAT}")
            steps = tuple(Step.from_node(one) for one in found["steps"].elements())
            before = found["from"].value and check_description(found["from"])
            was = {name: one.sentence() for name, one in found["was"].members().items()}
            start = form_from_node(found["start"])
            return cls(before, check_description(found["to"]), start, steps, was)
        except InvalidDescription as error:
            raise InvalidPlan(
                f"{file} is no plan: {error}. `tablewright plan` writes plans"
            ) from None
