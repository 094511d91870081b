"""The reader: the queries among a design's access patterns, page by page or as a whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from tablewright.model.conditions import Condition
from tablewright.model.declaration import Entity, Table
from tablewright.model.patterns import Collection, Pattern, Query, Scan
from tablewright.runtime.aws import POOL_SIZE, Caller, Dynamo
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.retry import Backoff
from tablewright.runtime.sharding.epochs import EpochCache, StoredEpochs
from tablewright.runtime.store.batches import READ_CHUNK, in_parallel, read_all
from tablewright.runtime.store.conditions import Rendering, given, holds
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.page_limits import EXAMINED_PER_PAGE, Effort
from tablewright.runtime.store.query import GROWTH, Asked, Range, Reading
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.walk import Walk

# How many records are read at a time where most of them may be passed over.
_TESTED_AT_ONCE = READ_CHUNK

E = TypeVar("E", bound=Entity)
Where = Condition | Mapping[str, Any] | None
_NOTHING: Mapping[str, Any] = {}


class Page(Generic[E]):
    """Some records of a list and, when there may be more, the cursor to go on with.

    `examined` tells how many records were looked at to find them.
    """

    __slots__ = ("cursor", "examined", "items")

    def __init__(self, items: list[E], cursor: str | None, examined: int = 0) -> None:
        self.items = items
        self.cursor = cursor
        self.examined = examined


class Keep(NamedTuple):
    """A test that the records of a list must pass; `name` tells one from another in cursors."""

    name: str
    test: Callable[[Any], bool]


class Reader:
    """Runs the queries of one table. `client` is a client of boto3, or a `Caller`.

    Where shards have epochs, `epochs` keeps what is known of them; readers may share it. What has
    expired by `now` is not there, whether or not DynamoDB has removed it yet.
    """

    def __init__(
        self,
        table: type[Table],
        table_name: str,
        client: Any,
        *,
        cursors: Cursors | None = None,
        backoff: Backoff | None = None,
        executor: Executor | None = None,
        epochs: EpochCache | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        design = table.__design__
        caller: Caller = client if hasattr(client, "call") else Dynamo(client)
        self.design = design
        self.table_name = table_name
        self._caller = caller
        self._cursors = cursors
        self._backoff = backoff or Backoff()
        self._executor = executor
        source = StoredEpochs(design, table_name, caller, epochs) if design.epochs else None
        self._records = {e.name: Records(design, e, source) for e in design.entity_list}
        self._neighbours: dict[str, bool] = {}
        self._lifetimes = {e.name: Lifetime(design, e, now) for e in design.entity_list}

    @property
    def executor(self) -> Executor:
        # Threads start when they are first needed: many functions never query a shard.
        if self._executor is None:
            self._executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        return self._executor

    def query(
        self,
        pattern: Query[E],
        key: Mapping[str, Any] = _NOTHING,
        /,
        *,
        along: tuple[str, Sequence[str]] | None = None,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | None = None,
        where: Where = None,
        keep: Keep | None = None,
        examine: int = EXAMINED_PER_PAGE,
        descending: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: str | None = None,
        **fields: Any,
    ) -> Page[E]:
        """One page of records, in key order over all shards. Of the pattern's range `since` and
        `until` are included, `after` and `before` are not; `begins_with` is how its text begins.

        The fields of the partition are given by their names, or as a mapping. With `along`, a field
        of the partition key and its values, the list goes on from partition to partition in that
        order: ``along=("day", ["2025-11-17", "2025-11-16"])``. Cursors belong to `caller`, by
        default the tenant. Of the records for which `where` holds, those are listed that `keep`
        keeps. A page that had to pass over many records, `examine` of them, or had to ask often, or
        is out of time, may be short and still have a cursor.
        """
        if limit < 1:
            raise ValueError(f"a page has at least one record, not {limit}")
        bounds = Range(since, until, after, before, begins_with, descending)
        key = {**key, **fields}
        walk = Walk(lambda at: self._ask(pattern, {**key, **at}, bounds), along)
        chosen = self._chosen(pattern, where)
        owner = caller or str(key.get(self.design.tenant or "", ""))
        arguments = {**walk.arguments, "where": repr(chosen)}
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
        if not walk.may_have_more or self._cursors is None:
            return Page(page.found, None, page.examined)
        next_page = self._cursors.issue(owner, pattern.name, arguments, walk.position)
        return Page(page.found, next_page, page.examined)

    def _fill(
        self,
        page: Effort,
        walk: Walk,
        asked: Asked,
        position: Sequence[str] | None,
        chosen: Condition | None,
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
        pattern: Query[E],
        key: Mapping[str, Any] = _NOTHING,
        /,
        *,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | None = None,
        where: Where = None,
        descending: bool | None = None,
        at_once: int | None = None,
        **fields: Any,
    ) -> Iterator[E]:
        """Every record, in key order over all shards, in as few and as large reads as can be.

        Whoever may stop early says by `at_once` how many records to read at a time.
        """
        bounds = Range(since, until, after, before, begins_with, descending)
        asked = self._ask(pattern, {**key, **fields}, bounds)
        chosen = self._chosen(pattern, where)
        size = at_once or READ_CHUNK
        reading = self._reading(asked, limit=at_once, position=None)
        with closing(iter(reading)) as entries:
            while chunk := list(islice(entries, size)):
                complete = self._complete(asked, [entry for _, entry in chunk], chosen)
                yield from (record for record in complete if record)
                size = _larger(reading, size) if None in complete else size

    def first(
        self,
        pattern: Query[E],
        key: Mapping[str, Any] = _NOTHING,
        /,
        *,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | None = None,
        where: Where = None,
        descending: bool | None = None,
        **fields: Any,
    ) -> E | None:
        """The first record of a list, or None."""
        found = self.each(
            pattern,
            {**key, **fields},
            since=since,
            until=until,
            after=after,
            before=before,
            begins_with=begins_with,
            where=where,
            descending=descending,
            at_once=1,
        )
        with closing(found) as records:  # type: ignore[type-var] # a generator
            return next(records, None)

    def count(
        self,
        pattern: Query[Any],
        key: Mapping[str, Any] = _NOTHING,
        /,
        *,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | None = None,
        where: Where = None,
        **fields: Any,
    ) -> int:
        """How many records a list has. It reads all of them."""
        found = self.each(
            pattern,
            {**key, **fields},
            since=since,
            until=until,
            after=after,
            before=before,
            begins_with=begins_with,
            where=where,
        )
        return sum(1 for _ in found)

    def scan(self, pattern: Scan[E], *, where: Where = None, segments: int = 1) -> Iterator[E]:
        """Every record of an entity, in no order; `segments` are read side by side."""
        pages = [self._segment(pattern, where, segment, segments) for segment in range(segments)]
        while pages:
            read = in_parallel(self.executor, lambda page: next(page, None), pages)
            pages = [page for page, found in zip(pages, read, strict=True) if found is not None]
            for found in read:
                yield from (record for record in found or () if record)

    def scan_page(
        self,
        pattern: Scan[E],
        *,
        where: Where = None,
        segment: int = 0,
        segments: int = 1,
        start: Item | None = None,
    ) -> tuple[list[E], Item | None]:
        """One page of a segment, and the key that the next one starts after: None at the end."""
        records = self._of(pattern, Scan)
        chosen = given(records, where)
        expressions = Expressions()
        params: dict[str, Any] = {"TableName": self.table_name}
        if segments > 1:
            params |= {"Segment": segment, "TotalSegments": segments}
        if pattern.index:
            params["IndexName"] = pattern.index
        if pattern.consistent:
            params["ConsistentRead"] = True
        if chosen is not None:
            params["FilterExpression"] = Rendering(records, expressions).condition(chosen)
        if start:
            params["ExclusiveStartKey"] = start
        answer = self._caller.call("Scan", expressions.into(params))
        lifetime = self._lifetimes[records.entity.name]
        found = [
            records.from_entry(item, pattern.index) if pattern.index else records.to_record(item)
            for item in answer["Items"]
            if records.is_one(item, pattern.index) and not lifetime.is_past(item)
        ]
        return found, answer.get("LastEvaluatedKey")

    def _segment(
        self, pattern: Scan[E], where: Where, segment: int, segments: int
    ) -> Iterator[list[E]]:
        start: Item | None = None
        while True:
            found, start = self.scan_page(
                pattern, where=where, segment=segment, segments=segments, start=start
            )
            yield found
            if start is None:
                return

    def _of(self, pattern: Pattern[Any], kind: type[Pattern[Any]]) -> Records:
        if self.design.patterns.get(pattern.name) is not pattern or not isinstance(pattern, kind):
            raise TypeError(f"{pattern!r} is not a {kind.__name__} of table '{self.design.id}'")
        return self._records[pattern.entity]

    def _signing(self) -> Cursors:
        if self._cursors is None:
            raise TypeError("this store was made without cursors, so it takes none")
        return self._cursors

    def _ask(self, pattern: Query[Any], key: Mapping[str, Any], bounds: Range) -> Asked:
        return Asked(self.design, self._of(pattern, Query), pattern, key, bounds)

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

    def _chosen(self, pattern: Query[Any], where: Where) -> Condition | None:
        records = self._records[pattern.entity]
        if isinstance(where, Mapping):
            where = {name: value for name, value in where.items() if value is not None}
        chosen = given(records, where)
        if chosen is not None:
            asked = {operand.field.name for operand in chosen.operands()}
            unread = asked - self.design.readable(pattern)
            if unread:
                what = ", ".join(sorted(unread))
                raise TypeError(f"access pattern '{pattern.name}' does not read {what}")
        return chosen

    def _complete(
        self, asked: Asked, entries: list[Item], chosen: Condition | None
    ) -> list[Any | None]:
        """The record of each entry, completed from the table; None where it is not to be listed:
        the item has moved on or is past, or the filters do not let it through."""
        query, records = asked.query, asked.records
        if asked.after or asked.before:
            out = [asked.leaves_out(entry) for entry in entries]
            if any(out):
                own = [entry for entry, one in zip(entries, out, strict=True) if not one]
                rest = iter(self._complete(asked, own, chosen))
                return [None if one else next(rest) for one in out]
        if isinstance(query, Collection):
            return self._members(asked, entries, chosen)
        if self._among_others(query):
            # Items of other entities are passed over, whatever they have in common with these.
            mine = [records.is_one(entry, query.index) for entry in entries]
            if not all(mine):
                own = [entry for entry, one in zip(entries, mine, strict=True) if one]
                rest = iter(self._complete_own(asked, own, chosen))
                return [next(rest) if one else None for one in mine]
        return self._complete_own(asked, entries, chosen)

    def _members(
        self, asked: Asked, entries: list[Item], chosen: Condition | None
    ) -> list[Any | None]:
        """The record of each entry of a collection, of whichever of its entities it is."""
        query, given_fields = asked.query, asked.given
        kinds = [self._records[name] for name in query.entities]
        found: list[Any | None] = []
        for entry in entries:
            records = next((one for one in kinds if one.is_one(entry, query.index)), None)
            record = None
            if records and not self._lifetimes[records.entity.name].is_past(entry):
                record = records.entry_to_record(query, entry)
                # A key may begin as another does: o1 as o10.
                if any(record.get(name, value) != value for name, value in given_fields.items()):
                    record = None
            found.append(record if record and (not chosen or holds(chosen, record)) else None)
        return found

    def _among_others(self, query: Query[Any]) -> bool:
        found = self._neighbours.get(query.name)
        if found is None:
            entity = self.design.entities[query.entity]
            found = self._neighbours[query.name] = self.design.neighbours(entity, query.index)
        return found

    def _complete_own(
        self, asked: Asked, entries: list[Item], chosen: Condition | None
    ) -> list[Any | None]:
        query, records = asked.query, asked.records
        lifetime = self._lifetimes[records.entity.name]
        found: list[Any | None]
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
        if chosen is None:
            return found
        return [record if record and holds(chosen, record) else None for record in found]

    def _present(self, records: Records, item: Item | None) -> Any | None:
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
