"""Lists of both forms: the entries of this design and of the one before it, in one order.

Where the key that is listed has other words now, partitions of both forms are read and merged, as
shards are: those of the form before come after the others. Else one partition has items of both.
Either way entries are given in the form of this design.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.model.conditions import Condition
from tablewright.model.patterns import Query
from tablewright.runtime.store.batches import READ_CHUNK
from tablewright.runtime.store.former.entries import Converted, FormerEntries
from tablewright.runtime.store.former.items import Former
from tablewright.runtime.store.merge import ShardReader
from tablewright.runtime.store.query import BEFORE, Asked, Bounds, Range
from tablewright.runtime.store.reading import Reading
from tablewright.runtime.store.records import Item, key_text


class Part(NamedTuple):
    """What is asked of the partitions of one form, which a mark tells from those of the other."""

    asked: Asked
    mark: str


class AskedOfBoth(Asked):
    """A question whose answer has items of both forms."""

    is_whole = True

    def __init__(
        self,
        former: Former,
        query: Query[Any],
        where: Mapping[str, Any],
        bounds: Range,
        condition: Condition | None,
    ) -> None:
        records = former.requests[query.entity].records
        super().__init__(former.design, records, query, where, bounds, left=condition)
        self.former = former
        self.selects = False  # which other attributes there are, only the item tells
        self.asked_before: Asked | None = None
        one = former.forms.get(query.entity)
        self._is_apart = one is not None and one.is_apart(query.index)
        if one is not None and one.differs(query.index):
            old = former.before[query.entity]
            self.asked_before = Asked(old.design, old, query, where, bounds)
            self.asked_before.selects = False

    @property
    def parts(self) -> list[Part]:
        """What is asked of partitions of this design and, where they are others, of the former."""
        apart = [Part(self.asked_before, BEFORE)] if self.asked_before and self._is_apart else []
        return [Part(self, ""), *apart]

    @property
    def reads_more(self) -> bool:
        return super().reads_more or (
            self.asked_before is not None and self.asked_before.reads_more
        )

    def shards(self, position: Sequence[str] | None = None) -> list[str]:
        shards = super().shards(position)
        if self.asked_before is None or self._is_apart:
            return shards
        return sorted({*shards, *self.asked_before.shards()}, key=_number)

    def position(self, shard: str, entry: Item) -> list[str]:
        if not isinstance(entry, Converted):
            return super().position(shard, entry)
        # By its own keys, those of the form before.
        texts = (key_text(entry.stored[name]) for name in self._other_keys)
        return [shard if self._is_apart else BEFORE + shard, "", *texts]

    def start_key(self, position: Sequence[str]) -> Item:
        shard, *values = position
        if not shard.startswith(BEFORE):
            return super().start_key(position)
        asked = self.asked_before if self.asked_before and self._is_apart else self
        return asked._raw_start(shard.removeprefix(BEFORE), values[1:])

    def is_at(self, label: str, position: Sequence[str]) -> bool:
        """Whether a position is in the shard of this label."""
        at = position[0]
        return label == (at if self._is_apart else at.removeprefix(BEFORE))

    def is_listed(self, label: str, position: Sequence[str]) -> bool:
        """Whether, of what sorts alike, a shard is listed before the one of a position."""
        return self._rank(label) < self._rank(position[0])

    def _rank(self, label: str) -> tuple[bool, int]:
        return self._is_apart and label.startswith(BEFORE), _number(label)

    def sort_text(self, part: Part, start: Item, position: Sequence[str]) -> str:
        """The sort key of a position, as a form has it."""
        text = key_text(start[self.attributes.sort[0]])
        theirs = BEFORE if self._is_apart and position[0].startswith(BEFORE) else ""
        if theirs == part.mark:
            return text
        return self.reworded(text, part.mark)

    def reworded(self, text: str, mark: str) -> str:
        """A sort key of the other form, as the one with this mark has it."""
        words = {one.mark: one.asked.key.sort[0].literals[0] for one in self.parts}
        theirs = words["" if mark else BEFORE]
        # In a list of several entities all sort keys are as before.
        return words[mark] + text.removeprefix(theirs) if text.startswith(theirs) else text


class ReadingOfBoth(Reading):
    """A question of both forms being answered."""

    _asked: AskedOfBoth

    def _make_readers(self, position: Sequence[str] | None) -> Iterator[ShardReader[Item]]:
        both = self._asked
        self._entries = FormerEntries(both.former, both.query)
        start = both.start_key(position) if position else None
        for part in both.parts:
            low, high = part.asked.bounds()
            for shard in part.asked.shards() if part.mark else self._shards:
                label, bounds, start_here = part.mark + shard, (low, high), None
                if position and start and both.is_at(label, position):
                    start_here = start
                elif position and start:
                    listed = both.is_listed(label, position)
                    if listed and not (self._sk and part.asked.bounded):
                        continue
                    if self._sk:
                        reached = both.sort_text(part, start, position)
                        bounds = self._beyond(reached, listed, low, high)
                if not part.asked.none_between(bounds):
                    yield ShardReader(label, self._of_form(part, shard, bounds), start_here)

    def _of_form(self, part: Part, shard: str, bounds: Bounds) -> Any:
        """Reads one page of a shard, of which it keeps what is of the part's form."""
        fetch, keys = self._fetcher(shard, bounds, part.asked), self._asked.attributes.names
        both = len(self._asked.parts) > 1

        def fetch_form(start: Item | None) -> tuple[list[Item], Item | None]:
            read, last = fetch(start)
            entries = self._entries.of(read)
            if both:
                entries = [
                    entry
                    for entry in entries
                    if (isinstance(entry, Converted) and _is_elsewhere(entry, keys))
                    == bool(part.mark)
                ]
            if len(entries) < len(read):
                self.grow = READ_CHUNK  # much may be passed over: read more at a time
            if last and not entries:
                entries = [self._passed_by(part, last)]
            return entries, last

        return fetch_form

    def _passed_by(self, part: Part, last: Item) -> Item:
        """In place of an entry, that of no entity: how far was read."""
        sort = self._asked.attributes.sort
        entry = {name: last[name] for name in sort}
        if part.mark and sort:
            entry[sort[0]] = {"S": self._asked.reworded(key_text(last[sort[0]]), "")}
        return Converted(entry, last)


def _is_elsewhere(entry: Converted, keys: Sequence[str]) -> bool:
    return any(entry[name] != entry.stored[name] for name in keys)


def _number(label: str) -> int:
    return int(label.removeprefix(BEFORE) or 0)
