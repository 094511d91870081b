"""One query of an access pattern: its bounds, its shards, its positions."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from tablewright.model import ALL, InvalidRecord, InvalidValue, Table
from tablewright.model.capacity import entry_bytes
from tablewright.model.key_template import HIGHEST, after, before
from tablewright.model.patterns import Query
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.merge import ShardReader, ordered, shard_limit
from tablewright.runtime.store.records import Item, Records

# How much larger each read is than the one before, where entries are passed over.
GROWTH = 4

Bounds = tuple[str | None, str | None]  # lowest and highest sort key, both included


class Asked:
    """What a caller asks of a query pattern, checked and turned into key texts."""

    def __init__(
        self,
        design: Table,
        records: Records,
        query: Query,
        where: Mapping[str, Any],
        *,
        since: Any = None,
        until: Any = None,
        descending: bool | None = None,
    ) -> None:
        self.design = design
        self.records = records
        self.query = query
        self.key = design.key_of(query)
        self.descending = query.descending if descending is None else descending
        entity = records.entity
        checked = entity.check(where, partial=True)
        self.texts = entity.texts(checked, checked)
        problems = [
            *(InvalidValue(n, "is required") for n in self._partition if n not in self.texts),
            *(InvalidValue(n, f"cannot be asked of {query.name}") for n in self._strangers()),
        ]
        if problems:
            raise InvalidRecord(entity.name, problems)
        self.since = self._bound("since", since)
        self.until = self._bound("until", until)
        if self.since and self.until and self.since > self.until:
            raise InvalidValue("until", "must not lie before the beginning of the range")

    @property
    def _partition(self) -> list[str]:
        return [name for name in self.key.pk.fields if name != "shard"]

    def _strangers(self) -> set[str]:
        """Fields given that the key condition would not look at."""
        usable = set(self._partition)
        for name in self.key.sk.fields if self.key.sk else ():
            if name not in self.texts or name == self.query.range:
                break
            usable.add(name)
        return set(self.texts) - usable

    def _bound(self, name: str, value: Any) -> str | None:
        if value is None:
            return None
        if not self.query.range:
            raise TypeError(f"access pattern '{self.query.name}' has no range")
        missing = [n for n in self._before(self.query.range) if n not in self.texts]
        if missing:
            raise InvalidValue(missing[0], f"is required with a range of {self.query.range}")
        field = self.records.entity.by_name[self.query.range]
        try:
            return field.to_text(field.check(value))
        except InvalidValue as problem:
            raise InvalidValue(name, problem.reason) from None

    def _before(self, field: str) -> tuple[str, ...]:
        """The fields of the sort key that stand before another."""
        fields = self.key.sk.fields if self.key.sk else ()
        return fields[: fields.index(field)] if field in fields else ()

    def shards(self, position: Sequence[str] | None = None) -> list[str]:
        """The shards that can hold what is asked for, in their order; from a position, its rest."""
        shards, epochs = self.key.shards, self.records.epochs
        if shards is None:
            return [""]
        if all(name in self.texts for name in shards.inputs):
            return [shards.place(self.texts, epochs)]
        since, until = self._dates(shards.dated, position)
        return shards.among(self.texts, since, until, epochs)

    def _dates(self, dated: str | None, position: Sequence[str] | None) -> Bounds:
        """The range of a field that the shards depend on, as far as it is known."""
        if dated is None:
            return None, None
        if dated in self.texts:
            return self.texts[dated], self.texts[dated]
        if dated != self.query.range or any(n not in self.texts for n in self._before(dated)):
            return None, None
        if position is None:
            return self.since, self.until
        # The list is in the order of this field: what lies before the position was listed.
        reached = position[1 + self.position_fields.index(dated)]
        return (self.since, reached) if self.descending else (reached, self.until)

    @property
    def arguments(self) -> dict[str, Any]:
        """What tells this question from another one of the same pattern."""
        return {
            **{f"where {name}": text for name, text in self.texts.items()},
            "since": self.since,
            "until": self.until,
            "descending": self.descending,
        }

    def bounds(self) -> Bounds:
        """The sort keys asked for. HIGHEST stands in no key, so it closes every open end."""
        template = self.key.sk
        if template is None:
            return None, None
        prefix = template.prefix(self.texts)
        low = prefix + (self.since or "")
        if self.until is None:
            high = prefix + HIGHEST if prefix else ""
        else:
            following = template.literals[template.fields.index(self.query.range or "") + 1]
            high = prefix + self.until + (following + HIGHEST if following else "")
        return low or None, high or None

    def full_texts(self, shard: str) -> dict[str, str]:
        return {**self.texts, "shard": shard} if self.key.shards else dict(self.texts)

    @property
    def carries_expiry(self) -> bool:
        """Whether what is read has the attribute that DynamoDB removes items by."""
        index = self.query.index
        return index is None or self.design.indexes[index].projects == ALL

    @property
    def position_fields(self) -> list[str]:
        """The fields that, with what was asked, make up all keys of an entry."""
        names = (*self.key.fields, *self.records.entity.key.fields)
        return [name for name in dict.fromkeys(names) if name not in self.texts]

    def position(self, shard: str, entry: Item) -> list[str]:
        texts = self.records.key_texts(entry, self.query.index)
        return [shard, *(texts[name] for name in self.position_fields)]

    def start_key(self, position: Sequence[str]) -> Item:
        """The keys of the entry at a position, rebuilt around what the caller asked."""
        shard, *values = position
        texts = {**self.texts, **dict(zip(self.position_fields, values, strict=True))}
        sharded = {**texts, "shard": shard} if self.key.shards else texts
        if not self.query.index:
            return self.records.key_item(sharded, None)
        # The table may be sharded in a way of its own.
        key = self.records.key_item(texts, None)
        return key | self.records.key_item(sharded, self.query.index)


class Reading:
    """A question being answered: entries in order, from the beginning or after a position.

    `limit` is how many are wanted. Once some were passed over, each further read of a shard is
    larger than the one before, up to `grow` entries.
    """

    def __init__(
        self,
        caller: Caller,
        table: str,
        asked: Asked,
        *,
        limit: int | None,
        position: Sequence[str] | None,
        executor: Executor,
    ) -> None:
        self._caller = caller
        self._table = table
        self.grow = 0
        self._asked = asked
        self._pk, self._sk = asked.design.key_attributes(asked.query.index)
        self._shards = asked.shards(position)
        self._limit = limit and shard_limit(
            limit, len(self._shards), entry_bytes(asked.design, asked.query)
        )
        self._readers = list(self._make_readers(position))
        self._given: dict[str, int] = {}
        self._stream = ordered(
            self._readers,
            self._sort_key,
            descending=asked.descending,
            executor=executor,
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
                    bounds = self._beyond(reached, listed, low, high)
            if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
                continue
            yield ShardReader(shard, self._fetcher(shard, bounds), start_here)

    def _beyond(self, reached: str, listed: bool, low: str | None, high: str | None) -> Bounds:
        if self._asked.descending:
            return low, before(reached) if listed else reached
        return after(reached) if listed else reached, high

    def _fetcher(self, shard: str, bounds: Bounds) -> Any:
        asked, expressions = self._asked, Expressions()
        pk = asked.key.pk.format(asked.full_texts(shard))
        condition = expressions.equal(self._pk, {asked.records.kind(self._pk): pk})
        if self._sk:
            condition += _between(expressions, self._sk, asked.records.kind(self._sk), bounds)
        params: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": condition,
            "ScanIndexForward": not asked.descending,
        }
        if asked.query.index:
            params["IndexName"] = asked.query.index
        if asked.query.consistent:
            params["ConsistentRead"] = True
        if asked.query.select and not asked.query.hydrate:
            names = asked.records.stored_names(asked.query.select)
            names += [asked.design.ttl] if asked.design.ttl and asked.carries_expiry else []
            keys = [n for n in (*asked.design.key_attributes(None), self._pk, self._sk) if n]
            params["ProjectionExpression"] = expressions.projection(names + keys)
        expressions.into(params)
        limit = self._limit

        def fetch(start: Item | None) -> tuple[list[Item], Item | None]:
            nonlocal limit
            page = params if start is None else {**params, "ExclusiveStartKey": start}
            if limit:
                limit = max(limit, min(GROWTH * limit, self.grow))
                page = {**page, "Limit": limit}
            answer = self._caller.call("Query", page)
            return answer["Items"], answer.get("LastEvaluatedKey")

        return fetch


def _between(expressions: Expressions, attribute: str, kind: str, bounds: Bounds) -> str:
    name = expressions.name(attribute) if any(bounds) else ""
    low, high = (text and expressions.value({kind: text}) for text in bounds)
    if low and high:
        return f" AND {name} BETWEEN {low} AND {high}"
    if low:
        return f" AND {name} >= {low}"
    return f" AND {name} <= {high}" if high else ""
