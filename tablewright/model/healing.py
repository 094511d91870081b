"""Healing: how a table's items that wait for work are found, read and marked by what heals them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.model.fields.numbers import Number
from tablewright.model.fields.scalars import Field, Text, Timestamp
from tablewright.model.patterns import BatchGet, Pattern, Query, Update
from tablewright.model.table import Table

# Metrics by which a run reports, and on which there are alarms.
ITEMS_FOUND = "SelfHealingItemsFound"
ITEMS_REPUBLISHED = "SelfHealingItemsRepublished"
ITEMS_FAILED = "SelfHealingItemsFailed"
ITEMS_PARKED = "SelfHealingItemsParked"
EXECUTION_TIME = "SelfHealingExecutionTime"


def healing_fields() -> tuple[Field, ...]:
    """What an item carries that can be healed: to be listed among the fields of its entity."""
    return (
        Number("heal_attempts", optional=True),
        Timestamp("heal_after", optional=True),
        Text("heal_run", optional=True, max_length=64),
        Timestamp("parked_at", optional=True),
    )


class HealingPlan(NamedTuple):
    """The access patterns by which a table is healed, and what tells the state of an item.

    `waiting` finds the keys of items in a state, oldest first by the field `age`; `read` gives
    whole items; `mark` notes an attempt. `pending`, `parked` and `done` are the fields that an item
    has in these states, None for one that it has not; `result` is the field that only finished
    work leaves.

    Example::

        HealingPlan(JOBS, waiting=JOBS.jobs_by_status, read=JOBS.get_jobs, mark=JOBS.mark_job,
                    pending={"status": "pending"}, parked={"status": "parked"},
                    done={"status": "done"}, result="outcome", age="created_at")
    """

    design: Table
    waiting: Pattern
    read: Pattern
    mark: Pattern
    pending: Mapping[str, Any]
    parked: Mapping[str, Any]
    done: Mapping[str, Any]
    result: str
    age: str = "timestamp"

    def where(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Where `waiting` finds the items of a state."""
        partition = self.design.key_of(self.waiting).pk.fields
        return {name: state[name] for name in partition}

    def waits(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is still to be done."""
        return is_in(item, self.pending) and self.result not in item

    def problems(self) -> list[str]:
        """What keeps a table from being healed by this plan."""
        found = []
        entity = self.design.entity(self.waiting)
        kinds = ((self.waiting, Query), (self.read, BatchGet), (self.mark, Update))
        for pattern, kind in kinds:
            if self.design.patterns.get(pattern.name) is not pattern:
                found.append(f"'{pattern.name}' is not an access pattern of '{self.design.id}'")
            elif not isinstance(pattern, kind) or pattern.entity != entity.name:
                found.append(
                    f"'{pattern.name}' must be of kind {kind.__name__} and about '{entity.name}'"
                )
        needed = {field.name for field in healing_fields()} | {self.result, self.age}
        for state in (self.pending, self.parked, self.done):
            needed |= state.keys()
        missing = sorted(needed - entity.by_name.keys())
        if missing:
            found.append(f"'{entity.name}' has no {', '.join(missing)}: see healing_fields()")
        return found


def is_in(item: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in state.items())
