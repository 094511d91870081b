"""Steps of a plan: updates of the table, releases of code, a backfill, a verification, removals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from tablewright.designs.description.node import Node
from tablewright.model.table_form import TableForm


class Kind(StrEnum):
    """The kind of a step. CONTRACT removes an index, REMOVE removes attributes: both end what code
    of the old design needs."""

    TABLE = "table"
    RELEASE = "release"
    BACKFILL = "backfill"
    VERIFY = "verify"
    CONTRACT = "contract"
    REMOVE = "remove"


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
    def from_node(cls, node: Node) -> Estimate:
        """Read the estimate that `to_json` wrote; raises InvalidDescription."""
        found = node.shaped(" ".join(cls._fields))
        dollars = found.pop("dollars")
        if not re.fullmatch(r"\d{1,20}(\.\d{1,20})?", dollars.text(), re.ASCII):
            raise dollars.refuse("it must be an amount, such as '0.25'")
        numbers = {name: one.number() for name, one in found.items()}
        return cls(**numbers, dollars=Decimal(dollars.text()))


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
    `name`, which a person confirms before the plan goes on.
    """

    kind: Kind
    says: str
    form: TableForm
    code: str
    undo: str
    name: str = ""
    estimate: Estimate = NOTHING

    @property
    def is_contract(self) -> bool:
        """True if it removes what code of the old design needs."""
        return self.kind in (Kind.CONTRACT, Kind.REMOVE)

    def to_json(self) -> dict[str, Any]:
        """The step as plain JSON."""
        told: dict[str, Any] = {"kind": self.kind.value, "says": self.says}
        told |= {"name": self.name} if self.name else {}
        told |= {"code": self.code, "undo": self.undo, "estimate": self.estimate.to_json()}
        return {**told, "form": self.form.to_json()}

    @classmethod
    def from_node(cls, node: Node) -> Step:
        """Read the step that `to_json` wrote; raises InvalidDescription."""
        found = node.shaped("kind says code undo estimate form", "name")
        return cls(
            kind=found.pop("kind").one_of({one.value: one for one in Kind}),
            form=form_from_node(found.pop("form")),
            estimate=Estimate.from_node(found.pop("estimate")),
            **{name: one.sentence() for name, one in found.items()},
        )


def form_from_node(node: Node) -> TableForm:
    """Read the form of a table that `to_json` wrote; raises InvalidDescription."""
    found = node.shaped("partition sort indexes local ttl stream")
    keys = [found["partition"], found["sort"]]
    for name in ("indexes", "local"):
        for one in found[name].members().values():
            index = one.shaped("partition sort projects attributes")
            keys += [index["partition"], index["sort"]]
            index["projects"].text()
            for attribute in index["attributes"].elements():
                attribute.text()
    for key in keys:
        key.each(Node.text)
    for name in ("ttl", "stream"):
        if found[name].value is not None:
            found[name].text()
    return TableForm.from_json(node.value)
