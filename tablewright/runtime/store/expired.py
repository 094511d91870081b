"""Lifetime of items: what is past it is not there, though DynamoDB may take days to remove it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from tablewright.model import Design, EntityModel, InvalidValue
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.expressions import Expressions

_NEVER: Wire = {}


class Lifetime:
    """Tells items of one entity that are past from those that are not; `now` is the clock."""

    __slots__ = ("_attribute", "_entity", "_expires", "_now")

    def __init__(self, design: Design, entity: EntityModel, now: Callable[[], datetime]) -> None:
        self._attribute = design.ttl if entity.expires else None
        self._entity = entity
        self._expires = entity.expires
        self._now = now

    @property
    def ends(self) -> bool:
        """Whether items of the entity can be past at all."""
        return self._attribute is not None

    def is_past(self, item: dict[str, Wire]) -> bool:
        """Whether DynamoDB may remove this item any moment, by the attribute that it goes by."""
        return self.are_past((item,))[0]

    def are_past(self, items: Iterable[dict[str, Wire]]) -> list[bool]:
        """The same of each of several items."""
        name = self._attribute
        if name is None:
            return [False for _ in items]
        now = self._seconds()
        # Of any other type than a number, DynamoDB takes no notice.
        ends = (item.get(name, _NEVER).get("N") for item in items)
        return [end is not None and float(end) <= now for end in ends]

    def entry_is_past(self, record: Mapping[str, Any]) -> bool:
        """The same of an entry of an index without the attribute, by the field that it follows."""
        value = record.get(self._expires.field) if self._expires else None
        if value is None or not self._expires:
            return False
        try:
            text = self._entity.time_text(value)
            return self._expires.at(text) <= self._seconds()
        except InvalidValue:
            return False  # stored before such values were refused, and so without an end

    def past(self, expressions: Expressions) -> list[str]:
        """The condition that an item is past, if it ever can be."""
        if self._attribute is None:
            return []
        now = expressions.value({"N": str(int(self._seconds()))})
        return [f"{expressions.name(self._attribute)} <= {now}"]

    def not_past(self, expressions: Expressions) -> list[str]:
        """Its opposite, which also holds where there is no such attribute."""
        return [f"NOT ({condition})" for condition in self.past(expressions)]

    def _seconds(self) -> float:
        return self._now().timestamp()
