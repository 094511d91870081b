"""Verdicts: how a change of a design must be released on a table that has items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tablewright.changes.compatibility import table_changes
from tablewright.changes.compatibility.boundary_records import have_untested_limits
from tablewright.changes.compatibility.findings import Finding, finding
from tablewright.changes.compatibility.keys import key_conflicts
from tablewright.changes.compatibility.mapping import DesignMapping, Direction
from tablewright.changes.compatibility.memory_table import Item, MemoryTable
from tablewright.changes.compatibility.reading import DesignReader
from tablewright.changes.compatibility.stored_records import (
    StoredRecord,
    codecs_of,
    expect,
    expect_itself,
    open_store,
    stored_records,
)
from tablewright.changes.compatibility.updates import stale_updates
from tablewright.model.declaration import Table
from tablewright.model.fields.base import Field
from tablewright.model.fields.text import untrusted_patterns
from tablewright.model.patterns import Put
from tablewright.model.table import Design
from tablewright.model.table_form import TableForm

__all__ = ["Finding", "Outcome", "Verdict", "compare"]

# Tables in memory that hold records of one key, which one table cannot hold together.
_MOST_TABLES = 24


class Outcome(StrEnum):
    """The way to release a change, the most demanding last."""

    COMPATIBLE = "compatible"
    """Old and new code can run together, in any order."""
    READERS_FIRST = "readers first"
    """Release code that reads the new design before code that writes it."""
    WRITERS_FIRST = "writers first"
    """Release writers, add attributes to the existing items, then release readers."""
    MIGRATE = "migrate"
    """Copy the items to another table, through a mapping of records."""
    NEW_TABLE = "new table"
    """Copy the items, because the key of the table changes or keys of items are reused."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a comparison, and the findings that it follows from.

    `new_reads_old` has what new code gets wrong about stored items, `old_reads_new` the reverse,
    `indexes` what the table cannot become, `keys` the items whose keys collide or are reused,
    `unmapped` the values without an exact counterpart, `not_examined` the entities for which no
    record can be made. `notes` do not change the outcome.
    """

    outcome: Outcome
    new_reads_old: tuple[Finding, ...] = ()
    old_reads_new: tuple[Finding, ...] = ()
    indexes: tuple[Finding, ...] = ()
    keys: tuple[Finding, ...] = ()
    unmapped: tuple[Finding, ...] = ()
    not_examined: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def findings(self) -> Iterator[Finding]:
        """Every finding that counts for the outcome, in the order of the fields."""
        for group in (self.new_reads_old, self.old_reads_new, self.indexes, self.keys):
            yield from group
        yield from (*self.unmapped, *self.not_examined)

    def __str__(self) -> str:
        return "\n".join([str(self.outcome), *map(str, (*self.findings, *self.notes))])


def compare(old: type[Table], new: type[Table], *, was: Mapping[str, str] = {}) -> Verdict:
    """Compute how two designs work together on one table, by running both codecs.

    Each design writes records at the limits of its fields to a table in memory, and the other
    design reads them: by key, and by every query and scan. `was` names the old entity or field of
    a renamed one. Raises UnknownName for a name that no design has.

    Example::

        compare(build_table(json.loads(lock.read_text()), Orders), Orders,
                was={"Order.state": "Order.status"})
    """
    mapping = DesignMapping(old.__design__, new.__design__, was)
    forms = TableForm.of(old.__design__), TableForm.of(new.__design__)
    if fixed := _distinct(table_changes.fixed_parts(*forms)):
        return Verdict(Outcome.NEW_TABLE, indexes=fixed)
    # A lock is data: a pattern that the new design does not have may need for ever.
    with untrusted_patterns(_patterns(old.__design__) - _patterns(new.__design__)):
        return _Comparison(old, new, mapping).verdict(forms)


def _patterns(design: Design) -> set[str]:
    """The regular expressions of all fields of a design, those of parts and elements included."""
    fields = [field for entity in design.entity_list for field in entity.fields]
    found = set()
    while fields:
        field = fields.pop()
        if pattern := getattr(field, "pattern", None):
            found.add(pattern)
        inner = getattr(field, "of", None)
        if isinstance(inner, Field):
            fields.append(inner)
        elif inner is not None and hasattr(inner, "__part__"):
            fields += inner.__part__.fields
    return found


class _Comparison:
    """Two designs of one table, and the records that each of them stores."""

    def __init__(self, old: type[Table], new: type[Table], mapping: DesignMapping) -> None:
        self._old, self._new, self._mapping = old, new, mapping
        stored = _written(old, new, Direction(mapping, forward=True))
        coming = _written(new, old, Direction(mapping, forward=False))
        self._refused = [one for one in stored if one.refusal]
        self._stored = [one for one in stored if not one.refusal]
        self._coming = [one for one in coming if not one.refusal]

    def verdict(self, forms: tuple[TableForm, TableForm]) -> Verdict:
        old, new = self._old.__design__, self._new.__design__
        codecs = codecs_of(open_store(self._new, MemoryTable(new)))
        forward = [
            *_reads(self._new, old, self._stored),
            *table_changes.changed_expiry(old, new, self._stored),
            *table_changes.changed_markers(self._mapping),
        ]
        backward = [
            *_reads(self._old, new, self._coming),
            *table_changes.changed_stream(*forms),
        ]
        # A whole item that is misread says more than an update of it.
        forward += stale_updates(self._old, self._new, self._coming) if not forward else ()
        backward += stale_updates(self._new, self._old, self._stored) if not backward else ()
        indexes = [
            *table_changes.replaced_indexes(*forms),
            *table_changes.refused_writes(self._stored, MemoryTable(new), "old"),
            *table_changes.refused_writes(self._coming, MemoryTable(old), "new"),
        ]
        verdict = Verdict(
            Outcome.COMPATIBLE,
            new_reads_old=_distinct(forward),
            old_reads_new=_distinct(backward),
            indexes=_distinct(indexes),
            keys=_distinct(key_conflicts(self._stored, codecs)),
            unmapped=_distinct(self._unmapped()),
            not_examined=_distinct(self._not_examined()),
            notes=_distinct([*self._notes(), *table_changes.added_indexes(*forms)]),
        )
        return replace(verdict, outcome=self._outcome(verdict))

    def _outcome(self, verdict: Verdict) -> Outcome:
        if any(one.code == "keys-reused" for one in verdict.keys):
            return Outcome.NEW_TABLE
        needs_copy = verdict.indexes or verdict.keys or verdict.unmapped or verdict.not_examined
        if needs_copy or any(
            one.code in ("expires-early", "counted-twice") for one in verdict.new_reads_old
        ):
            return Outcome.MIGRATE
        if verdict.new_reads_old:
            # A stream ends after its consumers, whatever becomes of the items.
            misread = [one for one in verdict.old_reads_new if one.code != "stream-changed"]
            is_in_place = not misread and self._is_additive()
            return Outcome.WRITERS_FIRST if is_in_place else Outcome.MIGRATE
        return Outcome.READERS_FIRST if verdict.old_reads_new else Outcome.COMPATIBLE

    def _is_additive(self) -> bool:
        """True if a backfill that adds attributes makes stored items right for both versions."""
        filled, kept = [], []
        for one in self._stored:
            if one.reader is not None and one.wanted is None:
                return False
            added = _added_attributes(one)
            if added is None:
                return False
            item = {**one.item, **added}
            filled.append(replace(one, item=item))
            kept.append(replace(expect_itself(one), item=item))
        old, new = self._old.__design__, self._new.__design__
        return not any([*_reads(self._new, old, filled), *_reads(self._old, new, kept)])

    def _unmapped(self) -> Iterator[Finding]:
        for one in self._stored:
            if one.reader is None:
                continue
            for name in sorted(one.inexact):
                example = one.shown(one.sources[name].name)
                yield finding("not-exact", f"{one.reader.name}.{name}", example)
            for name in sorted(one.missing):
                yield finding("value-missing", f"{one.reader.name}.{name}", one.shown())

    def _not_examined(self) -> Iterator[Finding]:
        for name in self._mapping.uncertain:
            yield finding("uncertain", name, f"it may continue {self._mapping.entities[name]}")
        for name, (source, field) in self._continued_fields():
            if have_untested_limits(source, field):
                yield finding("not-examined", name, "no value shows the change of its limits")
        for table, records in ((self._old, self._stored), (self._new, self._coming)):
            for entity in table.__design__.entity_list:
                own = [one.record for one in records if one.entity.name == entity.name]
                if not own:
                    yield finding("not-examined", entity.name)
                examined = {name for record in own for name in record}
                for name in entity.by_name if own else ():
                    if name not in examined:
                        yield finding("not-examined", f"{entity.name}.{name}")

    def _continued_fields(self) -> Iterator[tuple[str, tuple[Field[Any], Field[Any]]]]:
        """Each new field that continues an old one, with the old one."""
        for name, source in self._mapping.entities.items():
            old = self._mapping.old.entities[source]
            new = self._mapping.new.entities[name]
            for field, was in self._mapping.field_names(old, new).items():
                yield f"{name}.{field}", (old.by_name[was], new.by_name[field])

    def _notes(self) -> Iterator[Finding]:
        old, new = self._old.__design__, self._new.__design__
        for name in sorted(old.entities.keys() - {*self._mapping.entities.values()}):
            yield finding("entity-removed", name)
        for one in self._refused:
            yield finding("text-refused", one.entity.name, f"{one.shown()}: {one.refusal}")
        yield from table_changes.kept_expiry(old, new, self._stored)
        replaced = {one.entity for one in old.pattern_list if isinstance(one, Put)}
        for name, source in self._mapping.entities.items():
            fields = self._mapping.field_names(old.entities[source], new.entities[name])
            for field in new.entities[name].by_name if source in replaced else ():
                if field not in fields:
                    yield finding("field-dropped", f"{name}.{field}")


def _written(writer: type[Table], reader: type[Table], direction: Direction) -> list[StoredRecord]:
    """Records that one design stores, with what the other design must read of them."""
    stored = stored_records(writer, direction)
    items = MemoryTable(reader.__design__)
    for one in stored:
        items.put(one.item, one.mark)
    codecs = codecs_of(open_store(reader, items))
    return [expect(one, direction, codecs) for one in stored]


def _reads(
    reader: type[Table], writer: Design, stored: Sequence[StoredRecord]
) -> Iterator[Finding]:
    """Findings of one design that reads records of the other, in as many tables as they need."""
    epochs = {one.mark: one for one in stored if one.has_epochs}
    waiting = {one.mark: one for one in stored}
    for _ in range(_MOST_TABLES):
        items = MemoryTable(writer, reader.__design__)
        held = []
        for one in (epochs | waiting).values():
            if one.item not in items:
                items.put(one.item, one.mark)
                held.append(one)
        yield from DesignReader(reader, items, held).findings()
        for one in held:
            waiting.pop(one.mark, None)
        if not waiting.keys() - epochs.keys():
            return


def _added_attributes(stored: StoredRecord) -> Item | None:
    """Attributes that a backfill adds to an item; None if one that exists must change."""
    wanted = stored.wanted or {}
    if any(stored.clear.get(name, wire) != wire for name, wire in wanted.items()):
        return None
    if stored.reader is not None:
        secret = [{f.stored for f in one.secrets} for one in (stored.entity, stored.reader)]
        if secret[0] != secret[1]:
            return None
    return {name: wire for name, wire in wanted.items() if name not in stored.item}


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding of each code and subject, the first of them."""
    found: dict[tuple[str, str], Finding] = {}
    for one in findings:
        found.setdefault((one.code, one.subject), one)
    return tuple(found.values())
