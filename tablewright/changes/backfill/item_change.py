"""Item change: one conditional UpdateItem that adds attributes to an item."""

from __future__ import annotations

from typing import Any, NamedTuple

from tablewright.runtime.store.attribute_values import Wire, comparable
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item


class ItemChange(NamedTuple):
    """A change of an item: `added` has attributes that the item lacks.

    `replaced` has new values of attributes, and `removed` the names of attributes to remove: the
    one that the item expires by, if the user requested it, and stale index keys that only the new
    design computes. The attributes in `sources` are those that the others were computed from.
    """

    key_names: tuple[str, ...]
    item: Item
    added: Item
    sources: frozenset[str] = frozenset()
    replaced: Item = {}  # noqa: RUF012 - never changed
    removed: tuple[str, ...] = ()

    @property
    def after(self) -> Item:
        """The item after the change."""
        kept = {name: wire for name, wire in self.item.items() if name not in self.removed}
        return {**kept, **self.replaced, **self.added}

    @property
    def key(self) -> Item:
        """The key of the item."""
        return {name: self.item[name] for name in self.key_names}

    def update(self, table_name: str) -> dict[str, Any]:
        """The UpdateItem request.

        The invariant of a backfill is in its condition: an attribute is added only if the item
        still lacks it, and replaced only if it is as it was read. The condition on the key keeps a
        deleted item from coming back.
        """
        expressions = Expressions()
        changed = {*self.added, *self.replaced, *self.removed}
        conditions = [f"attribute_exists({expressions.name(self.key_names[0])})"]
        conditions += [
            expressions.matches(name, self.item.get(name))
            for name in sorted(changed | self.sources)
            if name not in self.key_names
        ]
        old = {name: self.item[name] for name in changed if name in self.item}
        request = {
            "TableName": table_name,
            "Key": self.key,
            "UpdateExpression": expressions.change(old, {**self.replaced, **self.added}),
            "ConditionExpression": " AND ".join(conditions),
        }
        return expressions.into(request)


def same(one: Wire | None, other: Wire | None) -> bool:
    """True if two stored values are equal for DynamoDB: sets in any order, numbers by value."""
    if one == other or one is None or other is None:
        return one == other
    return comparable(one) == comparable(other)
