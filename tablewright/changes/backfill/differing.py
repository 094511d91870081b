"""Differing entries of an index, by name: what it lacks, and what it has too many.

An index follows its table a moment later, and writers may be at work. So what differs is looked at
again, several times, before it is taken for a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tablewright.changes.backfill.entries import IndexEntries, key_text
from tablewright.changes.backfill.sums import Sums, bucket_of, fingerprint
from tablewright.runtime.aws import Caller
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.retry import Backoff
from tablewright.runtime.segments.progress import Progress
from tablewright.runtime.segments.walk import NoBar, Walk
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item

EXAMPLES = 20
"""So many differences of an index are named at the most."""

_LOOKS = Backoff(attempts=6, first=0.1, longest=1.0)
# Entries that are held in memory at once.
_HELD = 200_000


class Seen(NamedTuple):
    """An entry that is expected or was found: its keys, and what tells it from another one."""

    keys: Item
    fingerprint: int


class Differing:
    """Looks for the items in which an index differs from its table."""

    def __init__(
        self,
        caller: Caller,
        table_name: str,
        key_names: tuple[str, ...],
        segments: int,
    ) -> None:
        self._caller = caller
        self._table_name = table_name
        self._key_names = key_names
        self._segments = segments

    def of(self, index: IndexEntries, wanted: Sums, found: Sums) -> list[str]:
        """The differences that last, each in a sentence; as many as are named at the most."""
        told: list[str] = []
        for buckets in _groups(wanted.differing(found), wanted, found):
            there = self._seen(index, buckets, in_index=False)
            held = self._seen(index, buckets, in_index=True)
            names = [one for one in there.keys() | held.keys() if not _alike(there, held, one)]
            for at in range(0, len(names), EXAMPLES):
                some = [(held.get(one) or there[one]).keys for one in names[at : at + EXAMPLES]]
                told += self._lasting(index, some)
                if len(told) >= EXAMPLES:
                    return told[:EXAMPLES]
        return told

    def _seen(
        self, index: IndexEntries, buckets: frozenset[int], *, in_index: bool
    ) -> dict[int, Seen]:
        """The entries of some buckets, by their primary key: as they are, or as they should be."""
        seen: dict[int, Seen] = {}

        def settle(items: list[Item]) -> Counter[str]:
            for item in items:
                entry = item if in_index else index.of(item)
                if entry is not None and bucket_of(entry, self._key_names) in buckets:
                    key = {name: entry[name] for name in self._key_names}
                    keys = key | {name: entry[name] for name in index.key}
                    seen[fingerprint(key)] = Seen(keys, fingerprint(entry))
            return Counter()

        request: dict[str, Any] = {"TableName": self._table_name}
        request |= {"IndexName": index.name} if in_index else {"ConsistentRead": True}
        Walk(self._caller, request, settle, Progress(None, "", self._segments)).run(NoBar())
        return seen

    def _lasting(self, index: IndexEntries, keys: Sequence[Item]) -> list[str]:
        """Those of some differences that are there however often they are looked at."""
        left = list(keys)
        told: list[str] = []
        for _ in _LOOKS:
            looks = in_parallel(lambda one: self._look(index, one), left)
            left = [one for one, text in zip(left, looks, strict=True) if text]
            told = [text for text in looks if text]
            if not told:
                break
        return told

    def _look(self, index: IndexEntries, keys: Item) -> str | None:
        """What is wrong with an item's entry now, or None."""
        key = {name: keys[name] for name in self._key_names}
        read = {"TableName": self._table_name, "Key": key, "ConsistentRead": True}
        item = self._caller.call("GetItem", read).get("Item")
        wanted = index.of(item) if item else None
        place = {name: (wanted or keys)[name] for name in index.key}
        found = self._entry(index, place, key)
        if wanted is None:
            return f"has an entry too many, of {key_text(key)}" if found else None
        if found is None:
            return f"lacks the entry of {key_text(key)}"
        if fingerprint(found) != fingerprint(wanted):
            return f"has another entry of {key_text(key)} than its item"
        return None

    def _entry(self, index: IndexEntries, place: Item, key: Item) -> Item | None:
        """The entry of an item at a place of an index."""
        expressions = Expressions()
        condition = " AND ".join(expressions.equal(name, wire) for name, wire in place.items())
        params = {"TableName": self._table_name, "IndexName": index.name}
        asked: dict[str, Any] = expressions.into({**params, "KeyConditionExpression": condition})
        while True:
            page = self._caller.call("Query", asked)
            for one in page["Items"]:
                if all(one[name] == wire for name, wire in key.items()):
                    return dict(one)
            if "LastEvaluatedKey" not in page:
                return None
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _alike(there: dict[int, Seen], held: dict[int, Seen], name: int) -> bool:
    one, other = there.get(name), held.get(name)
    return one is not None and other is not None and one.fingerprint == other.fingerprint


def _groups(buckets: list[int], wanted: Sums, found: Sums) -> Iterator[frozenset[int]]:
    """The buckets, as many at a time as can be held in memory."""
    group: list[int] = []
    size = 0
    for bucket in buckets:
        entries = wanted.counts[bucket] + found.counts[bucket]
        if group and size + entries > _HELD:
            yield frozenset(group)
            group, size = [], 0
        group.append(bucket)
        size += entries
    if group:
        yield frozenset(group)
