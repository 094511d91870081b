"""Plan: what leads from one design of a table to another, as a file that can be carried out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from tablewright.changes.plan.steps import Step
from tablewright.designs.description.build import check_description
from tablewright.designs.description.design import Description
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.description.node import read_document
from tablewright.model.errors import TablewrightError

FORMAT = 1


class InvalidPlan(TablewrightError):
    """A file that is no plan."""


@dataclass(frozen=True)
class Plan:
    """The steps from the meaning of one design, if that is known, to that of another."""

    before: Description | None
    after: Description
    steps: tuple[Step, ...]

    @property
    def id(self) -> str:
        """What tells it from other plans."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()[:16]

    def to_text(self) -> str:
        """The plan as JSON, for a file."""
        told = {
            "format": FORMAT,
            "from": self.before,
            "to": self.after,
            "steps": [step.to_json() for step in self.steps],
        }
        return json.dumps(told, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_file(cls, file: Path) -> Plan:
        """Read the plan in a file; raises InvalidPlan."""
        try:
            found = read_document(file).shaped("format from to steps")
            if found["format"].number() != FORMAT:
                raise found["format"].refuse(f"this version reads format {FORMAT}")
            steps = tuple(Step.from_node(one) for one in found["steps"].elements())
            before = found["from"].value and check_description(found["from"])
            return cls(before, check_description(found["to"]), steps)
        except InvalidDescription as error:
            raise InvalidPlan(
                f"{file} is no plan: {error}. `tablewright plan` writes plans"
            ) from None
