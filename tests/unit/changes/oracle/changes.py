"""Random designs of orders and their lines, and random changes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from tablewright.model import ALL, KEYS_ONLY
from tablewright.model.validation.design import validate
from tests.unit.changes.oracle.designs import (
    KINDS,
    REQUIRED,
    DesignSpec,
    EntitySpec,
    FieldSpec,
    IndexSpec,
    KeySpec,
)

_BARE = KeySpec("{customer}", "{day}")
_FORMS = (
    _BARE,
    KeySpec("C#{customer}", "D#{day}"),
    KeySpec("D#{day}", "C#{customer}#{id}"),
    KeySpec("N#{note}", "D#{day}"),
    KeySpec("S#{state}", "N#{amount}"),
    KeySpec("ALL#{shard}", "D#{day}", 3),
    KeySpec("C#{customer}", "{at}"),
)
_PRIMARY = (
    (KeySpec("ORDER#{id}", "ORDER"), KeySpec("ORDER#{id}", "LINE#{number}")),
    (KeySpec("C#{customer}", "ORDER#{id}"), KeySpec("C#{customer}", "LINE#{id}#{number}")),
    (KeySpec("O#{customer}#{shard}", "{id}", 2), KeySpec("L#{id}", "{number}")),
)
_EXTRA = (
    FieldSpec("state", "two words"),
    FieldSpec("state", "three words", stored="st"),
    FieldSpec("at", "moment"),
    FieldSpec("at", "second", default=None),
    FieldSpec("ends", "epoch"),
    FieldSpec("ends", "epoch", default=None),
    FieldSpec("urgent", "flag", default=True),
    FieldSpec("address", "address"),
    FieldSpec("extra", "text", default="a"),
)
_LINE_FIELDS = (
    FieldSpec("id", "text"),
    FieldSpec("customer", "text"),
    FieldSpec("number", "whole"),
)
_PROJECTIONS = (ALL, ALL, KEYS_ONLY, ("amount",))

# Changes that can often be made in place.
_ADDITIVE = {"index added", "index removed", "field added", "field removed", "default", "ttl",
             "field renamed in Python", "entity added", "entity type", "index renamed"}  # fmt: skip


class Pair(NamedTuple):
    """Two versions of a design, and the changes between them."""

    old: DesignSpec
    new: DesignSpec
    label: str

    @property
    def was(self) -> dict[str, str]:
        """The old names of entities and fields that have new ones."""
        names = {}
        for entity in self.new.entities:
            before = self.old.by_meaning.get(entity.meaning, entity)
            names[entity.name] = before.name
            for one in entity.fields:
                was = before.by_meaning.get(one.meaning, one)
                if was.name != one.name:
                    names[f"{entity.name}.{one.name}"] = f"{before.name}.{was.name}"
        return {new: old for new, old in names.items() if new != old}

    @property
    def is_another_table(self) -> bool:
        """True if the attributes of the table's key are others."""
        return (self.old.pk, self.old.sk) != (self.new.pk, self.new.sk)

    @property
    def replaced_indexes(self) -> set[str]:
        """Names of indexes that DynamoDB would have to delete and make again."""
        old, new = self.old.index_forms, self.new.index_forms
        return {name for name in old.keys() & new.keys() if old[name] != new[name]}


def random_pair(rng: Random, *, is_additive: bool = False) -> Pair:
    """A sound design, and another one that follows from it by a few changes."""
    while True:
        old = random_design(rng)
        new, names = old, []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            part = rng.choice((_field_changes, _key_changes, _index_changes, _table_changes))
            name, changed = rng.choice([*part(rng, new)])
            if is_additive and name not in _ADDITIVE:
                continue
            if changed != new and is_sound(changed):
                new = changed
                names.append(name)
        if names:
            return Pair(old, new, " + ".join(names))


def is_sound(spec: DesignSpec) -> bool:
    """True if no entity was added twice, and the library accepts the design."""
    if len(spec.by_meaning) < len(spec.entities):
        return False
    try:
        return not validate(spec.table)
    except (KeyError, TypeError, ValueError):
        return False


