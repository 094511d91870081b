"""Verification: reads a table and its indexes, and compares them with what both designs read.

It shares no code with the backfill: every item is checked by `ItemCheck`, which decodes it with the
codecs of both designs. The items of each index are compared with those of the table.

Signatures::

    verify(design, table_name, caller, *, old=None, was=None, rate=500, segments=4, secrets=None,
           keep_later=False, bar=None) -> Verification
    Verification.is_sound -> bool
    Verification.lines() -> list[str]           # what was read, and what differs
    Verification.entities -> Mapping[str, int]  # items by entity of the design
    Verification.items -> Sequence[Found]       # items that differ, by reason
    Verification.foreign -> Sequence[Found]     # items of no entity of the design
    Verification.indexes -> Sequence[IndexCheck]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.backfill.differing import EXAMPLES, Differing
from tablewright.changes.backfill.entries import IndexEntries, index_entries, key_text
from tablewright.changes.backfill.item_check import FOREIGN, ItemCheck, Reading
from tablewright.changes.backfill.pace import DEFAULT_RATE, PacedCaller
from tablewright.changes.backfill.sums import Sums
from tablewright.changes.compatibility.mapping import DesignMapping
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Bar, NoBar, Patient, Walk
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# Reasons beyond this number are counted as one.
_REASONS = 50
_OTHERS = "it differs for other reasons"


class Found(NamedTuple):
    """Items that differ: the reason, their number, and the key of one."""

    reason: str
    number: int
    example: str


class IndexCheck(NamedTuple):
    """The number of items that an index should have and has, and examples of differences."""

    name: str
    expected: int
    found: int
    differences: Sequence[str]

    def lines(self) -> list[str]:
        """The result, for people."""
        more = " or more" if len(self.differences) >= EXAMPLES else ""
        state = f"{len(self.differences)}{more} differ" if self.differences else "as it should be"
        lines = [f"index {self.name}: {self.found} entries, {state}"]
        return lines + [f"  {one}" for one in self.differences]


class Verification(NamedTuple):
    """The items of a table by entity, and all that differs.

    `foreign` has items that neither design knows, or that only the old one does: they are no
    difference. Without the old design, items that the new one does not know are a difference.
    """

    entities: Mapping[str, int]
    items: Sequence[Found]
    foreign: Sequence[Found]
    indexes: Sequence[IndexCheck]

    @property
    def is_sound(self) -> bool:
        """True if nothing differs."""
        return not self.items and not any(one.differences for one in self.indexes)

    def lines(self) -> list[str]:
        """The result, for people."""
        lines = [f"{count} items of {name}" for name, count in sorted(self.entities.items())]
        lines += [f"{one.number} items {one.reason} ({one.example})" for one in self.foreign]
        lines += [f"{one.number} items differ: {one.reason} ({one.example})" for one in self.items]
        return lines + [line for index in self.indexes for line in index.lines()]


def verify(
    design: type[Table],
    table_name: str,
    caller: Caller,
    *,
    old: type[Table] | None = None,
    was: Mapping[str, str] | None = None,
    rate: float | None = DEFAULT_RATE,
    segments: int = 4,
    secrets: Secrets | None = None,
    keep_later: bool = False,
    bar: Bar | None = None,
) -> Verification:
    """Compare a table and its indexes with what the design, and the `old` one, read of it.

    Every item must have the index keys, the expiry and the type that follow from its record, and
    be the same record for the old design. Every index must have the items of the table that have
    its key. The table is read once, consistently, and each index once; where they differ, they are
    read once more. Programs may go on writing. `was` maps new names to old ones, as `Order` or
    `Order.state`. With `keep_later`, an expiry that is later than the design's is right.

    Example::

        found = verify(Orders, "dev-orders", caller, old=OrdersBefore)
        assert found.is_sound, found.lines()
    """
    paced = PacedCaller(Patient(caller), rate)
    reading = Reading(design.__design__, table_name, paced, secrets)
    before = Reading(old.__design__, table_name, paced, secrets) if old else None
    mapping = DesignMapping(before.design, reading.design, was or {}) if before else None
    check = ItemCheck(reading, before, mapping, keep_later=keep_later)
    return _Verifying(check, table_name, paced, segments).run(NoBar() if bar is None else bar)


class _Verifying:
    """One pass over a table and its indexes."""

    def __init__(self, check: ItemCheck, table_name: str, caller: Caller, segments: int) -> None:
        self._check = check
        self._table_name = table_name
        self._caller = caller
        self._segments = segments
        self._key_names = check.design.key.names
        self._indexes = index_entries(TableForm.of(check.design))
        self._expected = {index.name: Sums(self._key_names) for index in self._indexes}

    def run(self, bar: Bar) -> Verification:
        described = self._caller.call("DescribeTable", {"TableName": self._table_name})["Table"]
        progress = Progress(None, self._table_name, self._segments)

        def settle(items: list[Item]) -> Counter[str]:
            return self._settle(items, progress)

        request = {"TableName": self._table_name, "ConsistentRead": True}
        counts = Walk(self._caller, request, settle, progress).run(bar)
        examples = progress.examples
        found = [
            Found(kind, count, examples[kind])
            for kind, count in counts.most_common()
            if kind in examples
        ]
        entities = {kind: n for kind, n in counts.items() if kind in self._check.design.entities}
        states = _index_states(described)
        indexes = [self._compare(index, states.get(index.name), bar) for index in self._indexes]
        return Verification(
            entities,
            [one for one in found if one.reason != FOREIGN],
            [one for one in found if one.reason == FOREIGN],
            indexes,
        )

    def _settle(self, items: list[Item], progress: Progress) -> Counter[str]:
        counts: Counter[str] = Counter()
        for item in items:
            entity, problem = self._check.of(item)
            kind = problem or (FOREIGN if entity == FOREIGN else None)
            if entity != FOREIGN:
                counts[entity] += 1
            if kind:
                known = progress.examples
                kind = kind if kind in known or len(known) < _REASONS else _OTHERS
                progress.note(kind, key_text({name: item[name] for name in self._key_names}))
                counts[kind] += 1
        for index in self._indexes:
            entries = (index.of(item) for item in items)
            self._expected[index.name].add(entry for entry in entries if entry is not None)
        return counts

    def _compare(self, index: IndexEntries, state: str | None, bar: Bar) -> IndexCheck:
        """Compare an index with the table."""
        expected, found = self._expected[index.name], Sums(self._key_names)
        if state != "ACTIVE":
            problem = f"is {state}: wait until it is ACTIVE" if state else "does not exist"
            return IndexCheck(index.name, expected.total, 0, [problem])

        def settle(entries: list[Item]) -> Counter[str]:
            found.add(entries)
            return Counter()

        request = {"TableName": self._table_name, "IndexName": index.name}
        Walk(self._caller, request, settle, Progress(None, "", self._segments)).run(bar)
        look = Differing(self._caller, self._table_name, self._key_names, self._segments)
        return IndexCheck(index.name, expected.total, found.total, look.of(index, expected, found))


def _index_states(described: Mapping[str, Any]) -> dict[str, str]:
    """The state of each index of a table; local ones come and go with it."""
    found = {one["IndexName"]: "ACTIVE" for one in described.get("LocalSecondaryIndexes") or ()}
    for one in described.get("GlobalSecondaryIndexes") or ():
        found[one["IndexName"]] = one.get("IndexStatus", "ACTIVE")
    return found
