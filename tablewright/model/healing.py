"""Healing: how a table's items that wait for work are found, read and marked by what heals them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

from tablewright.model.declaration import Entity, Table
from tablewright.model.fields.base import Field
from tablewright.model.fields.specifiers import Number, Text, TimestampText
from tablewright.model.patterns import BatchGet, Pattern, Query, Update
from tablewright.model.table import Design

# Metrics by which a run reports, and on which there are alarms.
ITEMS_FOUND = "SelfHealingItemsFound"
ITEMS_REPUBLISHED = "SelfHealingItemsRepublished"
ITEMS_FAILED = "SelfHealingItemsFailed"
ITEMS_PARKED = "SelfHealingItemsParked"
EXECUTION_TIME = "SelfHealingExecutionTime"


class Healable(Entity):
    """What an item carries that can be healed: a base of its entity."""

    heal_attempts: Field[Decimal | None] = Number(default=None)
    heal_after: Field[str | None] = TimestampText(default=None, resolution="ms")
    heal_run: Field[str | None] = Text(default=None, max_length=64)
    parked_at: Field[str | None] = TimestampText(default=None, resolution="ms")


HEALING_FIELDS = ("heal_attempts", "heal_after", "heal_run", "parked_at")


H = TypeVar("H", bound=Healable)


class HealingPlan(NamedTuple, Generic[H]):
    """The access patterns by which a table is healed, and what tells the state of an item.

    `waiting` finds the keys of items in a state, oldest first by the field `age`; `read` gives
    whole items; `mark` notes an attempt. `pending`, `parked` and `done` are the fields that an item
    has in these states, None for one that it has not; `result` is the field that only finished
    work leaves.

    Example::

        HealingPlan(Jobs, waiting=Jobs.jobs_by_status, read=Jobs.get_jobs, mark=Jobs.mark_job,
                    pending={"status": "pending"}, parked={"status": "parked"},
                    done={"status": "done"}, result="outcome", age="created_at")
    """

    table: type[Table]
    waiting: Query[H]
    read: BatchGet[H]
    mark: Update[H]
    pending: Mapping[str, Any]
    parked: Mapping[str, Any]
    done: Mapping[str, Any]
    result: str
    age: str = "timestamp"

    @property
    def design(self) -> Design:
        """The design of the table."""
        return self.table.__design__

    def where(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Where `waiting` finds the items of a state."""
        partition = self.design.key_of(self.waiting).partition_fields
        return {name: state[name] for name in partition}

    def waits(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is still to be done."""
        return is_in(item, self.pending) and self.result not in item

    def problems(self) -> list[str]:
        """What keeps a table from being healed by this plan."""
        found = []
        entity = self.design.entity(self.waiting)
        kinds: tuple[tuple[Pattern[Any], type[Pattern[Any]]], ...] = (
            (self.waiting, Query),
            (self.read, BatchGet),
            (self.mark, Update),
        )
        for pattern, kind in kinds:
            if self.design.patterns.get(pattern.name) is not pattern:
                found.append(f"'{pattern.name}' is not an access pattern of '{self.design.id}'")
            elif not isinstance(pattern, kind) or pattern.entity != entity.name:
                found.append(
                    f"'{pattern.name}' must be of kind {kind.__name__} and about '{entity.name}'"
                )
        needed = set(HEALING_FIELDS) | {self.result, self.age}
        for state in (self.pending, self.parked, self.done):
            needed |= state.keys()
        missing = sorted(needed - entity.by_name.keys())
        if missing:
            found.append(f"'{entity.name}' has no {', '.join(missing)}: make it a Healable")
        return found


def is_in(item: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in state.items())
