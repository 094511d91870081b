"""A version of an application: it writes at random, and checks every access pattern."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from tablewright.runtime.errors import AlreadyExists
from tablewright.runtime.store.store import Store
from tests.unit.changes.oracle.designs import (
    NOW,
    REQUIRED,
    DesignSpec,
    EntitySpec,
    FieldSpec,
    KeySpec,
    Values,
)
from tests.unit.changes.oracle.truth import Expected, Truth, is_past

# Few keys, so that versions meet at them.
_KEY_VALUES = 3
_BLIND = ("Put", "Put", "BatchPut")
_VERBS = (*_BLIND, "Create", "Update", "Update", "Update", "Delete")


class Version:
    """Old or new code: a store of its design, and the truth that all versions share."""

    def __init__(
        self,
        label: str,
        spec: DesignSpec,
        client: Any,
        truth: Truth,
        table: str,
        refused: tuple[type[Exception], ...] = (),
    ) -> None:
        self.label, self.spec, self.truth, self._refused = label, spec, truth, refused
        self.store = Store(spec.table, table, client, now=lambda: NOW)

    def _pattern(self, verb: str, entity: EntitySpec) -> Any:
        return getattr(self.spec.table, f"{verb}_of_{entity.meaning}", None)

    def write(self, rng: Random, *, is_blind: bool = False) -> str | None:
        """Write at random, without a read if it `is_blind`, and return what went wrong."""
        entity = rng.choice(self.spec.entities)
        verb = rng.choice(_BLIND if is_blind else _VERBS)
        values = random_values(rng, entity)
        known = [row for row in self.truth.rows if row.entity == entity.meaning]
        if known and rng.random() < 0.7:
            view = entity.view(rng.choice(known).values)
            values |= {m: view[m] for m in entity.key.meanings}
        if any(values[m] not in entity.by_meaning[m].type.values for m in entity.key.meanings):
            return None  # a key that this version does not accept
        rows = self.truth.matching(self.spec, entity.meaning, values)
        if not rows or any(row.is_past or is_past(entity, row.values) for row in rows):
            verb = "Put"
        if self._pattern(verb, entity) is None:
            return None
        write = {"Update": self._update, "Delete": self._delete}.get(verb)
        try:
            return write(rng, entity, values) if write else self._put(verb, entity, values)
        except self._refused:
            return None
        except Exception as error:
            return f"{self.label} cannot {verb} {entity.name} {values}: {error!r}"

    def _put(self, verb: str, entity: EntitySpec, values: Values) -> str | None:
        pattern, record = self._pattern(verb, entity), _python(entity, values)
        occupied = self.truth.occupied(self.spec, entity.meaning, values)
        if verb == "Create":
            occupied |= bool(self.truth.matching(self.spec, entity.meaning, values))
        try:
            if verb == "BatchPut":
                self.store.put_many(pattern, [pattern.of(**record)])
            else:
                self.store.put(pattern, pattern.of(**record))
        except AlreadyExists:
            return None if occupied else f"{self.label} finds an item at {values}"
        if occupied:
            return f"{self.label} replaced an item by {entity.name} {values}"
        self.truth.put(self.spec, entity.meaning, values)
        return None

    def _update(self, rng: Random, entity: EntitySpec, values: Values) -> str | None:
        free = [m for m in entity.by_meaning if m not in entity.key.meanings]
        changes = {m: values[m] for m in rng.sample(free, min(len(free), 2))}
        key = {m: values[m] for m in entity.key.meanings}
        named = {entity.by_meaning[m].name: None for m in changes} | _python(entity, changes)
        pattern = self._pattern("Update", entity)
        record = self.store.update(pattern, _python(entity, key), named) if changes else None
        self.truth.update(self.spec, entity.meaning, key, changes)
        (row,) = self.truth.matching(self.spec, entity.meaning, key)
        expected = Expected(row, entity, entity.view(row.values), False)
        if changes and not expected.is_read_as(record, entity.by_meaning):
            return f"{self.label} updated {expected} and got {record!r}"
        return None

    def _delete(self, _: Random, entity: EntitySpec, values: Values) -> str | None:
        key = {m: values[m] for m in entity.key.meanings}
        deleted = self.store.delete(self._pattern("Delete", entity), _python(entity, key))
        self.truth.delete(self.spec, entity.meaning, key)
        return f"{self.label} does not find {key} to delete" if deleted is None else None

    def check(self, *, indexes: Iterable[str] | None = None) -> Iterator[str]:
        """What this version reads otherwise than it must; of `indexes` alone, if they are named."""
        for entity in self.spec.entities:
            rows = [*self.truth.expected(self.spec, entity.meaning)]
            yield from self._guarded(self._gets(entity, rows))
            yield from self._guarded(self._lists(entity, None, rows))
            for name in entity.indexed:
                if indexes is None or name in indexes:
                    yield from self._guarded(self._lists(entity, name, rows))
            records = self.store.scan(self._pattern("Scan", entity))
            yield from self._guarded(_compare("Scan", rows, records, entity.by_meaning))
        yield from self._guarded(self._collection())

    def _guarded(self, problems: Iterator[str]) -> Iterator[str]:
        try:
            for text in problems:
                yield f"{self.label}: {text}"
        except Exception as error:
            yield f"{self.label} cannot read: {error!r}"

    def _gets(self, entity: EntitySpec, rows: list[Expected]) -> Iterator[str]:
        get, keys = self._pattern("Get", entity), []
        for one in rows:
            if not one.is_readable:
                yield f"{one} has a value that this version cannot have"
                continue
            keys.append(one.arguments(entity.key.meanings))
            record = self.store.get(get, keys[-1])
            missing = record is None and one.may_be_missing
            if not missing and not one.is_read_as(record, entity.by_meaning):
                yield f"Get: {one} is read as {record!r}"
        if len({*map(repr, keys)}) < len(keys):
            yield f"{entity.name}: different records have one key"
            return
        records = self.store.get_many(self._pattern("BatchGet", entity), keys)
        yield from _compare("BatchGet", rows, records, entity.by_meaning)
        for values in (random_values(Random(n), entity) for n in range(3)):
            if not self.truth.matching(self.spec, entity.meaning, values):
                key = {m: values[m] for m in entity.key.meanings}
                record = self.store.get(get, _python(entity, key))
                if record is not None:
                    yield f"Get: {record!r} was never written"

    def _lists(self, entity: EntitySpec, index: str | None, rows: list[Expected]) -> Iterator[str]:
        """Every partition, and the range of each value in it."""
        name, key = "Query", entity.key
        readable: Iterable[str] = entity.by_meaning
        if index:
            name, key = f"{name}_{index}", entity.indexed[index]
            rows = [one for one in rows if all(one.view[m] is not None for m in key.meanings)]
            readable = self.spec.readable(entity, index)
        pattern = self._pattern(name, entity)
        for group in _partitions(rows, key):
            arguments = group[0].arguments(key.partition)
            records = self.store.each(pattern, **arguments)
            yield from _compare(name, group, records, readable, key.sk)
            for one in group if pattern.range else ():
                at = one.python(key.sort[0])
                same = [other for other in group if other.python(key.sort[0]) == at]
                records = self.store.each(pattern, **arguments, since=at, until=at)
                yield from _compare(f"{name} at {at}", same, records, readable)

    def _collection(self) -> Iterator[str]:
        pattern, first = getattr(self.spec.table, "Collection", None), self.spec.entities[0]
        if pattern is None:
            return
        listed = [e for e in self.spec.entities if e.key.pk == first.key.pk]
        rows = [one for e in listed for one in self.truth.expected(self.spec, e.meaning)]
        for group in _partitions(rows, first.key):
            names = ((first.by_meaning[m].name, group[0].python(m)) for m in first.key.partition)
            yield from _compare("Collection", group, self.store.each(pattern, **dict(names)))


def _python(entity: EntitySpec, values: Values) -> dict[str, Any]:
    known = ((entity.by_meaning[m], value) for m, value in values.items() if value is not None)
    return {one.name: one.to_python(value) for one, value in known}


def _partitions(rows: list[Expected], key: KeySpec) -> list[list[Expected]]:
    groups: dict[str, list[Expected]] = defaultdict(list)
    for one in rows:
        if all(one.view.get(m) is not REQUIRED for m in key.meanings):
            groups[one.text(key.pk)].append(one)
    return [*groups.values()]


def _compare(
    name: str,
    rows: list[Expected],
    records: Iterable[Any],
    readable: Iterable[str] | None = None,
    order: str | None = None,
) -> Iterator[str]:
    """Every row once, with its values, and nothing else, in the order of the sort key."""
    places: list[int] = []
    for record in records:
        left = (n for n in range(len(rows)) if n not in places)
        at = next((n for n in left if rows[n].is_read_as(record, readable)), None)
        if at is None:
            yield f"{name}: {record!r} is not expected among {[*map(str, rows)]}"
            return
        places.append(at)
    for number, row in enumerate(rows):
        if number not in places and not row.may_be_missing:
            yield f"{name}: {row} is missing"
    texts = [rows[at].text(order) for at in places] if order else []
    if texts != sorted(texts, key=str.encode):
        yield f"{name}: the order is {texts}"


def random_values(rng: Random, entity: EntitySpec) -> Values:
    """Values that an entity accepts."""
    return {
        one.meaning: _random_value(rng, one, one.meaning in entity.key.meanings)
        for one in entity.fields
    }


def _random_value(rng: Random, one: FieldSpec, in_key: bool) -> Any:
    if one.default is not REQUIRED and rng.random() < 0.3:
        return one.default
    return rng.choice(one.type.values[:_KEY_VALUES] if in_key else one.type.values)
