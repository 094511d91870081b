"""Verification: every item is as its design writes it, and every index holds what it should.

Signatures::

    verify(design, table_name, caller, *, rate=None, segments=4, secrets=None, keep_later=False,
           bar=None) -> Verification
    Verification.is_sound -> bool
    Verification.lines() -> list[str]           # what was looked at, and what differs
    Verification.entities -> Mapping[str, int]  # items by entity
    Verification.items -> Sequence[Found]       # items that are not as they should be, by reason
    Verification.indexes -> Sequence[IndexCheck]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.changes.backfill.differing import EXAMPLES, Differing
from tablewright.changes.backfill.entries import IndexEntries, index_entries, key_text
from tablewright.changes.backfill.pace import PacedCaller
from tablewright.changes.backfill.rewriting import Rewriting
from tablewright.changes.backfill.sums import Sums
from tablewright.model.declaration import Table
from tablewright.model.table_form import TableForm
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.rederivation import NotRederivable, Rederived
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import Bar, NoBar, Patient, Walk
from tablewright.runtime.store.records import Item

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# Of more than so many reasons, those beyond are counted as one.
_REASONS = 50
_OTHERS = "items that differ for other reasons"


class Found(NamedTuple):
    """Items that are not as the design writes them: why, how many, and the key of one."""

    reason: str
    number: int
    example: str


class IndexCheck(NamedTuple):
    """Entries that an index should hold and holds, and differences that last, as far as named."""

    name: str
    expected: int
    found: int
    differences: Sequence[str]

    def lines(self) -> list[str]:
        """What there is to say of it."""
        more = " or more" if len(self.differences) >= EXAMPLES else ""
        told = f"{len(self.differences)}{more} differ" if self.differences else "as it should be"
        lines = [f"index {self.name}: {self.found} entries, {told}"]
        return lines + [f"  {one}" for one in self.differences]


class Verification(NamedTuple):
    """What was found of a table: items by entity, and what is not as its design says."""

    entities: Mapping[str, int]
    items: Sequence[Found]
    indexes: Sequence[IndexCheck]

    @property
    def is_sound(self) -> bool:
        """Whether nothing differs."""
        return not self.items and not any(one.differences for one in self.indexes)

    def lines(self) -> list[str]:
        """What there is to say, for people."""
        lines = [f"{count} items of {name}" for name, count in sorted(self.entities.items())]
        lines += [f"{one.number} items differ: {one.reason} ({one.example})" for one in self.items]
        return lines + [line for index in self.indexes for line in index.lines()]


def verify(
    design: type[Table],
    table_name: str,
    caller: Caller,
    *,
    rate: float | None = None,
    segments: int = 4,
    secrets: Secrets | None = None,
    keep_later: bool = False,
    bar: Bar | None = None,
) -> Verification:
    """Look whether a table holds what its design would write, were it written anew.

    Every item must be what the design writes for its record, and every index must hold what the
    design projects of the items. The table is read once, consistently, and each index once; where
    they differ, they are read once more to find the entries that do. Programs may go on writing.
    With `keep_later`, an expiry later than the design's is right.

    Example::

        found = verify(Orders, "dev-orders", caller)
        assert found.is_sound, found.lines()
    """
    paced = PacedCaller(Patient(caller), rate)
    rewriting = Rewriting(design, None, table_name, paced, secrets=secrets, keep_later=keep_later)
    return _Verifying(rewriting, table_name, paced, segments).run(NoBar() if bar is None else bar)


class _Verifying:
    """One look at a table."""

    def __init__(
        self, rewriting: Rewriting, table_name: str, caller: Caller, segments: int
    ) -> None:
        self._rewriting = rewriting
        self._table_name = table_name
        self._caller = caller
        self._segments = segments
        self._key_names = rewriting.new.key.names
        self._indexes = index_entries(TableForm.of(rewriting.new))
        self._expected = {index.name: Sums(self._key_names) for index in self._indexes}

    def run(self, bar: Bar) -> Verification:
        described = self._caller.call("DescribeTable", {"TableName": self._table_name})["Table"]
        progress = Progress(None, self._table_name, self._segments)

        def settle(items: list[Item]) -> Counter[str]:
            return self._settle(items, progress)

        request = {"TableName": self._table_name, "ConsistentRead": True}
        counts = Walk(self._caller, request, settle, progress).run(bar)
        found = [
            Found(kind, count, progress.examples[kind])
            for kind, count in counts.most_common()
            if kind in progress.examples
        ]
        entities = {kind: n for kind, n in counts.items() if kind in self._rewriting.new.entities}
        states = _index_states(described)
        indexes = [self._check(index, states.get(index.name), bar) for index in self._indexes]
        return Verification(entities, found, indexes)

    def _settle(self, items: list[Item], progress: Progress) -> Counter[str]:
        counts: Counter[str] = Counter()
        wanted: dict[str, list[Item]] = {index.name: [] for index in self._indexes}
        for item in items:
            rederived, problem = self._rederived(item)
            if rederived:
                counts[rederived.entity] += 1
            if problem:
                known = progress.examples
                kind = problem if problem in known or len(known) < _REASONS else _OTHERS
                progress.note(kind, key_text({name: item[name] for name in self._key_names}))
                counts[kind] += 1
            for index in self._indexes:
                entry = index.of(rederived.after if rederived else item)
                if entry is not None:
                    wanted[index.name].append(entry)
        for name, entries in wanted.items():
            self._expected[name].add(entries)
        return counts

    def _rederived(self, item: Item) -> tuple[Rederived | None, str | None]:
        """What the design makes of an item, and what is wrong with it."""
        try:
            rederived = self._rewriting.of(item)
        except (NotRederivable, SecretUnreadable) as problem:
            return None, str(problem)
        if not rederived.changed:
            return rederived, None
        names = ", ".join(sorted(rederived.changed))
        return rederived, f"{rederived.entity} is written with another {names}"

    def _check(self, index: IndexEntries, state: str | None, bar: Bar) -> IndexCheck:
        expected, found = self._expected[index.name], Sums(self._key_names)
        if state != "ACTIVE":
            told = f"is {state}: wait until it is ACTIVE" if state else "is not there"
            return IndexCheck(index.name, expected.total, 0, [told])

        def settle(entries: list[Item]) -> Counter[str]:
            found.add(entries)
            return Counter()

        request = {"TableName": self._table_name, "IndexName": index.name}
        Walk(self._caller, request, settle, Progress(None, "", self._segments)).run(bar)
        look = Differing(
            self._caller, self._table_name, self._key_names, self._written, self._segments
        )
        return IndexCheck(index.name, expected.total, found.total, look.of(index, expected, found))

    def _written(self, item: Item) -> Item:
        rederived, _ = self._rederived(item)
        return rederived.after if rederived else item


def _index_states(described: Mapping[str, Any]) -> dict[str, str]:
    """The state of each index of a table; local ones come and go with it."""
    found = {one["IndexName"]: "ACTIVE" for one in described.get("LocalSecondaryIndexes") or ()}
    for one in described.get("GlobalSecondaryIndexes") or ():
        found[one["IndexName"]] = one.get("IndexStatus", "ACTIVE")
    return found
