"""Plan: what leads from one design of a table to another, as a file that can be carried out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablewright.changes.plan.steps import Step
from tablewright.designs.description.design import Description
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
        """The plan in a file; raises InvalidPlan."""
        try:
            given: Any = json.loads(file.read_text())
            if not isinstance(given, Mapping) or given.get("format") != FORMAT:
                raise InvalidPlan(
                    f"{file} is no plan of format {FORMAT}: tablewright plan makes it"
                )
            steps = tuple(map(Step.from_json, given["steps"]))
            return cls(given["from"], given["to"], steps)
        except FileNotFoundError:
            raise InvalidPlan(f"there is no {file}") from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InvalidPlan(f"{file} is no plan: {error!r}") from None
