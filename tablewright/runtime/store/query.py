"""One query of an access pattern: its bounds, its shards, its positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import takewhile
from os.path import commonprefix
from typing import Any

from tablewright.model import Design, InvalidRecord, InvalidValue
from tablewright.model.conditions import Condition
from tablewright.model.entity import KeyAttributes
from tablewright.model.errors import KeyMismatch
from tablewright.model.key_template import HIGHEST, SORT_KEY_BYTES, Template, after, before
from tablewright.model.patterns import Collection, Query
from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.conditions import split
from tablewright.runtime.store.expressions import Expressions
from tablewright.runtime.store.records import Item, Records, key_text
from tablewright.runtime.store.tenant_keys import TenantKeys

Params = dict[str, Any]
Bounds = tuple[str | None, str | None]  # lowest and highest sort key, both included


class Range:
    """Bounds of the field that a query can be bounded by: `since` and `until` are included, `after`
    and `before` are not; `begins_with` is the beginning of a text."""

    __slots__ = ("after", "before", "begins_with", "descending", "since", "until")

    def __init__(
        self,
        since: Any = None,
        until: Any = None,
        after: Any = None,
        before: Any = None,
        begins_with: str | bytes | None = None,
        descending: bool | None = None,
    ) -> None:
        self.since = since
        self.until = until
        self.after = after
        self.before = before
        self.begins_with = begins_with
        self.descending = descending


class Asked:
    """What a caller asks of a query pattern, checked and turned into key texts.

    `served` is the condition that DynamoDB looks at, `left` the one that is left to do here;
    `completed` is whether entries are completed from the table; `selects` is whether no more is
    read than the attributes that are wanted. `tenant_keys` are the keys that items of the caller's
    tenant have, for an index of a tenant.
    """

    def __init__(
        self,
        design: Design,
        records: Records,
        query: Query[Any],
        where: Mapping[str, Any],
        bounds: Range,
        condition: Condition | None = None,
    ) -> None:
        self.served, self.left = split(condition, records, query)
        self.design = design
        self.records = records
        self.query = query
        self.key = design.key_of(query)
        self.completed = design.completes(query)
        self.selects = bool(query.select) and not self.completed
        self.descending = query.descending if bounds.descending is None else bounds.descending
        entity = records.entity
        checked = entity.check(where, partial=True)
        self.given = checked
        self.texts = entity.texts(checked, checked)
        problems = [
            *(InvalidValue(n, "is required") for n in self._missing()),
            *(InvalidValue(n, f"cannot be asked of {query.name}") for n in self._strangers()),
        ]
        if problems:
            raise InvalidRecord(entity.name, problems)
        self.tenant_keys = TenantKeys.of(design, query, self.texts)
        self.since = self._bound("since", bounds.since)
        self.until = self._bound("until", bounds.until)
        self.after = self._bound("after", bounds.after)
        self.before = self._bound("before", bounds.before)
        self.beginning = self._beginning(bounds.begins_with)
        if self._is_empty():
            raise InvalidValue("until", "must not lie before the beginning of the range")

    def _is_empty(self) -> bool:
        return self.none_between((self.since or self.after, self.until or self.before))

    def none_between(self, bounds: Bounds) -> bool:
        """Whether no key can lie between these texts: those of numbers are compared as numbers."""
        low, high = bounds
        if not low or not high:
            return False
        return Decimal(low) > Decimal(high) if self._range_kind == "N" else low > high

    @property
    def _range_kind(self) -> str:
        """The type of the sort key that can be bounded: a field's own, if it is that field."""
        bounded = self.bounded
        return self.design.kind(bounded[0]) if bounded and self.query.range else "S"

    def _beginning(self, text: str | bytes | None) -> str | None:
        if text is None:
            return None
        self._needs_range()
        kind = self._range_kind
        if kind == "N" or not isinstance(text, bytes if kind == "B" else str) or not text:
            what = {"N": "cannot be asked of a number", "B": "must be bytes"}.get(
                kind, "must be a text"
            )
            raise InvalidValue("begins_with", f"{what}, not empty: it is for {self.query.range}")
        text = text.hex() if isinstance(text, bytes) else text
        if kind == "S" and not self._can_begin(text):
            field = self.records.entity.by_name[self.query.range or ""]
            remedy = (
                "" if field.kind == "S" else ": numbers are padded in keys, ask since and until"
            )
            raise InvalidValue(
                "begins_with", f"cannot be {text!r}, which no {field.name} begins with{remedy}"
            )
        return text

    def _can_begin(self, text: str) -> bool:
        """True if a value of the range's field can begin with a text, and no key with a shorter
        value does."""
        name = self.query.range or ""
        field = self.records.entity.by_name[name]
        template = next(one for one in self.key.sort if name in one.fields)
        if not field.begins(text) or template.refuses(text):
            return False
        following, is_last = self._following(template)
        return is_last or not any(
            text.startswith(following[:1], at) and field.fits_text(text[:at])
            for at in range(1, len(text))
        )

    @property
    def reads_more(self) -> bool:
        """True if more is read than lies in the range: see `leaves_out`."""
        return self._range_kind != "S" and bool(self.after or self.before)

    def leaves_out(self, entry: Item) -> bool:
        """True for an entry that was read and does not lie in the range: numbers and bytes have no
        next one, by which a bound could be left out."""
        if not self.bounded:
            return False
        text = key_text(entry[self.bounded[0]])
        if self._range_kind == "N":
            return Decimal(text) in (Decimal(one) for one in (self.after, self.before) if one)
        return self._range_kind == "B" and text in (self.after, self.before)

    @property
    def _partition(self) -> list[str]:
        return list(self.key.partition_fields)

    def _sources(self, name: str) -> tuple[str, ...]:
        """What a part of the key is given by: itself, or the fields that it is computed from."""
        computed = self.records.entity.computed.get(name)
        return computed.inputs if computed else (name,)

    def _missing(self) -> list[str]:
        wanted = (one for name in self._partition for one in self._sources(name))
        return [name for name in dict.fromkeys(wanted) if name not in self.texts]

    def _strangers(self) -> set[str]:
        """Fields given that the key condition would not look at."""
        usable = set(self._partition)
        for name in self.key.sort_fields:
            if name not in self.texts:
                break
            usable.add(name)
        return set(self.given) - {one for name in usable for one in self._sources(name)}

    def _bound(self, name: str, value: Any) -> str | None:
        if value is None:
            return None
        entity, field = self.records.entity, self.records.entity.by_name[self._needs_range()]
        try:
            if field.name in entity.number_keys:
                # Of a key that is the number itself, any number is a bound.
                return entity.text(field.name, field.compared(value))
            return entity.text(field.name, field.check(value))
        except InvalidValue as problem:
            raise InvalidValue(name, problem.reason) from None

    def _needs_range(self) -> str:
        if not self.query.range:
            raise TypeError(f"access pattern '{self.query.name}' has no range")
        if self.query.range in self.texts:
            raise InvalidValue(self.query.range, "is given already, and has no range then")
        missing = [n for n in self._before(self.query.range) if n not in self.texts]
        if missing:
            raise InvalidValue(missing[0], f"is required with a range of {self.query.range}")
        return self.query.range

    def _before(self, field: str) -> tuple[str, ...]:
        """The fields of the sort key that stand before another."""
        fields = self.key.sort_fields
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

    @property
    def attributes(self) -> KeyAttributes:
        return self.design.key_attributes(self.query.index)

    @property
    def partition(self) -> list[tuple[str, Template]]:
        """The attributes of the partition key, with their forms."""
        return list(zip(self.attributes.partition, self.key.partition, strict=True))

    def _is_whole(self, template: Template) -> bool:
        """Whether all of an attribute of the sort key is given."""
        if isinstance(self.query, Collection):
            return False
        return all(name in self.texts for name in template.fields)

    @property
    def fixed(self) -> list[tuple[str, str]]:
        """The first attributes of the sort key, as far as their texts are known."""
        sort = zip(self.attributes.sort, self.key.sort, strict=True)
        known = takewhile(lambda one: self._is_whole(one[1]), sort)
        return [(attribute, template.format(self.texts)) for attribute, template in known]

    @property
    def bounded(self) -> tuple[str, Template] | None:
        """The attribute of the sort key that bounds are for: the first that is not fixed."""
        sort = zip(self.attributes.sort, self.key.sort, strict=True)
        return next((one for one in sort if not self._is_whole(one[1])), None)

    def bounds(self) -> Bounds:
        """The texts asked for of the attribute that is bounded. HIGHEST stands in no key, so it
        closes every open end."""
        bounded = self.bounded
        if bounded is None:
            return None, None
        template = bounded[1]
        if self._range_kind != "S" and self.query.range in template.fields:
            return self._native_bounds()
        if isinstance(self.query, Collection):
            prefix = self._common_prefix()
            return prefix or None, prefix + HIGHEST if prefix else None
        prefix = template.prefix(self.texts) + (self.beginning or "")
        low, high = prefix, prefix + HIGHEST if prefix else ""
        if self.query.range not in template.fields or self.query.range in self.texts:
            return low or None, high or None
        following, is_last = self._following(template)
        # The highest key that has a value in the range's place: validation proves that keys sort
        # as the values of a range do.
        last = "" if is_last else following + HIGHEST
        start = template.prefix(self.texts)
        lows = [low, start + (self.since or "")]
        if self.after:
            lows.append(after(start + self.after + last))
        highs = [high] if high else []
        highs += [start + self.until + last] if self.until else []
        highs += [before(start + self.before)] if self.before else []
        return max(lows) or None, min(highs, default="") or None

    def _native_bounds(self) -> Bounds:
        """Bounds of a sort key that is a number, or bytes."""
        order = Decimal if self._range_kind == "N" else str
        lows = [text for text in (self.since, self.after, self.beginning) if text]
        highs = [text for text in (self.until, self.before) if text]
        if self.beginning:
            highs.append(self.beginning.ljust(2 * SORT_KEY_BYTES, "f"))
        return max(lows, key=order, default=None), min(highs, key=order, default=None)

    def _following(self, template: Template) -> tuple[str, bool]:
        """The words after the field with the range, and True if the key ends with that field."""
        if self.query.range not in template.fields:
            return "", True
        at = template.fields.index(self.query.range)
        following = template.literals[at + 1]
        return following, not following and at + 1 == len(template.fields)

    def _common_prefix(self) -> str:
        """How the sort keys begin that all entities of a collection can have."""
        index, found = self.query.index, []
        for name in self.query.entities:
            entity = self.design.entities[name]
            key = entity.indexed[index] if index else entity.key
            found.append(key.sort[0].prefix(self.texts) if key.sort else "")
        return commonprefix(found)  # noqa: RUF071 - texts, not paths

    def full_texts(self, shard: str) -> dict[str, str]:
        return {**self.texts, "shard": shard} if self.key.shards else dict(self.texts)

    @property
    def can_be_counted(self) -> bool:
        """Whether every entry that DynamoDB finds is one of the list, so that it can count them."""
        seen = self.query.expired or self.design.carries_expiry(self.query.index)
        hidden = self.records.entity.expires and not seen
        more = isinstance(self.query, Collection) or self.completed or self.reads_more
        keys = self.tenant_keys
        return not hidden and not more and (keys is None or keys.can_be_served)

    def params(self, table: str, shard: str, bounds: Bounds, expressions: Expressions) -> Params:
        """The request for entries of a shard; its expressions are still to be added."""
        texts = self.full_texts(shard)
        equal = [(name, template.format(texts)) for name, template in self.partition]
        conditions = [
            expressions.equal(name, self.records.wire(name, text))
            for name, text in (*equal, *self.fixed)
        ]
        if self.bounded and any(bounds):
            name, _ = self.bounded
            low, high = (text and self.records.wire(name, text) for text in bounds)
            conditions.append(_between(expressions, name, low or None, high or None))
        params: Params = {
            "TableName": table,
            "KeyConditionExpression": " AND ".join(conditions),
            "ScanIndexForward": not self.descending,
        }
        if self.query.index:
            params["IndexName"] = self.query.index
        if self.query.consistent:
            params["ConsistentRead"] = True
        return params

    @property
    def position_fields(self) -> list[str]:
        """The fields that, with what was asked, make up all keys of an entry."""
        names = (*self.key.fields, *self.records.entity.key.fields)
        return [name for name in dict.fromkeys(names) if name not in self.texts]

    def position(self, shard: str, entry: Item) -> list[str]:
        try:
            if self.tenant_keys is None or self.tenant_keys.includes(entry):
                texts = self.records.key_texts(entry, self.query.index)
                return [shard, *(texts[name] for name in self.position_fields)]
        except KeyMismatch:
            pass
        # Of another entity or tenant, whose keys have other parts. No field's text is empty.
        return [shard, "", *(key_text(entry[name]) for name in self._other_keys)]

    @property
    def _other_keys(self) -> list[str]:
        """All key attributes of an entry but the partition that is asked for."""
        names = (*self.attributes.sort, *self.design.key.names)
        return [name for name in dict.fromkeys(names) if name not in self.attributes.partition]

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
        texts = self.full_texts(shard)
        key = {
            name: self.records.wire(name, template.format(texts))
            for name, template in self.partition
        }
        for name, text in zip(self._other_keys, values, strict=True):
            key[name] = self.records.wire(name, text)
        return key


def _between(expressions: Expressions, attribute: str, low: Wire | None, high: Wire | None) -> str:
    name = expressions.name(attribute)
    if low and high:
        return f"{name} BETWEEN {expressions.value(low)} AND {expressions.value(high)}"
    if low:
        return f"{name} >= {expressions.value(low)}"
    return f"{name} <= {expressions.value(high or {})}"
