"""Old items: which of a table are given an expiry by the clock, so that they go to its archive."""

from __future__ import annotations

import json
from typing import Any, Generic, NamedTuple, TypeVar

from tablewright.model.archive import told_by
from tablewright.model.declaration import Entity
from tablewright.model.fields.base import Field
from tablewright.model.fields.time import DateTextField, EpochField, TimestampTextField
from tablewright.model.patterns import Scan, Update
from tablewright.model.table import Design

E = TypeVar("E", bound=Entity)


class OlderThan(NamedTuple, Generic[E]):
    """Items whose `field`, a day or a moment, is more than so many `days` ago.

    `scan` finds them and `update` expires them: access patterns of one entity, which a function is
    granted. A scan reads the whole table: where items can be given an expiry when they are stored
    (`Expiry`), that costs nothing.

    Example::

        OlderThan(90, Order.placed_at, scan=Orders.all_orders, update=Orders.change)
    """

    days: int
    field: Field[Any]
    scan: Scan[E]
    update: Update[E]

    @property
    def entity(self) -> str:
        """The name of the entity that it is about."""
        return self.scan.entity

    def sweep(self, design: Design) -> Sweep:
        """What a function must know to expire them; raises ValueError where that cannot be."""
        entity = design.entities[self.entity]
        field = entity.by_name.get(self.field.name)
        if self.update.entity != self.entity or self.days < 1:
            raise ValueError("old items are of one entity, and at least a day old")
        if design.ttl is None:
            raise ValueError(f"table design '{design.id}' has no ttl: nothing of it can expire")
        if not isinstance(field, (DateTextField, TimestampTextField)) or isinstance(
            field, EpochField
        ):
            raise ValueError(f"{entity.name}.{self.field.name} is no day or moment in a text")
        told = told_by(design, entity) if len(design.entity_list) > 1 else {}
        only = next(iter(told), None)
        value = entity.name if only and only == design.entity_type else None
        return Sweep(design.key.names, design.ttl, field.stored, self.days, only, value)


class Sweep(NamedTuple):
    """What the function that expires old items knows of their table.

    `only` is an attribute that they have, with this `value` or any.
    """

    key: tuple[str, ...]
    ttl: str
    field: str
    days: int
    only: str | None
    value: str | None

    @classmethod
    def from_json(cls, text: str) -> Sweep:
        """The sweep that `to_json` made this text of."""
        given = json.loads(text)
        return cls(**{**given, "key": tuple(given["key"])})

    def to_json(self) -> str:
        """The sweep as a text, for the environment of a function."""
        return json.dumps(self._asdict(), separators=(",", ":"))
