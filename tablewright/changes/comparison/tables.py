"""Comparison of tables as DynamoDB itself knows them: by descriptions, or as they are deployed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from tablewright.changes.comparison.described import Described, stored_name
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import indexes as index_rules
from tablewright.changes.comparison.rules import tables as rules
from tablewright.model.table_form import IndexForm, Key, TableForm, projection


def described_form(design: Described) -> TableForm:
    """The form of the table that a description is of."""
    json = design.json

    def key(names: Iterable[str]) -> Key:
        return tuple((name, design.kind(name)) for name in names)

    def form(name: str) -> IndexForm:
        partition, sort = map(key, design.attributes(name))
        return IndexForm(partition, sort, *projection(_carried(design, name)))

    partition, sort = map(key, design.attributes(None))
    indexes = {name: form(name) for name in json["indexes"]}
    local = {name for name, index in json["indexes"].items() if index.get("local")}
    return TableForm(
        partition,
        sort,
        {name: index for name, index in indexes.items() if name not in local},
        {name: index for name, index in indexes.items() if name in local},
        json.get("ttl"),
        json.get("stream"),
    )


def _carried(design: Described, name: str) -> str | frozenset[str]:
    index = design.json["indexes"][name]
    if isinstance(index["projects"], str):
        return str(index["projects"])
    held = [entity for one, entity in design.entities.items() if one in index["keys"]]
    stored = {
        stored_name(one, entity.fields[one])
        for one in index["projects"]
        for entity in held
        if one in entity.fields
    }
    stored.add(design.json.get("entity_type"))
    keys = (one for key in (None, name) for some in design.attributes(key) for one in some)
    return frozenset(one for one in stored - {None, *keys} if one)


def compare_forms(
    old: TableForm, new: TableForm, *, filled: Container[str], expires: bool
) -> Iterator[Difference]:
    """What differs between two tables as DynamoDB knows them.

    `filled` are the indexes whose key attributes existing items have; `expires` is whether the ttl
    attribute of the new design is computed for its items.
    """
    if key_names(old) != key_names(new):
        yield rules.TABLE_KEY_CHANGED.found("table", f"the key {_was_and_is(old, new)}")
    for says in _retyped(old.key_kinds, new.key_kinds):
        yield rules.TABLE_KEY_TYPE_CHANGED.found("table", says)
    yield from _stream(old.stream, new.stream)
    yield from _ttl(old.ttl, new.ttl, expires=expires)
    for name in dict.fromkeys((*old.local, *new.local)):
        yield from _local_index(name, old, new)
    # One that is local before or after never changes into the other.
    others = (one for one in (*old.indexes, *new.indexes) if one not in {*old.local, *new.local})
    for name in dict.fromkeys(others):
        yield from _index(name, old.indexes.get(name), new.indexes.get(name), filled)
    changed = sorted(old.indexes.keys() ^ new.indexes.keys())
    if len(changed) > 1:
        says = f"{', '.join(changed)} would be made or removed in one update"
        yield index_rules.INDEXES_CHANGED_AT_ONCE.found("table", says)


def key_names(one: TableForm | IndexForm) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of partition and sort key."""
    return tuple(name for name, _ in one.partition), tuple(name for name, _ in one.sort)


def _was_and_is(old: TableForm | IndexForm, new: TableForm | IndexForm) -> str:
    was, is_now = (
        ", ".join(name for some in key_names(one) for name in some) for one in (old, new)
    )
    return f"was {was} and is {is_now}"


def _retyped(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """What to say of each attribute that is in both keys, of another type."""
    return [
        f"attribute {name} was of type {old[name]} and is of {new[name]}"
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name]
    ]


def _stream(old: str | None, new: str | None) -> Iterator[Difference]:
    if old == new:
        return
    if old is None:
        yield rules.STREAM_ADDED.found("table", f"it has a stream of {new}")
    elif new is None:
        yield rules.STREAM_REMOVED.found("table", f"it has no stream of {old} any more")
    else:
        yield rules.STREAM_VIEW_CHANGED.found("table", f"its stream was of {old} and is of {new}")


def _ttl(old: str | None, new: str | None, *, expires: bool) -> Iterator[Difference]:
    if old == new:
        return
    if old is None:
        rule = rules.TTL_ADDED_FOR_EXPIRY if expires else rules.TTL_ADDED
        yield rule.found("table", f"items expire by {new}")
    elif new is None:
        yield rules.TTL_REMOVED.found("table", f"items do not expire by {old} any more")
    else:
        yield rules.TTL_CHANGED.found("table", f"items expired by {old} and expire by {new}")


def _local_index(name: str, before: TableForm, after: TableForm) -> Iterator[Difference]:
    old, new = before.local.get(name), after.local.get(name)
    if old != new:
        says = f"it was {old or 'not there'} and is {new or 'gone'}"
        yield index_rules.LOCAL_INDEX_CHANGED.found(f"index {name}", says)


def _index(
    name: str, old: IndexForm | None, new: IndexForm | None, filled: Container[str]
) -> Iterator[Difference]:
    subject = f"index {name}"
    if new is None:
        yield index_rules.INDEX_REMOVED.found(subject, f"it is gone: {old}")
    elif old is None:
        rule = index_rules.INDEX_ADDED if name in filled else index_rules.INDEX_ADDED_EMPTY
        yield rule.found(subject, f"it is new: {new}")
    else:
        if key_names(old) != key_names(new):
            yield index_rules.INDEX_KEY_CHANGED.found(subject, f"its key {_was_and_is(old, new)}")
        if old.held != new.held:
            yield index_rules.INDEX_PROJECTION_CHANGED.found(subject, _carries(old, new))
        for says in _retyped(old.kinds, new.kinds):
            yield index_rules.INDEX_KEY_TYPE_CHANGED.found(subject, says)


def _carries(old: IndexForm, new: IndexForm) -> str:
    if not (old.attributes and new.attributes):
        return f"it carried {old.held} and carries {new.held}"
    before, after = set(old.attributes), set(new.attributes)
    changes = (
        ("it carries %s, too", after - before),
        ("it does not carry %s any more", before - after),
    )
    return " and ".join(says % ", ".join(sorted(names)) for says, names in changes if names)
