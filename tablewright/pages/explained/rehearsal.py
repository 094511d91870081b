"""Rehearsal of access patterns: a store's own calls, made with example records and remembered.

What a pattern is explained by is what the store does, and not what somebody wrote about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from tablewright.designs.example_records import any_value, example_of, given_by, other_value
from tablewright.model import Design, EntityModel, Record, Table
from tablewright.model.changes import Change, Set
from tablewright.model.patterns import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Check,
    Collection,
    Count,
    Delete,
    Get,
    Pattern,
    Put,
    Query,
    Scan,
    Update,
    Upsert,
)
from tablewright.pages.explained.example_table import ExampleTable, Made, Recorder
from tablewright.runtime.aws import Caller
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters, Event

# Before everything that could have expired, and like no other number of an example.
NOW = datetime.fromtimestamp(86_399, UTC)
FILTERED = "a filter by"


class Way(NamedTuple):
    """One way to use a pattern: what is asked or changed in it, and the call of a store."""

    what: str
    run: Callable[[Store], object]


class Rehearsed(NamedTuple):
    """A way that was gone, and the calls that it made."""

    what: str
    made: list[Made]


def rehearse(
    table: type[Table],
    pattern: Pattern[Any],
    name: str,
    caller: Caller | None = None,
    *,
    page: int = 20,
) -> Iterator[Rehearsed]:
    """The calls that a store makes for each way to use a pattern, on a table of this name.

    With a `caller` they are carried out, otherwise answered with examples. Of lists, a `page` is
    asked for.
    """
    design = table.__design__
    recorder = Recorder(caller or ExampleTable(design, name))
    secrets = Secrets.in_clear() if design.has_secrets else None
    for way in _ways(table, pattern, name, recorder, page):
        recorder.made = []
        # Each anew: what one has learnt of shards, the next would not ask for.
        way.run(Store(table, name, recorder, secrets=secrets, now=lambda: NOW))
        yield Rehearsed(way.what, recorder.made)


def asked_fields(design: Design, pattern: Query[Any]) -> Record:
    """The values of the partition that a list is asked with, from the example."""
    entity = design.entity(pattern)
    return _values(entity, given_by(entity, design.key_of(pattern).partition_fields))


def _ways(
    table: type[Table], pattern: Pattern[Any], name: str, caller: Caller, page: int
) -> Iterator[Way]:
    design = table.__design__
    entity = design.entity(pattern)
    example = example_of(entity)
    record = entity.made(**example)
    key = {field: example[field] for field in entity.inputs(entity.key) if field in example}
    if isinstance(pattern, Put):
        yield Way("", lambda store: store.put(pattern, record))
    elif isinstance(pattern, Get):
        yield Way("", lambda store: store.get(pattern, key))
    elif isinstance(pattern, BatchGet):
        yield Way("", lambda store: store.get_many(pattern, [key]))
    elif isinstance(pattern, BatchPut):
        yield Way("", lambda store: store.put_many(pattern, [record]))
    elif isinstance(pattern, BatchCreate):
        yield Way("", lambda store: store.create_many(pattern, [record]))
    elif isinstance(pattern, BatchDelete):
        yield Way("", lambda store: store.delete_many(pattern, [key]))
    elif isinstance(pattern, BatchWrite):
        kinds = [design.entities[name] for name in pattern.entities]
        records = [kind.made(**example_of(kind)) for kind in kinds]
        yield Way("", lambda store: store.write_many(pattern, put=records))
    elif isinstance(pattern, Update):
        yield from _updates(design, pattern, key)
    elif isinstance(pattern, Upsert):
        changes = _all_changes(entity, example)
        yield Way("", lambda store: store.upsert(pattern, key, *changes))
    elif isinstance(pattern, Delete):
        yield Way("", lambda store: store.delete(pattern, key))
    elif isinstance(pattern, Check):
        yield Way("", lambda store: store.transact_write(store.to_check(pattern, key)))
    elif isinstance(pattern, Query):
        yield from _questions(design, pattern, page)
    elif isinstance(pattern, Scan):
        yield Way("", lambda store: list(store.scan(pattern)))
    elif isinstance(pattern, Count):
        yield Way("", lambda _: _counting(Counters(table, pattern, name, caller), design, pattern))


def _updates(design: Design, pattern: Update[Any], key: Record) -> Iterator[Way]:
    """A change of a field that nothing follows from, and one of a field that something does."""
    for name, value, derives in changed_values(design, design.entity(pattern)):
        what = ", which keys or expiry follow from" if derives else ""
        yield Way(f"a change of {name}{what}", partial(_update, pattern, key, {name: value}))


def _update(pattern: Update[Any], key: Record, changes: Record, store: Store) -> object:
    return store.update(pattern, key, changes)


def changed_values(design: Design, entity: EntityModel) -> Iterator[tuple[str, Any, bool]]:
    """A field, with another value than the example's, that nothing is derived from, and one that
    something is; each tells whether it is."""
    example = example_of(entity)
    sources, own = design.derives_from(entity), entity.inputs(entity.key)
    plain = [f.name for f in entity.fields if f.name not in (*sources, *own)]
    for names, derives in ((plain, False), (sources, True)):
        found = next(_changed(entity, example, names), None)
        if found is not None:
            yield (*found, derives)


def _changed(
    entity: EntityModel, example: Record, names: Iterable[str]
) -> Iterator[tuple[str, Any]]:
    """Fields with other values than the example has; at last, one that has the same."""
    listed = [name for name in names if name in example]
    for name in (*listed, *(name for name in names if name not in example)):
        value = _other(entity, example, name)
        if value is not None:
            yield name, value
    yield from ((name, example[name]) for name in listed[:1])


def _other(entity: EntityModel, example: Record, name: str) -> Any | None:
    """Another value of a field than the example has, None where none is known or fits the rest."""
    field = entity.by_name[name]
    value = other_value(field, example[name]) if name in example else any_value(field)
    if value is None:
        return None
    try:
        entity.check({**example, name: value})
    except ValueError:
        return None
    return value


def _all_changes(entity: EntityModel, example: Record) -> list[Change]:
    own = entity.inputs(entity.key)
    return [Set(entity.by_name[n], value) for n, value in example.items() if n not in own]


def _questions(design: Design, pattern: Query[Any], page: int) -> Iterator[Way]:
    """A list whole, narrowed by its sort key, and filtered."""
    entity, key = design.entity(pattern), design.key_of(pattern)
    asked = asked_fields(design, pattern)
    yield Way("", lambda store: store.query(pattern, asked, limit=page))
    names = [name for name in key.sort_fields if name not in asked]
    if pattern.range:
        first = _values(entity, given_by(entity, names[: names.index(pattern.range)]))
        (bound,) = _values(entity, [pattern.range]).values()
        yield Way(
            f"a range of {pattern.range}",
            lambda store: store.query(
                pattern, {**asked, **first}, since=bound, until=bound, limit=page
            ),
        )
    elif names and not isinstance(pattern, Collection):
        first = _values(entity, given_by(entity, names[:1]))
        yield Way(
            f"those of one {', '.join(first)}",
            lambda store: store.query(pattern, {**asked, **first}, limit=page),
        )
    if pattern.filters:
        where = _values(entity, pattern.filters)
        yield Way(
            f"{FILTERED} {', '.join(where)}",
            lambda store: store.query(pattern, asked, where=where, limit=page),
        )


def _values(entity: EntityModel, names: Iterable[str]) -> Record:
    """The example's values of fields, or any where it has none."""
    example = example_of(entity)
    return {n: example[n] if n in example else any_value(entity.by_name[n]) for n in names}


def _counting(counters: Counters, design: Design, pattern: Count[Any]) -> int:
    entity, marker = design.entity(pattern), design.entities[pattern.marker]
    counter, group = example_of(entity), example_of(marker)
    own = entity.inputs(entity.key)
    sums = {n: value for n, value in counter.items() if n not in own}
    event = Event(
        "event",
        {n: group[n] for n in marker.inputs(marker.key)},
        [({n: counter[n] for n in own}, sums)],
    )
    return counters.add([event])
