"""One query of an access pattern: its bounds, its shards, its positions."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from decimal import Decimal
from os.path import commonprefix
from typing import Any, NamedTuple

from tablewright.model import ALL, Design, InvalidRecord, InvalidValue
from tablewright.model.capacity import entry_bytes
from tablewright.model.errors import KeyMismatch
from tablewright.model.key_template import HIGHEST, after, before
from tablewright.model.patterns import Collection, Query
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.merge import ShardReader, ordered, shard_limit
from tablewright.runtime.store.records import Item, Records

# How much larger each read is than the one before, where entries are passed over.
GROWTH = 4

Bounds = tuple[str | None, str | None]  # lowest and highest sort key, both included


class Range(NamedTuple):
    """Bounds of the field that a query can be bounded by: `since` and `until` are included, `after`
    and `before` are not; `begins_with` is the beginning of a text."""

    since: Any = None
    until: Any = None
    after: Any = None
    before: Any = None
    begins_with: str | None = None
    descending: bool | None = None


class Asked:
    """What a caller asks of a query pattern, checked and turned into key texts."""

    def __init__(
        self,
        design: Design,
        records: Records,
        query: Query[Any],
        where: Mapping[str, Any],
        bounds: Range,
    ) -> None:
        self.design = design
        self.records = records
        self.query = query
        self.key = design.key_of(query)
        self.descending = query.descending if bounds.descending is None else bounds.descending
        entity = records.entity
        checked = entity.check(where, partial=True)
        self.given = checked
        self.texts = entity.texts(checked, checked)
        problems = [
            *(InvalidValue(n, "is required") for n in self._partition if n not in self.texts),
            *(InvalidValue(n, f"cannot be asked of {query.name}") for n in self._strangers()),
        ]
        if problems:
            raise InvalidRecord(entity.name, problems)
        self.since = self._bound("since", bounds.since)
        self.until = self._bound("until", bounds.until)
        self.after = self._bound("after", bounds.after)
        self.before = self._bound("before", bounds.before)
        self.beginning = self._beginning(bounds.begins_with)
        if self._is_empty():
            raise InvalidValue("until", "must not lie before the beginning of the range")

    def _is_empty(self) -> bool:
        low, high = self.since or self.after, self.until or self.before
        if not low or not high:
            return False
        if self.is_number:
            return Decimal(low) > Decimal(high)
        return low > high

    @property
    def is_number(self) -> bool:
        """Whether what can be bounded is a number that is the sort key itself."""
        return self.query.range in self.records.entity.number_keys

    def _beginning(self, text: str | None) -> str | None:
        if text is None:
            return None
        self._needs_range()
        if self.is_number or not isinstance(text, str) or not text:
            raise InvalidValue("begins_with", f"must be the beginning of a text {self.query.range}")
        return text

    def leaves_out(self, entry: Item) -> bool:
        """Whether an entry is a bound that is not included: of numbers there is no next one."""
        _, sort = self.design.key_attributes(self.query.index)
        if not self.is_number or not sort or not (self.after or self.before):
            return False
        number = Decimal(entry[sort]["N"])
        return any(one and number == Decimal(one) for one in (self.after, self.before))

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
        field = self.records.entity.by_name[self._needs_range()]
        try:
            return self.records.entity.text(field.name, field.check(value))
        except InvalidValue as problem:
            raise InvalidValue(name, problem.reason) from None

    def _needs_range(self) -> str:
        if not self.query.range:
            raise TypeError(f"access pattern '{self.query.name}' has no range")
        missing = [n for n in self._before(self.query.range) if n not in self.texts]
        if missing:
            raise InvalidValue(missing[0], f"is required with a range of {self.query.range}")
        return self.query.range

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
        if position is None or not position[1:2] or not position[1]:
            return self.since or self.after, self.until or self.before
        # The list is in the order of this field: what lies before the position was listed.
        reached = position[1 + self.position_fields.index(dated)]
        low, high = self.since or self.after, self.until or self.before
        return (low, reached) if self.descending else (reached, high)

    @property
    def arguments(self) -> dict[str, Any]:
        """What tells this question from another one of the same pattern."""
        return {
            **{f"where {name}": text for name, text in self.texts.items()},
            "since": self.since,
            "until": self.until,
            "descending": self.descending,
            **{
                name: text
                for name, text in (
                    ("after", self.after),
                    ("before", self.before),
                    ("begins_with", self.beginning),
                )
                if text
            },
        }

    def bounds(self) -> Bounds:
        """The sort keys asked for. HIGHEST stands in no key, so it closes every open end."""
        template = self.key.sk
        if template is None:
            return None, None
        if self.is_number:
            return self.since or self.after, self.until or self.before
        if isinstance(self.query, Collection):
            prefix = self._common_prefix()
            return prefix or None, prefix + HIGHEST if prefix else None
        prefix = template.prefix(self.texts) + (self.beginning or "")
        low, high = prefix, prefix + HIGHEST if prefix else ""
        if not self.query.range:
            return low or None, high or None
        following = template.literals[template.fields.index(self.query.range) + 1]
        # The highest key that has a value in the range's place.
        last = following + HIGHEST if following else ""
        start = template.prefix(self.texts)
        lows = [low, start + (self.since or "")]
        lows += [after(start + self.after + last)] if self.after else []
        highs = [high] if high else []
        highs += [start + self.until + last] if self.until else []
        highs += [before(start + self.before)] if self.before else []
        return max(lows) or None, min(highs, default="") or None

    def _common_prefix(self) -> str:
        """How the sort keys begin that all entities of a collection can have."""
        index, found = self.query.index, []
        for name in self.query.entities:
            entity = self.design.entities[name]
            key = entity.indexed[index] if index else entity.key
            found.append(key.sk.prefix(self.texts) if key.sk else "")
        return commonprefix(found)  # noqa: RUF071 - texts, not paths

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
        try:
            texts = self.records.key_texts(entry, self.query.index)
        except KeyMismatch:
            # Of another entity, whose keys have other parts. No field's text is empty.
            raw = (text for name in self._other_keys for text in entry[name].values())
            return [shard, "", *map(str, raw)]
        return [shard, *(texts[name] for name in self.position_fields)]

    @property
    def _other_keys(self) -> list[str]:
        """All key attributes of an entry but the partition that is asked for."""
        own, sort = self.design.key_attributes(self.query.index)
        names = (sort, *self.design.key_attributes(None))
        return [name for name in dict.fromkeys(names) if name and name != own]

    def start_key(self, position: Sequence[str]) -> Item:
        """The keys of the entry at a position, rebuilt around what the caller asked."""
        shard, *values = position
        if values and not values[0]:
            return self._raw_start(shard, values[1:])
        texts = {**self.texts, **dict(zip(self.position_fields, values, strict=True))}
        sharded = {**texts, "shard": shard} if self.key.shards else texts
        if not self.query.index:
            return self.records.key_item(sharded, None)
        # The table may be sharded in a way of its own.
        key = self.records.key_item(texts, None)
        return key | self.records.key_item(sharded, self.query.index)

    def _raw_start(self, shard: str, values: Sequence[str]) -> Item:
        """The keys of another entity's entry: its partition is that of the caller's question."""
        own, _ = self.design.key_attributes(self.query.index)
        partition = self.key.pk.format(self.full_texts(shard))
        key = {own: {self.records.kind(own): partition}}
        for name, text in zip(self._other_keys, values, strict=True):
            key[name] = {self.records.kind(name): text}
        return key


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
