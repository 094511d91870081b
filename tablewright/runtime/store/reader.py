"""The reader: those of a table's access patterns that read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from copy import copy
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, overload

from tablewright.model.arguments import check_arguments, described, require_count
from tablewright.model.conditions import Condition
from tablewright.model.declaration import Entity, Table
from tablewright.model.errors import InvalidRecord
from tablewright.model.operands import Operand
from tablewright.model.patterns import BatchGet, Get, Listing, Pattern, Query, Scan
from tablewright.model.sharding.epochs import UNDIVIDED, EpochSource
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.sharding.epochs import EpochCache, StoredEpochs
from tablewright.runtime.store.batches import READ_CHUNK, read_all
from tablewright.runtime.store.conditions import Rendering, given, split
from tablewright.runtime.store.entries import Entries
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.page_limits import EXAMINED_PER_PAGE, Effort
from tablewright.runtime.store.query import Asked, Range
from tablewright.runtime.store.reading import GROWTH, Passed, Reading, counted
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.requests import Requests, whole_key
from tablewright.runtime.store.transactions import Read, read_at_once
from tablewright.runtime.store.walk import Walk
from tablewright.runtime.transport import Transport

if TYPE_CHECKING:
    from tablewright.runtime.secrets.secrets import Secrets

# How many records are read at a time where most of them may be passed over.
_TESTED_AT_ONCE = READ_CHUNK

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Entity)
G = TypeVar("G", bound=Entity)
V = TypeVar("V")
Where = Condition | Mapping[str, Any] | None
"""What `where` and `when` take: a condition, or the values that fields must have."""
OnMalformed = Literal["raise"] | Callable[[Item, MalformedItem], object]
"""What `on_malformed` takes: "raise", or a function of the raw item and the error, which is called
for each malformed item before it is skipped."""
_NOTHING: Mapping[str, Any] = {}


class Page(Generic[E]):
    """Some records of a list; whether it may have more; and, from a store with cursors, the one to
    go on with.

    `examined` tells how many items were looked at to find them.
    """

    __slots__ = ("cursor", "examined", "has_more", "items")

    def __init__(
        self,
        items: list[E],
        cursor: str | None = None,
        examined: int = 0,
        *,
        has_more: bool = False,
    ) -> None:
        self.items = items
        self.cursor = cursor
        self.examined = examined
        self.has_more = has_more


class Keep:
    """A test that the records of a list must pass; `name` tells one from another in cursors.

    Example::

        store.query(Orders.of_customer, customer="ann", keep=Keep("gifts", lambda o: o.is_gift))
    """

    __slots__ = ("name", "test")

    def __init__(self, name: str, test: Callable[[Any], bool]) -> None:
        self.name = name
        self.test = test


@check_arguments("get")
class Reader:
    """Runs those access patterns of one table that read.

    `client` is a `Caller` such as `connect` makes, a session or a client of boto3, or a
    `Transport`. Stores that are given the same caller share its connections; without a client, one
    is made with this process's own session.

    `cursors` signs the cursors of pages. What has expired by `now` is not there, whether or not
    DynamoDB has removed it yet. Where shards have epochs, `epochs` keeps what is known of them;
    readers may share it. A table with secret fields needs `secrets`: keys to encrypt them with, or
    `Secrets.in_clear()`.

    Attributes: `design`, `table_name`, `caller`, and `epochs`, which knows the shards of tenants.
    """

    def __init__(
        self,
        table: type[Table],
        table_name: str,
        client: Any = None,
        *,
        cursors: Cursors | None = None,
        epochs: EpochCache | None = None,
        secrets: Secrets | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        design = table.__design__
        if not table_name:
            raise ValueError(f"Store: table_name of {design.id} must not be empty")
        if secrets is None and design.has_secrets:
            raise TypeError(
                f"table '{design.id}' has secret fields: give the store secrets=Secrets(keys), or "
                "say secrets=Secrets.in_clear()"
            )
        self.design = design
        self.table_name = table_name
        self._cursors = cursors
        self._epoch_cache = epochs or EpochCache()
        self._requests = {
            entity.name: Requests(
                Records(design, entity, secrets=secrets, table_name=table_name),
                table_name,
                Lifetime(design, entity, now),
            )
            for entity in design.entity_list
        }
        self._connect(Transport.to(client))

    def with_client(self, client: Any) -> Self:
        """A store that differs in its client alone, such as one with the credentials of a tenant.

        Both share cursors, epochs and secrets, and what this store has computed of its design, so
        that each request can have a store of its own.

        Example::

            store = orders.with_client(tenants.access("acme"))
        """
        store = copy(self)
        store._connect(self._transport.with_client(client))
        return store

    def _connect(self, transport: Transport) -> None:
        self._transport = transport
        self.caller: Caller = transport
        self.epochs: EpochSource = UNDIVIDED
        if self.design.epochs:
            self.epochs = StoredEpochs(self.design, self.table_name, transport, self._epoch_cache)
            self._requests = {
                name: requests.with_epochs(self.epochs) for name, requests in self._requests.items()
            }
        self._entries = Entries(self.design, self._requests, self._read_all)

    def get(self, pattern: Get[E], key: Mapping[str, Any] = _NOTHING, /, **fields: Any) -> E | None:
        """The record with this key, or None. A key is given by its fields, or as a mapping.

        Example::

            order = store.get(Orders.order, tenant="acme", order_id="o1")
        """
        requests = self._of(pattern, Get)
        item = self._read(requests, whole_key(key, fields), consistent=pattern.consistent)
        return requests.present(item, expired=pattern.expired)

    def get_many(
        self,
        pattern: BatchGet[E],
        keys: Sequence[Mapping[str, Any]],
        *,
        on_malformed: OnMalformed = "raise",
    ) -> list[E]:
        """The records that there are with these keys, in no order.

        Example::

            store.get_many(Orders.orders, [{"tenant": "acme", "order_id": id} for id in ids])
        """
        requests = self._of(pattern, BatchGet)
        items = [requests.records.key(key) for key in keys]
        # DynamoDB refuses a request that names an item twice.
        once = list({self.design.key_values(item): item for item in items}.values())
        records = Entries.decoded(
            lambda batch: [requests.present(item, expired=pattern.expired) for item in batch],
            self._read_all(once, None, consistent=pattern.consistent),
        )
        return list(_accepted(records, on_malformed))

    def to_get(
        self, pattern: Get[E], key: Mapping[str, Any] = _NOTHING, /, **fields: Any
    ) -> Read[E]:
        """A get, as part of `transact_get`."""
        requests = self._of(pattern, Get)
        return Read(
            requests.key(whole_key(key, fields)),
            lambda item: requests.present(item, expired=pattern.expired),
        )

    @overload
    def transact_get(self, one: Read[E], two: Read[F], /) -> tuple[E | None, F | None]: ...
    @overload
    def transact_get(
        self, one: Read[E], two: Read[F], three: Read[G], /
    ) -> tuple[E | None, F | None, G | None]: ...
    @overload
    def transact_get(self, *reads: Read[Any]) -> tuple[Any, ...]: ...
    def transact_get(self, *reads: Read[Any]) -> tuple[Any, ...]:
        """Records as they were at one moment, of this store and of others; None where none is.

        Example::

            order, stock = shop.transact_get(shop.to_get(Shop.order, order_id="o1"),
                                             stocks.to_get(Stocks.stock, thing="tea"))
        """
        return read_at_once(self._transport, reads)

    def query(
        self,
        pattern: Query[E],
        key: Mapping[str, Any] = _NOTHING,
        /,
        *,
        along: tuple[str | Operand[V], Sequence[V]] | None = None,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | bytes | None = None,
        where: Where = None,
        keep: Keep | None = None,
        examine: int = EXAMINED_PER_PAGE,
        descending: bool | None = None,
        limit: int = 20,
        cursor: str | None = None,
        caller: str | None = None,
        on_malformed: OnMalformed = "raise",
        **fields: Any,
    ) -> Page[E]:
        """One page of records, in key order over all shards. Of the pattern's range `since` and
        `until` are included, `after` and `before` are not; `begins_with` is how its text begins, or
        how the key goes on from there.

        The fields of the partition are given by their names, or as a mapping. With `along`, a field
        of the partition key and its values, the list goes on from partition to partition in that
        order: ``along=("day", ["2025-11-17", "2025-11-16"])``. Cursors belong to `caller`, by
        default the tenant. Of the records for which `where` holds, those are listed that `keep`
        keeps. A page that had to pass over many items, `examine` of them, or had to ask often, or
        is out of time, may be short and still have a cursor. `on_malformed` is called with each
        item that does not fit its entity, and with the MalformedItem that is raised otherwise; the
        item is skipped.

        Example::

            page = store.query(Orders.of_customer, tenant="acme", customer="ann", limit=20)
            more = store.query(Orders.of_customer, tenant="acme", customer="ann", limit=20,
                               cursor=page.cursor)
        """
        require_count(limit, "limit")
        require_count(examine, "examine")
        if along is not None and (len(along) != 2 or isinstance(along[1], str)):
            raise TypeError(f'along must be ("day", [values]), not {described(along)}')
        bounds = Range(since, until, after, before, begins_with, descending)
        key = whole_key(key, fields)
        condition = self._condition(pattern, where)
        walk = Walk(
            lambda at: self._ask(pattern, {**key, **at}, bounds, condition),
            along and self._along(pattern, *along),
        )
        owner = caller or str(key.get(self.design.tenant or "", ""))
        arguments = {**walk.arguments, "where": repr(condition)}
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
            self._fill(page, walk, asked, position, keep, on_malformed)
        next_page = None
        if walk.may_have_more and self._cursors:
            next_page = self._cursors.issue(owner, pattern.name, arguments, walk.position)
        return Page(page.found, next_page, page.examined, has_more=walk.may_have_more)

    def _fill(
        self,
        page: Effort,
        walk: Walk,
        asked: Asked,
        position: Sequence[str] | None,
        keep: Keep | None,
        on_malformed: OnMalformed,
    ) -> None:
        """Look at one question's entries until the page is full or its bounds are reached."""

        def accept(record: Any) -> bool:
            return _is_sound(record, on_malformed) and (keep is None or keep.test(record))

        at_once = max(page.wanted, _TESTED_AT_ONCE) if keep else page.wanted
        reading = Reading(self._transport, self.table_name, asked, limit=at_once, position=position)
        before, unused = page.calls, 0
        with closing(iter(reading)) as entries:
            while not page.is_over:
                chunk = _next_of(entries, min(at_once, page.may_examine))
                page.calls = before + reading.calls
                if not chunk:
                    page.passed(reading.passed_over())
                    return
                shown = self._entries.shown(asked, [entry for _, entry in chunk])
                before += asked.completed
                listed = len(page.found)
                used = page.take(shown, accept)
                page.passed(reading.passed_over())
                unused = len(chunk) - used
                walk.reached(asked, *chunk[used - 1])
                skipped = used > len(page.found) - listed
                at_once = _larger(reading, at_once) if skipped else page.wanted
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
        begins_with: str | bytes | None = None,
        where: Where = None,
        descending: bool | None = None,
        at_once: int | None = None,
        on_malformed: OnMalformed = "raise",
        **fields: Any,
    ) -> Iterator[E]:
        """Every record, in key order over all shards, in as few and as large reads as can be.

        Whoever may stop early says by `at_once` how many records to read at a time. The arguments
        are those of `query`.
        """
        require_count(1 if at_once is None else at_once, "at_once")
        bounds = Range(since, until, after, before, begins_with, descending)
        asked = self._ask(pattern, whole_key(key, fields), bounds, self._condition(pattern, where))
        size = at_once or READ_CHUNK
        reading = Reading(self._transport, self.table_name, asked, limit=at_once)
        with closing(iter(reading)) as entries:
            while chunk := list(islice(entries, size)):
                shown = self._entries.shown(asked, [entry for _, entry in chunk])
                count = 0
                for record in _accepted(shown, on_malformed):
                    count += 1
                    yield record
                size = _larger(reading, size) if count < len(shown) else size

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
        begins_with: str | bytes | None = None,
        where: Where = None,
        descending: bool | None = None,
        on_malformed: OnMalformed = "raise",
        **fields: Any,
    ) -> E | None:
        """The first record of a list, or None. The arguments are those of `query`."""
        found = self.each(
            pattern,
            whole_key(key, fields),
            since=since,
            until=until,
            after=after,
            before=before,
            begins_with=begins_with,
            where=where,
            descending=descending,
            at_once=1,
            on_malformed=on_malformed,
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
        begins_with: str | bytes | None = None,
        where: Where = None,
        on_malformed: OnMalformed = "raise",
        **fields: Any,
    ) -> int:
        """How many records a list has. All of them are read; where DynamoDB can count them, none
        is sent, and malformed items count too. The arguments are those of `query`."""
        bounds = Range(since, until, after, before, begins_with)
        asked = self._ask(pattern, whole_key(key, fields), bounds, self._condition(pattern, where))
        if asked.left is None and asked.can_be_counted and not self._entries.among_others(pattern):
            lifetime = self._requests[pattern.entity].lifetime
            shards = asked.shards()
            return sum(
                self._transport.in_parallel(
                    lambda shard: counted(self._transport, self.table_name, asked, shard, lifetime),
                    shards,
                )
            )
        reading = Reading(self._transport, self.table_name, asked)
        found = 0
        with closing(iter(reading)) as entries:
            while chunk := [entry for _, entry in islice(entries, READ_CHUNK)]:
                shown = self._entries.shown(asked, chunk)
                found += sum(1 for _ in _accepted(shown, on_malformed))
        return found

    def scan(
        self,
        pattern: Scan[E],
        *,
        where: Where = None,
        segments: int = 1,
        on_malformed: OnMalformed = "raise",
    ) -> Iterator[E]:
        """Every record of an entity, in no order; `segments` are read side by side."""
        require_count(segments, "segments")
        pages = [self._segment(pattern, where, segment, segments) for segment in range(segments)]
        while pages:
            read = self._transport.in_parallel(lambda page: next(page, None), pages)
            pages = [page for page, found in zip(pages, read, strict=True) if found is not None]
            for found in read:
                yield from _accepted(found or (), on_malformed)

    def scan_page(
        self,
        pattern: Scan[E],
        *,
        where: Where = None,
        segment: int = 0,
        segments: int = 1,
        start: Item | None = None,
        limit: int | None = None,
        on_malformed: OnMalformed = "raise",
    ) -> tuple[list[E], Item | None]:
        """One page of a segment, of at most `limit` items before they are filtered; and the key
        that the next one starts after, None at the end."""
        found, following = self._scanned(pattern, where, segment, segments, start, limit)
        return list(_accepted(found, on_malformed)), following

    def _scanned(
        self,
        pattern: Scan[E],
        where: Where,
        segment: int,
        segments: int,
        start: Item | None,
        limit: int | None = None,
    ) -> tuple[list[Any], Item | None]:
        records = self._of(pattern, Scan).records
        for value, name in ((segments, "segments"), (1 if limit is None else limit, "limit")):
            require_count(value, name)
        require_count(segment, "segment", 0)
        if segment >= segments:
            raise ValueError(f"segment must be below segments, {segments}, not {segment}")
        condition = self._condition(pattern, where)
        served, remaining = split(condition, records, pattern)
        expressions = Expressions()
        params: dict[str, Any] = {"TableName": self.table_name}
        if segments > 1:
            params |= {"Segment": segment, "TotalSegments": segments}
        if pattern.index:
            params["IndexName"] = pattern.index
        if pattern.consistent:
            params["ConsistentRead"] = True
        if served is not None:
            params["FilterExpression"] = Rendering(records, expressions).condition(served)
        if start:
            params["ExclusiveStartKey"] = start
        if limit:
            params["Limit"] = limit
        answer = self._transport.call("Scan", expressions.into(params))
        found = self._entries.scanned(pattern, answer["Items"], remaining)
        return found, answer.get("LastEvaluatedKey")

    def _segment(
        self, pattern: Scan[E], where: Where, segment: int, segments: int
    ) -> Iterator[list[Any]]:
        start: Item | None = None
        while True:
            found, start = self._scanned(pattern, where, segment, segments, start)
            yield found
            if start is None:
                return

    def _of(self, pattern: Pattern[Any], kind: type[Pattern[Any]]) -> Requests:
        if not isinstance(pattern, kind) or self.design.patterns.get(pattern.name) is not pattern:
            names = [one.name for one in self.design.pattern_list if isinstance(one, kind)]
            fix = f"Pass {' or '.join(names)}" if names else f"Declare one in {self.design.id}"
            raise TypeError(
                f"{described(pattern)} is not a {kind.__name__} of table '{self.design.id}'. {fix}"
            )
        return self._requests[pattern.entity]

    def _along(
        self, pattern: Query[Any], by: str | Operand[Any], values: Sequence[Any]
    ) -> tuple[str, dict[str, Any]]:
        """The name of a field of the key, and its values by their texts in the key."""
        entity, name = self.design.entity(pattern), by if isinstance(by, str) else by.field.name
        checked = [entity.check({name: value}, partial=True)[name] for value in values]
        if None in checked:
            raise InvalidRecord(entity.name, [entity.by_name[name].refuse("is required")])
        return name, {entity.text(name, value): value for value in checked}

    def _signing(self) -> Cursors:
        if self._cursors is None:
            raise TypeError("this store was made without cursors, so it takes none")
        return self._cursors

    def _ask(
        self,
        pattern: Query[Any],
        key: Mapping[str, Any],
        bounds: Range,
        condition: Condition | None,
    ) -> Asked:
        records = self._of(pattern, Query).records
        return Asked(self.design, records, pattern, key, bounds, condition)

    def _condition(self, pattern: Listing[Any], where: Where) -> Condition | None:
        records = self._of(pattern, Scan if isinstance(pattern, Scan) else Query).records
        condition = given(records, where)
        if condition is not None:
            asked = {operand.field.name for operand in condition.operands()}
            unread = asked - self.design.readable(pattern)
            if unread:
                what = ", ".join(sorted(unread))
                raise TypeError(f"access pattern '{pattern.name}' does not read {what}")
        return condition

    def _read(self, requests: Requests, key: Mapping[str, Any], *, consistent: bool) -> Item | None:
        params = {**requests.key(key), "ConsistentRead": consistent}
        return self._transport.call("GetItem", params).get("Item")

    def _read_all(
        self, keys: list[Item], attributes: Sequence[str] | None, *, consistent: bool = False
    ) -> list[Item]:
        return read_all(self._transport, self.table_name, keys, attributes, consistent=consistent)


def _accepted(records: Sequence[Any | None], on_malformed: OnMalformed) -> Iterator[Any]:
    """The records of entries, without those that are not listed."""
    for record in records:
        if record is not None and _is_sound(record, on_malformed):
            yield record


def _is_sound(record: Any, on_malformed: OnMalformed) -> bool:
    """Return True for a record. Raise the error of a malformed item, or report it."""
    if type(record) is not MalformedItem:
        return True
    if on_malformed == "raise":
        raise record
    on_malformed(record.item, record)
    return False


def _next_of(entries: Iterator[tuple[str, Item]], most: int) -> list[tuple[str, Item]]:
    """So many entries, or those up to where a read found none: what it passed over counts first."""
    found: list[tuple[str, Item]] = []
    for one in islice(entries, most):
        found.append(one)
        if isinstance(one[1], Passed):
            break
    return found


def _larger(reading: Reading, size: int) -> int:
    """How many to read next where some were passed over: a filter that finds much reads little,
    one that finds nothing asks seldom."""
    reading.grow = _TESTED_AT_ONCE
    return max(size, min(GROWTH * size, _TESTED_AT_ONCE))