def random_design(rng: Random) -> DesignSpec:
    while True:
        order_key, line_key = rng.choice(_PRIMARY)
        extra = {one.meaning: one for one in rng.sample(_EXTRA, rng.choice((0, 1, 2, 3)))}
        fields = (
            FieldSpec("id", "text"),
            FieldSpec("customer", "text", stored=rng.choice(("customer", "cust"))),
            FieldSpec("day", rng.choice(("day", "date"))),
            FieldSpec("amount", rng.choice(("whole", "large whole", "money"))),
            FieldSpec("note", "text", default=None),
        )
        order = EntitySpec("order", "Order", order_key, (*fields, *extra.values()))
        line = EntitySpec("line", "Line", line_key, (*_LINE_FIELDS, fields[-1]))
        ttl = rng.choice((None, None, "ttl", "expires"))
        if ttl and rng.random() < 0.7:
            order = replace(order, expires=("day", rng.choice((0, 30, 90))))
        entities = (order, line) if rng.random() < 0.6 else (order,)
        spec = DesignSpec(entities, ttl=ttl, entity_type=rng.choice((None, None, "type")))
        for number in range(rng.choice((0, 1, 1, 2))):
            spec = _with_index(rng, spec, f"index{number}")
        if is_sound(spec):
            return spec


def _with_index(rng: Random, spec: DesignSpec, meaning: str) -> DesignSpec:
    """The design with one more index, if that is possible."""
    order, form = spec.by_meaning["order"], rng.choice(_FORMS)
    pk, sk = f"{meaning.upper()}P", f"{meaning.upper()}S"
    if form is _BARE:
        pk, sk = order.by_meaning["customer"].stored, order.by_meaning["day"].stored
    # DynamoDB Local cannot delete the second of two indexes of one key.
    if not {*form.meanings} <= {*order.by_meaning} or any(pk == one.pk for one in spec.indexes):
        return spec
    index = IndexSpec(meaning, pk, sk, projects=rng.choice(_PROJECTIONS))
    order = replace(order, indexed={**order.indexed, meaning: form})
    return replace(spec.with_entity(order), indexes=(*spec.indexes, index))


Candidates = Iterator[tuple[str, DesignSpec]]


def _field_changes(rng: Random, spec: DesignSpec) -> Candidates:
    entity = rng.choice(spec.entities)
    one, other = rng.choice(entity.fields), rng.choice(entity.fields)
    like = rng.choice([f for f in entity.fields if f.type.family == one.type.family])
    kinds = [name for name, kind in KINDS.items() if kind.family == one.type.family]
    # None is secret: stores would need keys.
    kind = rng.choice(
        kinds if rng.random() < 0.8 else [name for name in KINDS if name != "secret text"]
    )
    default = rng.choice((None, None, REQUIRED, KINDS[kind].values[0]))
    stored = rng.choice(("added", "added", "ttl", "type", "INDEX0P"))
    heir = FieldSpec("heir", one.kind, stored=one.stored, default=None)
    other_kind = one.default if one.default in (REQUIRED, None) else KINDS[kind].values[0]

    def edited(*added: FieldSpec, **changes: dict[str, Any]) -> DesignSpec:
        return spec.with_entity(entity.edited(*added, **changes))

    yield "field renamed in Python", edited(**{one.meaning: {"name": f"{one.meaning}_"}})
    yield (
        "names exchanged",
        edited(**{one.meaning: {"name": other.name}, other.meaning: {"name": one.name}}),
    )
    yield "attribute renamed", edited(**{one.meaning: {"stored": f"{one.meaning}2"}})
    yield (
        "attributes exchanged",
        edited(**{one.meaning: {"stored": like.stored}, like.meaning: {"stored": one.stored}}),
    )
    yield (
        "attributes chained",
        edited(
            **{other.meaning: {"stored": one.stored}, one.meaning: {"stored": f"{one.meaning}2"}}
        ),
    )
    yield "attribute inherited", edited(heir, **{one.meaning: {"stored": f"{one.meaning}2"}})
    yield "kind", edited(**{one.meaning: {"kind": kind, "default": other_kind}})
    yield "field added", edited(FieldSpec("added", kind, stored=stored, default=default))
    yield "field removed", edited(**{one.meaning: {"meaning": ""}})
    values = (REQUIRED, None, *one.type.values[:2])
    yield "default", edited(**{one.meaning: {"default": rng.choice(values)}})


