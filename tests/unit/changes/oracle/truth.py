"""What is true of a table: its records by meaning, and what each version must read of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.unit.changes.oracle.designs import NOW, REQUIRED, DesignSpec, EntitySpec, Values

UNREADABLE = object()
"""A value that a version cannot have, whatever it reads."""


@dataclass
class Row:
    """A record as it is, and the versions that wrote it since it was put."""

    entity: str
    values: Values
    writers: list[DesignSpec]

    @property
    def is_past(self) -> bool:
        """True if a version that wrote it wants DynamoDB to have removed it by now."""
        return any(is_past(w.by_meaning[self.entity], self.values) for w in self.writers)

    def is_hidden_from(self, reader: DesignSpec) -> bool:
        """True if it is past for its writers, and for a reader that sees it as they do."""
        expiry = reader.ttl, reader.by_meaning[self.entity].expires
        known = all((w.ttl, w.by_meaning[self.entity].expires) == expiry for w in self.writers)
        return known and self.is_past


def is_past(entity: EntitySpec, values: Values) -> bool:
    try:
        end = entity.expiry(values)
    except (TypeError, ValueError):
        return False
    return end is not None and end <= NOW


@dataclass
class Expected:
    """A row as a version must read it; `may_be_missing` if it has expired for one version."""

    row: Row
    entity: EntitySpec
    view: Values
    may_be_missing: bool

    def python(self, meaning: str) -> Any:
        """The value that a reader must get."""
        value = self.view[meaning]
        if value is REQUIRED:
            return UNREADABLE
        try:
            return self.entity.by_meaning[meaning].to_python(value)
        except (TypeError, ValueError):
            return UNREADABLE

    @property
    def is_readable(self) -> bool:
        return all(self.python(meaning) is not UNREADABLE for meaning in self.entity.by_meaning)

    def arguments(self, meanings: Iterable[str]) -> dict[str, Any]:
        """Values by the names that this version has for fields."""
        return {self.entity.by_meaning[m].name: self.python(m) for m in meanings}

    def text(self, template: str) -> str:
        try:
            return self.entity.text(template, self.view)
        except (TypeError, ValueError, AttributeError):
            return ""

    def is_read_as(self, record: Any, meanings: Iterable[str] | None = None) -> bool:
        if record is None or type(record).__name__ != self.entity.name:
            return False
        values = self.arguments(self.entity.by_meaning if meanings is None else meanings)
        return all(getattr(record, name, UNREADABLE) == value for name, value in values.items())

    def __str__(self) -> str:
        values = {m: value for m, value in self.row.values.items() if value is not None}
        return f"{self.entity.name}({', '.join(f'{m}={v!r:.60}' for m, v in values.items())})"


@dataclass
class Truth:
    """The records of a table; `is_copied` if every version has a table of its own."""

    rows: list[Row] = field(default_factory=list)
    is_copied: bool = False

    def matching(self, design: DesignSpec, meaning: str, values: Values) -> list[Row]:
        """The rows that have the key of these values, as a version sees it."""
        key = design.by_meaning[meaning].key.meanings
        view = design.by_meaning[meaning].view
        return [row for row in self.rows if row.entity == meaning
                and all(view(row.values)[m] == values[m] for m in key)]  # fmt: skip

    def put(self, design: DesignSpec, meaning: str, values: Values) -> None:
        self.delete(design, meaning, values)
        self.rows.append(Row(meaning, dict(values), [design]))

    def update(self, design: DesignSpec, meaning: str, key: Values, changes: Values) -> None:
        for row in self.matching(design, meaning, key):
            row.values.update(changes)
            row.writers.append(design)

    def delete(self, design: DesignSpec, meaning: str, key: Values) -> None:
        gone = self.matching(design, meaning, key)
        self.rows = [row for row in self.rows if row not in gone]

    def occupied(self, design: DesignSpec, meaning: str, values: Values) -> bool:
        """True if an item of another entity has the key of these values."""
        place = self._place(design, meaning, values)
        others = (row for row in self.rows if row.entity != meaning)
        stored = ((design if self.is_copied else row.writers[0], row) for row in others)
        return any(
            row.entity in writer.by_meaning and self._place(writer, row.entity, row.values) == place
            for writer, row in stored
        )

    @staticmethod
    def _place(design: DesignSpec, meaning: str, values: Values) -> tuple[str, str]:
        entity = design.by_meaning[meaning]
        view = entity.view(values)
        return entity.text(entity.key.pk, view), entity.text(entity.key.sk, view)

    def expected(self, design: DesignSpec, meaning: str) -> Iterator[Expected]:
        """The rows of an entity, as a version must see them."""
        entity = design.by_meaning[meaning]
        for row in self.rows:
            if row.entity == meaning and not row.is_hidden_from(design):
                is_past_here = row.is_past or is_past(entity, row.values)
                yield Expected(row, entity, entity.view(row.values), is_past_here)
