"""Steps of a plan: an update of the table, a release of code, a backfill, a verification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from tablewright.model.table_form import TableForm


class Kind(StrEnum):
    """What a step is, and so who carries it out."""

    TABLE = "table"
    RELEASE = "release"
    BACKFILL = "backfill"
    VERIFY = "verify"


class Estimate(NamedTuple):
    """What a step consumes, and how long it takes at least; nothing, for one that does neither."""

    read_units: int = 0
    write_units: int = 0
    seconds: int = 0
    dollars: Decimal = Decimal(0)

    def to_json(self) -> dict[str, Any]:
        """The estimate as plain JSON."""
        return {**self._asdict(), "dollars": str(self.dollars)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Estimate:
        """The estimate that `to_json` made this of."""
        return cls(**{**given, "dollars": Decimal(given["dollars"])})


NOTHING = Estimate()


def sum_of(estimates: Iterable[Estimate]) -> Estimate:
    """What steps consume together, one after the other."""
    total = NOTHING
    for one in estimates:
        total = Estimate(
            total.read_units + one.read_units,
            total.write_units + one.write_units,
            total.seconds + one.seconds,
            total.dollars + one.dollars,
        )
    return total


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. `form` is the table's after it.

    `code` says which code may run from here on, `undo` how to go back from here. A release has a
    `name`: whoever made it says so by it, and only then the plan goes on.
    """

    kind: Kind
    says: str
    form: TableForm
    code: str
    undo: str
    name: str = ""
    estimate: Estimate = NOTHING

    def to_json(self) -> dict[str, Any]:
        """The step as plain JSON."""
        told: dict[str, Any] = {"kind": self.kind.value, "says": self.says}
        told |= {"name": self.name} if self.name else {}
        told |= {"code": self.code, "undo": self.undo, "estimate": self.estimate.to_json()}
        return {**told, "form": self.form.to_json()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Step:
        """The step that `to_json` made this of."""
        return cls(
            kind=Kind(given["kind"]),
            says=given["says"],
            form=TableForm.from_json(given["form"]),
            code=given["code"],
            undo=given["undo"],
            name=given.get("name", ""),
            estimate=Estimate.from_json(given["estimate"]),
        )
