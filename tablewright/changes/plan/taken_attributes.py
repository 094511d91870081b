"""Taken attributes: new attributes that items have already, with another meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tablewright.changes.backfill.additions import (
    Additions,
    ForeignItem,
    NotAdditive,
    derived_names,
)
from tablewright.changes.backfill.estimate import take_sample
from tablewright.changes.backfill.item_change import same
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

SAMPLE = 2000


def taken_attributes(
    new: type[Table],
    old: type[Table] | None,
    table_name: str,
    caller: Caller,
    there: TableForm,
    *,
    secrets: Secrets | None = None,
    was: Mapping[str, str] | None = None,
) -> list[str]:
    """Reasons why a sample of a table's items does not allow the new attributes of a design.

    An attribute that has the value of the new design, from an earlier run, is allowed.
    """
    design = new.__design__
    goal = TableForm.of(design)
    names = {
        n for name, one in goal.indexes.items() if name not in there.indexes for n in one.kinds
    }
    names &= {name for entity in design.entity_list for name in derived_names(design, entity)}
    names |= {goal.ttl} if goal.ttl and goal.ttl != there.ttl else set()
    if not names:
        return []
    additions = Additions(new, old, table_name, caller, secrets=secrets, was=was)
    items, _ = take_sample(caller, table_name, SAMPLE)
    counts: Counter[str] = Counter()
    for item in items:
        if present := names & item.keys():
            wanted = _wanted(additions, item)
            counts.update(name for name in present if not same(item[name], wanted.get(name)))
    return [
        f"{count:,} of {len(items):,} sampled items have the attribute {name} with another "
        f"meaning. {_consequence(name, goal)}"
        for name, count in counts.items()
    ]


def _wanted(additions: Additions, item: Item) -> Item:
    try:
        return additions.wanted(item)
    except (ForeignItem, NotAdditive):
        return {}


def _consequence(name: str, goal: TableForm) -> str:
    if name == goal.ttl:
        return "DynamoDB would delete them by it. Give the table another ttl attribute."
    return "Give the index new attribute names."
