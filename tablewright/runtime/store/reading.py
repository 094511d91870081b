"""Reading: the entries that answer a question, in order, over all shards."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from tablewright.model.capacity import entry_bytes
from tablewright.model.key_template import after, before
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.conditions import Rendering
from tablewright.runtime.store.expired import Lifetime
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.merge import Fetch, ShardReader, ordered, shard_limit
from tablewright.runtime.store.query import Asked, Bounds, Params
from tablewright.runtime.store.records import Item
from tablewright.runtime.transport import Transport

# How much larger each read is than the one before, where entries are passed over.
GROWTH = 4


class Passed(dict[str, Wire]):
    """In place of an entry: the key up to which DynamoDB found none that meets the condition."""


class Reading:
    """A question being answered: entries in order, from the beginning or after a position.

    `limit` is how many are wanted. Once some were passed over, each further read of a shard is
    larger than the one before, up to `grow` entries.
    """

    def __init__(
        self,
        transport: Transport,
        table: str,
        asked: Asked,
        *,
        limit: int | None = None,
        position: Sequence[str] | None = None,
    ) -> None:
        self._transport = transport
        self._table = table
        self.grow = 0
        self._asked = asked
        self._sk = asked.attributes.sort[0] if asked.attributes.sort else None
        self._shards = asked.shards(position)
        self._wanted = limit
        self._limit = limit and shard_limit(
            limit, len(self._shards), entry_bytes(asked.design, asked.query)
        )
        self._readers = list(self._make_readers(position))
        self._given: dict[str, int] = {}
        self._passed = 0
        self._stream = ordered(
            self._readers,
            self._sort_key,
            descending=asked.descending,
            transport=transport,
            whole=limit is None,
        )

    def __iter__(self) -> Generator[tuple[str, Item], None, None]:
        try:
            for shard, entry in self._stream:
                self._given[shard] = self._given.get(shard, 0) + 1
                yield shard, entry
        finally:
            for reader in self._readers:
                reader.settle()

    @property
    def calls(self) -> int:
        """How many reads there have been."""
        return sum(reader.reads for reader in self._readers)

    @property
    def may_have_more(self) -> bool:
        return any(r.unread or r.fetched > self._given.get(r.shard, 0) for r in self._readers)

    def _sort_key(self, entry: Item) -> str:
        if self._sk is None:
            return ""
        (text,) = entry[self._sk].values()
        return str(text)

    def _make_readers(self, position: Sequence[str] | None) -> Iterator[ShardReader[Item]]:
        low, high = self._asked.bounds()
        start = self._asked.start_key(position) if position else None
        for shard in self._shards:
            bounds, start_here = (low, high), None
            if position and start:
                if shard == position[0]:
                    start_here = start
                elif self._sk:
                    (reached,) = start[self._sk].values()
                    # Among equal sort keys, earlier shards were listed before, later ones after.
                    # Shards are numbered, and there may be more of them than at the last page.
                    listed = int(shard) < int(position[0])
                    if listed and not self._asked.bounded:
                        continue
                    bounds = self._beyond(reached, listed, low, high)
            if self._asked.none_between(bounds):
                continue
            yield ShardReader(shard, self._fetcher(shard, bounds), start_here)

    def _beyond(self, reached: str, listed: bool, low: str | None, high: str | None) -> Bounds:
        if self._asked.descending:
            return low, before(reached) if listed else reached
        return after(reached) if listed else reached, high

    def passed_over(self) -> int:
        """How many items DynamoDB has looked at since the last time, and did not send."""
        passed, self._passed = self._passed, 0
        return passed

    def _fetcher(self, shard: str, bounds: Bounds) -> Fetch[Item]:
        asked, expressions = self._asked, Expressions()
        params = asked.params(self._table, shard, bounds, expressions)
        if asked.selects:
            params["ProjectionExpression"] = expressions.projection(self._selected())
        if asked.served is not None:
            rendering = Rendering(asked.records, expressions)
            params["FilterExpression"] = rendering.condition(asked.served)
        expressions.into(params)
        limit = self._limit

        def fetch(start: Item | None) -> tuple[list[Item], Item | None]:
            nonlocal limit
            page = params if start is None else {**params, "ExclusiveStartKey": start}
            if limit:
                limit = max(limit, min(GROWTH * limit, self.grow))
                page = {**page, "Limit": min(limit, self._missing() or limit)}
            answer = self._transport.call("Query", page)
            items, last = answer["Items"], answer.get("LastEvaluatedKey")
            if asked.served is not None:
                self._passed += answer["ScannedCount"] - len(items)
                if last and not (items and last.items() <= items[-1].items()):
                    items = [*items, Passed(last)]
                    self._passed -= 1  # the one at this key is counted as an entry
            return items, last

        return fetch

    def _missing(self) -> int:
        """The most that one more read can give to the records that are wanted; 0 if not known."""
        given = sum(self._given.values())
        # Where some are passed over, nobody knows how many it takes.
        return self._wanted - given % self._wanted if self._wanted and not self.grow else 0

    def _selected(self) -> list[str]:
        """The attributes that are read where not all are."""
        asked, design = self._asked, self._asked.design
        names = asked.records.stored_names(asked.query.select or ())
        names += [design.ttl] if design.ttl and design.carries_expiry(asked.query.index) else []
        names += [design.entity_type] if design.entity_type else []
        return [*names, *design.key.names, *asked.attributes.names]


def counted(transport: Transport, table: str, asked: Asked, shard: str, lifetime: Lifetime) -> int:
    """How many entries of a shard there are."""
    expressions, bounds = Expressions(), asked.bounds()
    if asked.none_between(bounds):
        return 0
    params = asked.params(table, shard, bounds, expressions)
    conditions = [] if asked.query.expired else lifetime.not_past(expressions)
    if asked.tenant_keys is not None:
        conditions.append(asked.tenant_keys.condition(expressions))
    if asked.served is not None:
        conditions.append(f"({Rendering(asked.records, expressions).condition(asked.served)})")
    if conditions:
        params["FilterExpression"] = " AND ".join(conditions)
    expressions.into(params)
    found, start = 0, None
    while True:
        more: Params = {"ExclusiveStartKey": start} if start else {}
        answer = transport.call("Query", {**params, "Select": "COUNT", **more})
        found += int(answer["Count"])
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return found
