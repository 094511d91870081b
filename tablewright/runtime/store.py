"""The store: a design's access patterns, run against its table.

Every call names the access pattern that it carries out, so that what the code does, what its role
is granted and what the documentation says are one and the same.

>>> store = Store(SALES, "bg-remover-dev-sales-intelligence", Dynamo(client))   # doctest: +SKIP
>>> store.put(SALES.put_sale, sale)                                              # doctest: +SKIP
>>> store.query(SALES.brand_sales, {"tenant": "acme", "brand": "Nike"}).items    # doctest: +SKIP
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import islice
from typing import Any, cast

from tablewright.designs import Pattern, Record, Table
from tablewright.designs.patterns import BatchPut, Delete, Get, Put, Query, Update
from tablewright.runtime.bulk import READ_CHUNK, read_all, write_all
from tablewright.runtime.cursor import Cursors
from tablewright.runtime.dynamo import POOL_SIZE, Caller
from tablewright.runtime.errors import AlreadyExists, Conflict, DuplicateKeys, NotFound
from tablewright.runtime.expressions import Expressions
from tablewright.runtime.query import Asked, Reading
from tablewright.runtime.records import Item, Records
from tablewright.runtime.retry import Backoff
from tablewright.runtime.wire import encode

# What a page with filters may read before it is given out short, with a cursor to go on.
_EXAMINED_PER_PAGE = 1000
_UPDATE_ATTEMPTS = 5


class Page:
    """Some records of a list and, when there may be more, the cursor to go on with."""

    __slots__ = ("cursor", "items")

    def __init__(self, items: list[Record], cursor: str | None) -> None:
        self.items = items
        self.cursor = cursor


class Store:
    """Runs the access patterns of one design on one table."""

    def __init__(
        self,
        design: Table,
        table_name: str,
        caller: Caller,
        *,
        cursors: Cursors | None = None,
        backoff: Backoff | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.design = design
        self.table_name = table_name
        self._caller = caller
        self._cursors = cursors
        self._backoff = backoff or Backoff()
        self._executor = executor
        self._records = {e.name: Records(design, e) for e in design.entity_list}

    @property
    def executor(self) -> Executor:
        # Threads start when they are first needed: many functions never query a shard.
        if self._executor is None:
            self._executor = ThreadPoolExecutor(max_workers=POOL_SIZE)
        return self._executor

    def put(self, pattern: Pattern, record: Mapping[str, Any]) -> Record:
        """Store one record; gives it back as stored. A `create` pattern replaces nothing."""
        records = self._of(pattern, Put)
        checked = records.entity.check(record)
        params: dict[str, Any] = {"TableName": self.table_name, "Item": records.to_item(checked)}
        if isinstance(pattern, Put) and pattern.create:
            expressions = Expressions()
            params["ConditionExpression"] = expressions.matches(self.design.pk, None)
            expressions.into(params)
        try:
            self._caller.call("PutItem", params)
        except Conflict as error:
            raise AlreadyExists(f"{records.entity.name} with this key exists already") from error
        return checked

    def put_many(self, pattern: Pattern, batch: Sequence[Mapping[str, Any]]) -> int:
        """Store any number of records, replacing what is there; all are checked before the first
        is written. Gives back how many were stored."""
        records = self._of(pattern, BatchPut)
        items = [records.to_item(records.entity.check(record)) for record in batch]
        seen: set[tuple[str, ...]] = set()
        repeated = []
        for position, item in enumerate(items):
            key = self._key_of(item)
            repeated += [position] if key in seen else []
            seen.add(key)
        if repeated:
            raise DuplicateKeys(repeated)
        write_all(self._caller, self.executor, self.table_name, items, self._backoff)
        return len(items)

    def get(self, pattern: Pattern, key: Mapping[str, Any]) -> Record | None:
        """The record with this key, or None."""
        records = self._of(pattern, Get)
        consistent = isinstance(pattern, Get) and pattern.consistent
        item = self._read(records.key(key), consistent=consistent)
        return records.to_record(item) if item else None

    def update(
        self,
        pattern: Pattern,
        key: Mapping[str, Any],
        changes: Mapping[str, Any],
        *,
        expect: Mapping[str, Any] | None = None,
    ) -> Record:
        """Change fields of a record and everything derived from them, in one write.

        None removes an optional field. `expect` names fields whose values must be as given, or
        Conflict is raised. Raises NotFound where there is nothing to change.
        """
        records = self._of(pattern, Update)
        fixed = [name for name in changes if name in records.entity.key.fields]
        if fixed:
            raise TypeError(f"{', '.join(fixed)} cannot be changed: part of the key")
        changes = records.check_some(changes)
        for _ in range(_UPDATE_ATTEMPTS):
            old = self._read(records.key(key), consistent=True)
            if old is None:
                raise NotFound(f"no {records.entity.name} has this key")
            try:
                return self._write_change(records, old, changes, expect or {})
            except Conflict:
                if expect and not self._has(records, key, changes):
                    raise
                # Either a repeated request whose first copy arrived, or somebody else changed what
                # ours is derived from: look again.
                expect = None
        raise Conflict(f"{records.entity.name} was being changed by others all the while")

    def delete(self, pattern: Pattern, key: Mapping[str, Any]) -> None:
        """Remove the record with this key; one that is not there is removed already."""
        records = self._of(pattern, Delete)
        params = {"TableName": self.table_name, "Key": records.key(key)}
        self._caller.call("DeleteItem", params)

    def query(
        self,
        pattern: Pattern,
        where: Mapping[str, Any],
        *,
        since: Any = None,
        until: Any = None,
        filters: Mapping[str, Any] | None = None,
        descending: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
        caller: str | None = None,
    ) -> Page:
        """One page of records, in key order over all shards; `since` and `until` are included.

        Cursors belong to `caller`, by default the tenant. A page that had to pass over very many
        filtered records may be short and still have a cursor.
        """
        if limit < 1:
            raise ValueError(f"a page has at least one record, not {limit}")
        asked = self._ask(pattern, where, since=since, until=until, descending=descending)
        chosen = self._chosen(pattern, filters)
        owner = caller or str(where.get(self.design.tenant or "", ""))
        arguments = {**asked.arguments, "filters": sorted(chosen.items())}
        position = None
        if cursor is not None:
            position = self._signing().open(cursor, owner, pattern.name, arguments)
        reading = self._reading(asked, limit=limit, position=position)
        entries, examined = iter(reading), 0
        found: list[Record] = []
        last: tuple[str, Item] | None = None
        while len(found) < limit and examined < _EXAMINED_PER_PAGE:
            chunk = list(islice(entries, limit - len(found)))
            if not chunk:
                break
            examined += len(chunk)
            last = chunk[-1]
            found += self._complete(asked, [entry for _, entry in chunk], chosen)
        if last is None or not reading.may_have_more:
            return Page(found, None)
        token = self._signing().issue(owner, pattern.name, arguments, asked.position(*last))
        return Page(found, token)

    def each(
        self,
        pattern: Pattern,
        where: Mapping[str, Any],
        *,
        since: Any = None,
        until: Any = None,
        filters: Mapping[str, Any] | None = None,
        descending: bool | None = None,
    ) -> Iterator[Record]:
        """Every record, in key order over all shards, in as few and as large reads as can be."""
        asked = self._ask(pattern, where, since=since, until=until, descending=descending)
        chosen = self._chosen(pattern, filters)
        entries = iter(self._reading(asked, limit=None, position=None))
        while chunk := list(islice(entries, READ_CHUNK)):
            yield from self._complete(asked, [entry for _, entry in chunk], chosen)

    def _of(self, pattern: Pattern, kind: type[Pattern]) -> Records:
        if self.design.patterns.get(pattern.name) is not pattern or not isinstance(pattern, kind):
            raise TypeError(f"{pattern!r} is not a {kind.__name__} of table '{self.design.id}'")
        return self._records[pattern.entity]

    def _signing(self) -> Cursors:
        if self._cursors is None:
            raise TypeError("this store was made without cursors, so it gives only first pages")
        return self._cursors

    def _read(self, key: Item, *, consistent: bool) -> Item | None:
        params = {"TableName": self.table_name, "Key": key, "ConsistentRead": consistent}
        return self._caller.call("GetItem", params).get("Item")

    def _has(self, records: Records, key: Mapping[str, Any], changes: Mapping[str, Any]) -> bool:
        item = self._read(records.key(key), consistent=True)
        record = records.to_record(item) if item else {}
        return all(record.get(name) == value for name, value in changes.items())

    def _write_change(
        self, records: Records, old: Item, changes: Mapping[str, Any], expect: Mapping[str, Any]
    ) -> Record:
        before = records.to_record(old)
        after = records.entity.check({**before, **changes})
        expressions = Expressions()
        new = records.to_item(after)
        # Attributes that are not the entity's are not ours to remove.
        ours = {name: wire for name, wire in old.items() if name in new or records.owns(name)}
        # What derived attributes were computed from must still be so when they are written.
        unchanged = {name: before.get(name) for name in self.design.derives_from(records.entity)}
        conditions = [
            expressions.matches(
                records.stored_names([name])[0], None if value is None else encode(value)
            )
            for name, value in {**unchanged, **expect}.items()
        ]
        change = expressions.change(ours, new)
        if not change and not expect:
            return after
        exists = f"attribute_exists({expressions.name(self.design.pk)})"
        params: dict[str, Any] = {
            "TableName": self.table_name,
            "Key": {name: old[name] for name in self._key_names()},
            "ConditionExpression": " AND ".join([exists, *conditions]),
        }
        if change:
            params["UpdateExpression"] = change
        self._caller.call("UpdateItem", expressions.into(params))
        return after

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
    ) -> list[Record]:
        """The records of entries, in their order: completed from the table, then filtered."""
        query, records = asked.query, asked.records
        if query.hydrate:
            found = [records.to_record(item) for item in self._hydrate(asked, entries)]
        else:
            found = [records.entry_to_record(query, entry) for entry in entries]
        return [r for r in found if all(r.get(name) == value for name, value in chosen.items())]

    def _hydrate(self, asked: Asked, entries: list[Item]) -> list[Item]:
        keys = [{name: entry[name] for name in self._key_names()} for entry in entries]
        index_keys = [n for n in self.design.key_attributes(asked.query.index) if n]
        attributes = None
        if asked.query.select:
            names = asked.records.stored_names(asked.query.select)
            attributes = [*names, *self._key_names(), *index_keys]
        items = read_all(
            self._caller, self.executor, self.table_name, keys, self._backoff, attributes
        )
        by_key = {self._key_of(item): item for item in items}
        hydrated = []
        for entry in entries:
            item = by_key.get(self._key_of(entry))
            # An index lags its table: an item that has moved on is listed where it is now.
            if item and all(item.get(name) == entry[name] for name in index_keys):
                hydrated.append(item)
        return hydrated

    def _key_names(self) -> list[str]:
        return [self.design.pk, self.design.sk] if self.design.sk else [self.design.pk]

    def _key_of(self, item: Item) -> tuple[str, ...]:
        return tuple(str(text) for name in self._key_names() for text in item[name].values())