def _key_changes(rng: Random, spec: DesignSpec) -> Candidates:
    entity = rng.choice(spec.entities)
    key, more = entity.key, rng.choice(entity.fields).meaning
    first = rng.choice(key.meanings)
    pk = key.pk.replace(f"{{{first}}}", f"{{{more}}}")
    sk = key.sk.replace(f"{{{more}}}", f"{{{first}}}")
    forms = [
        ("literal of the key", replace(key, pk=key.pk.replace("#", "X#", 1))),
        ("literal of the key", replace(key, sk=f"X#{key.sk}")),
        ("field added to the key", replace(key, sk=f"{key.sk}#{{{more}}}")),
        ("fields of the key", replace(key, pk=pk, sk=sk)),
        ("shards of the key", replace(key, shards=key.shards and rng.choice((1, 4)))),
        ("key of another entity", KeySpec(*rng.choice((("A#{id}", "A"), ("ORDER#{id}", "ORDER"))))),
    ]  # fmt: skip
    yield from ((name, spec.with_entity(replace(entity, key=form))) for name, form in forms)
    yield "table's key renamed", replace(spec, pk="partition")


def _index_changes(rng: Random, spec: DesignSpec) -> Candidates:
    yield "index added", _with_index(rng, spec, "index5")
    if not spec.indexes:
        return
    order, index = spec.by_meaning["order"], rng.choice(spec.indexes)
    others = tuple(one for one in spec.indexes if one is not index)
    key = order.indexed[index.meaning]

    def changed(form: KeySpec = key, **changes: Any) -> DesignSpec:
        if not {*form.meanings} <= {*order.by_meaning}:
            return spec
        indexed = {**order.indexed, index.meaning: form}
        indexes = (*others, replace(index, **changes))
        return replace(spec.with_entity(replace(order, indexed=indexed)), indexes=indexes)

    indexed = {name: form for name, form in order.indexed.items() if name != index.meaning}
    yield (
        "index removed",
        replace(spec.with_entity(replace(order, indexed=indexed)), indexes=others),
    )
    yield "key of an index", changed(rng.choice(_FORMS))
    yield "literal of an index", changed(replace(key, pk=f"X#{key.pk}"))
    yield "shards of an index", changed(replace(key, shards=key.shards and rng.choice((1, 2, 5))))
    yield "index renamed", changed(name=f"{index.name}-new")
    yield "projection", changed(projects=rng.choice((*_PROJECTIONS, ("amount", "note"))))
    yield "index in other attributes", changed(pk="OTHERP", sk="OTHERS")
    yield (
        "new index in place of one",
        changed(rng.choice(_FORMS), pk="OTHERP", sk="OTHERS", name=f"{index.name}-new"),
    )


def _table_changes(rng: Random, spec: DesignSpec) -> Candidates:
    order, entity, key = spec.by_meaning["order"], rng.choice(spec.entities), spec.entities[0].key
    forms = (KeySpec("NEW#{id}", "NEW"), KeySpec("{customer}#{id}", "{number}"), key,
             replace(key, sk="EVENT#{id}#{number}"),
             replace(key, sk=f"{key.sk}#C#{{number}}"))  # fmt: skip
    event = EntitySpec("event", "Event", rng.choice(forms), _LINE_FIELDS)
    moments = [f.meaning for f in order.fields if f.type.family in ("day", "moment")]
    expires = rng.choice((None, *((m, days) for m in moments for days in (0, 30))))
    yield "entity renamed", spec.with_entity(replace(entity, name=f"{entity.name}2"))
    yield "entity added", replace(spec, entities=(*spec.entities, event))
    yield "entity removed", replace(spec, entities=spec.entities[:1])
    yield "ttl", replace(spec, ttl=rng.choice((None, "ttl", "expires", "ends")))
    yield (
        "expiry",
        replace(spec.with_entity(replace(order, expires=expires)), ttl=spec.ttl or "ttl"),
    )
    yield "entity type", replace(spec, entity_type=rng.choice((None, "type", "kind")))
    if len(spec.entities) > 1:
        one, two = spec.entities[:2]
        exchanged = (replace(one, name=two.name), replace(two, name=one.name))
        yield "names of entities exchanged", replace(spec, entities=exchanged)
