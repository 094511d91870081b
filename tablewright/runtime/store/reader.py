"""The reader: the queries among a design's access patterns, page by page or as a whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple, cast

from tablewright.model import Pattern, Record, Table
from tablewright.model.patterns import Query
from tablewright.runtime.aws import POOL_SIZE, Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.retry import Backoff
from tablewright.runtime.sharding.epochs import EpochCache, StoredEpochs
from tablewright.runtime.store.batches import READ_CHUNK, read_all
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.page_limits import EXAMINED_PER_PAGE, Effort
from tablewright.runtime.store.query import GROWTH, Asked, Reading
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.walk import Walk

# How many records are read at a time where most of them may be passed over.
_TESTED_AT_ONCE = READ_CHUNK


class Page:
    """Some records of a list and, when there may be more, the cursor to go on with.

    `examined` tells how many records were looked at to find them.
    """

    __slots__ = ("cursor", "examined", "items")

    def __init__(self, items: list[Record], cursor: str | None, examined: int = 0) -> None:
        self.items = items
        self.cursor = cursor
        self.examined = examined


class Keep(NamedTuple):
    """A test that the records of a list must pass; `name` tells one from another in cursors."""

    name: str
    test: Callable[[Record], bool]


class Reader:
    """Runs the queries of one design on one table.

    Where shards have epochs, `epochs` keeps what is known of them; readers may share it. What has
    expired by `now` is not there, whether or not DynamoDB has removed it yet.
    """

    def __init__(
        self,
        design: Table,
        table_name: str,
        caller: Caller,
        *,
        cursors: Cursors | None = None,
        backoff: Backoff | None = None,
        executor: Executor | None = None,
        epochs: EpochCache | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.design = design
        self.table_name = table_name
        self._caller = caller
        self._cursors = cursors
        self._backoff = backoff or Backoff()
        self._executor = executor
        source = StoredEpochs(design, table_name, caller, epochs) if design.epochs else None
        self._records = {e.name: Records(design, e, source) for e in design.entity_list}
        self._lifetimes = {e.name: Lifetime(design, e, now) for e in design.entity_list}

    @property
    def executor(self) -> Executor:
        # Threads start when they are first needed: many functions never query a shard.
        if self._executor is None:
            self._executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        return self._executor

    def query(
        self,
        pattern: Pattern,
        where: Mapping[str, Any],
        *,
        along: tuple[str, Sequence[str]] | None = None,
        since: Any = None,
        until: Any = None,
        filters: Mapping[str, Any] | None = None,
        keep: Keep | None = None,
        examine: int = EXAMINED_PER_PAGE,
        descending: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: str | None = None,
    ) -> Page:
        """One page of records, in key order over all shards; `since` and `until` are included.

        With `along`, a field of the partition key and its values, the list goes on from partition
        to partition in that order: ``along=("day", ["2025-11-17", "2025-11-16"])``. Cursors belong
        to `caller`, by default the tenant. Of the records that the filters let through, those are
        listed that `keep` keeps. A page that had to pass over many records, `examine` of them, or
        had to ask often, or is out of time, may be short and still have a cursor.
        """
        if limit < 1:
            raise ValueError(f"a page has at least one record, not {limit}")
        bounds = {"since": since, "until": until, "descending": descending}
        walk = Walk(lambda at: self._ask(pattern, {**where, **at}, **bounds), along)
        chosen = self._chosen(pattern, filters)
        owner = caller or str(where.get(self.design.tenant or "", ""))
        arguments = {**walk.arguments, "filters": sorted(chosen.items())}
        if keep:
            arguments["keep"] = keep.name
        if cursor is not None:
            walk.resume(self._signing().open(cursor, owner, pattern.name, arguments))
        page = Effort(limit, examine)
        for asked, position in walk:
            if page.is_over:
                walk.begins()
                walk.stop(True)
                break
            self._fill(page, walk, asked, position, chosen, keep)
        if not walk.may_have_more:
            return Page(page.found, None, page.examined)
        next_page = self._signing().issue(owner, pattern.name, arguments, walk.position)
        return Page(page.found, next_page, page.examined)

    def _fill(
        self,
        page: Effort,
        walk: Walk,
        asked: Asked,
        position: Sequence[str] | None,
        chosen: Mapping[str, Any],
        keep: Keep | None,
    ) -> None:
        """Look at one question's entries until the page is full or its bounds are reached."""
        at_once = max(page.wanted, _TESTED_AT_ONCE) if keep else page.wanted
        reading = self._reading(asked, limit=at_once, position=position)
        before, unused = page.calls, 0
        with closing(iter(reading)) as entries:
            while not page.is_over:
                chunk = list(islice(entries, min(at_once, page.may_examine)))
                page.calls = before + reading.calls
                if not chunk:
                    return
                complete = self._complete(asked, [entry for _, entry in chunk], chosen)
                before += asked.query.hydrate
                kept = [r if r and (not keep or keep.test(r)) else None for r in complete]
                used = page.take(kept)
                unused = len(chunk) - used
                walk.reached(asked, *chunk[used - 1])
                at_once = _larger(reading, at_once) if None in kept else page.wanted
        if unused or reading.may_have_more:
            walk.stop(True)

    def each(
        self,
        pattern: Pattern,
        where: Mapping[str, Any],
        *,
        since: Any = None,
        until: Any = None,
        filters: Mapping[str, Any] | None = None,
        descending: bool | None = None,
        at_once: int | None = None,
    ) -> Iterator[Record]:
        """Every record, in key order over all shards, in as few and as large reads as can be.

        Whoever may stop early says by `at_once` how many records to read at a time.
        """
        asked = self._ask(pattern, where, since=since, until=until, descending=descending)
        chosen = self._chosen(pattern, filters)
        size = at_once or READ_CHUNK
        reading = self._reading(asked, limit=at_once, position=None)
        with closing(iter(reading)) as entries:
            while chunk := list(islice(entries, size)):
                complete = self._complete(asked, [entry for _, entry in chunk], chosen)
                yield from (record for record in complete if record)
                size = _larger(reading, size) if None in complete else size

    def _of(self, pattern: Pattern, kind: type[Pattern]) -> Records:
        if self.design.patterns.get(pattern.name) is not pattern or not isinstance(pattern, kind):
            raise TypeError(f"{pattern!r} is not a {kind.__name__} of table '{self.design.id}'")
        return self._records[pattern.entity]

    def _signing(self) -> Cursors:
        if self._cursors is None:
            raise TypeError("this store was made without cursors, so it gives only first pages")
        return self._cursors

    def _ask(self, pattern: Pattern, where: Mapping[str, Any], **bounds: Any) -> Asked:
        records = self._of(pattern, Query)
        return Asked(self.design, records, cast(Query, pattern), where, **bounds)

    def _reading(
        self, asked: Asked, *, limit: int | None, position: Sequence[str] | None
    ) -> Reading:
        return Reading(
            self._caller,
            self.table_name,
            asked,
            limit=limit,
            position=position,
            executor=self.executor,
        )

    def _chosen(self, pattern: Pattern, filters: Mapping[str, Any] | None) -> dict[str, Any]:
        chosen = {name: value for name, value in (filters or {}).items() if value is not None}
        allowed = pattern.filters if isinstance(pattern, Query) else ()
        for name in chosen:
            if name not in allowed:
                raise TypeError(f"access pattern '{pattern.name}' has no filter '{name}'")
        return self._records[pattern.entity].check_some(chosen)

    def _complete(
        self, asked: Asked, entries: list[Item], chosen: Mapping[str, Any]
    ) -> list[Record | None]:
        """The record of each entry, completed from the table; None where it is not to be listed:
        the item has moved on or is past, or the filters do not let it through."""
        query, records = asked.query, asked.records
        lifetime = self._lifetimes[records.entity.name]
        found: list[Record | None]
        if query.hydrate:
            items = self._hydrate(asked, entries)
            found = [item and self._present(records, item) for item in items]
        elif asked.carries_expiry:
            found = [
                None if lifetime.is_past(entry) else records.entry_to_record(query, entry)
                for entry in entries
            ]
        else:
            listed = (records.entry_to_record(query, entry) for entry in entries)
            found = [None if lifetime.entry_is_past(record) else record for record in listed]
        return [
            record if record and all(record.get(n) == v for n, v in chosen.items()) else None
            for record in found
        ]

    def _present(self, records: Records, item: Item | None) -> Record | None:
        """The record in a whole item, unless it is past."""
        if item is None or self._lifetimes[records.entity.name].is_past(item):
            return None
        return records.to_record(item)

    def _hydrate(self, asked: Asked, entries: list[Item]) -> list[Item | None]:
        keys = [{name: entry[name] for name in self._key_names()} for entry in entries]
        index_keys = [n for n in self.design.key_attributes(asked.query.index) if n]
        attributes = None
        if asked.query.select:
            names = asked.records.stored_names(asked.query.select)
            attributes = [*names, *self._key_names(), *index_keys]
            attributes += [self.design.ttl] if self.design.ttl else []
        items = read_all(
            self._caller, self.executor, self.table_name, keys, self._backoff, attributes
        )
        by_key = {self._key_of(item): item for item in items}
        hydrated: list[Item | None] = []
        for entry in entries:
            item = by_key.get(self._key_of(entry))
            # An index lags its table: an item that has moved on is listed where it is now.
            there = item and all(item.get(name) == entry[name] for name in index_keys)
            hydrated.append(item if there else None)
        return hydrated

    def _key_names(self) -> list[str]:
        return [self.design.pk, self.design.sk] if self.design.sk else [self.design.pk]

    def _key_of(self, item: Item) -> tuple[str, ...]:
        return tuple(str(text) for name in self._key_names() for text in item[name].values())


def _larger(reading: Reading, size: int) -> int:
    """How many to read next where some were passed over: a filter that finds much reads little,
    one that finds nothing asks seldom."""
    reading.grow = _TESTED_AT_ONCE
    return max(size, min(GROWTH * size, _TESTED_AT_ONCE))
