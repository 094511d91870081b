"""Designs as plain data, and the Table classes that follow from them.

A field, an entity and an index have a `meaning`, which stays the same in every version of a design,
whatever their names, attributes and types become. Nothing here reads a design of the library: texts
of keys and their order are computed from this description alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, NamedTuple

from tablewright import model
from tablewright.model import ALL, KEYS_ONLY

NOW = datetime(2090, 11, 17, tzinfo=UTC)
REQUIRED = object()
Values = dict[str, Any]
"""Values by the meaning of their fields; None is a field that is known to have no value."""

_PART = re.compile(r"\{(\w+)\}")


class Town(model.Part):
    town: model.Field[str] = model.Text()


class TownRenamed(model.Part):
    city: model.Field[str] = model.Text("town")


class TownMoved(model.Part):
    town: model.Field[str] = model.Text("t")


class Kind(NamedTuple):
    """A type of field: its values, their texts in keys, and what readers get.

    Kinds of one family can hold the same values.
    """

    family: str
    declare: Callable[..., Any]
    values: tuple[Any, ...]
    text: Callable[[Any], str] = str
    python: Callable[[Any], Any] = lambda value: value


def _iso(precision: str) -> Callable[[datetime], str]:
    return lambda value: value.isoformat(timespec=precision).replace("+00:00", "Z")


_WORDS = ("a", "b", "ann", "bob", "A b", "é", "7", "a-b")
_DAYS = ("2090-01-05", "2090-09-01", "2090-11-16", "2090-12-24", "2091-03-01")
_MOMENTS = tuple(NOW + timedelta(days=n, seconds=n) for n in (-70, -1, 1, 20, 300))
_FINE = (*_MOMENTS, NOW + timedelta(microseconds=1), NOW + timedelta(microseconds=999_999))
_NUMBERS = (0, 7, 42, 9999)
_AMOUNTS = tuple(map(Decimal, ("0.00", "7.00", "42.00", "12.75", "0.99")))
KINDS = {
    "text": Kind("word", model.Text, _WORDS),
    "long text": Kind("word", partial(model.Text, max_length=999), (*_WORDS, "x" * 400)),
    "three words": Kind("word", partial(model.Choice, ["a", "b", "ann"]), ("a", "b", "ann")),
    "two words": Kind("word", partial(model.Choice, ["a", "b"]), ("a", "b")),
    "secret text": Kind("secret", partial(model.Text, secret=True), _WORDS),
    "whole": Kind("number", partial(model.Whole, digits=4), _NUMBERS, "{:04}".format),
    "large whole": Kind(
        "number", partial(model.Whole, digits=6), (*_NUMBERS, 123456), "{:06}".format
    ),
    "money": Kind("number", model.Money, _AMOUNTS, lambda n: f"{int(n * 100):010}", Decimal),
    "number": Kind("number", model.Number, (*_AMOUNTS, Decimal("12.755"))),
    "day": Kind("day", model.DateText, _DAYS),
    "date": Kind("day", model.Date, _DAYS, python=date.fromisoformat),
    "moment": Kind("moment", model.Timestamp, _FINE, _iso("microseconds")),
    "second": Kind("moment", partial(model.Timestamp, resolution="s"), _MOMENTS, _iso("seconds")),
    "epoch": Kind("moment", model.EpochTimestamp, _MOMENTS),
    "flag": Kind("flag", model.Flag, (True, False), lambda value: str(value).lower()),
    **{
        name: Kind("address", partial(model.PartOf, part), _WORDS[:3], python=read)
        for name, part, read in (
            ("address", Town, lambda town: {"town": town}),
            ("address, renamed", TownRenamed, lambda town: {"city": town}),
            ("address, moved", TownMoved, lambda town: {"town": town}),
        )
    },
}


@dataclass(frozen=True)
class FieldSpec:
    meaning: str
    kind: str
    name: str = ""
    stored: str = ""
    default: Any = REQUIRED

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.meaning)
        object.__setattr__(self, "stored", self.stored or self.meaning)

    @property
    def type(self) -> Kind:
        return KINDS[self.kind]

    def declare(self) -> Any:
        if self.default is REQUIRED:
            return self.type.declare(self.stored)
        return self.type.declare(self.stored, default=self.to_python(None))

    def to_python(self, value: Any) -> Any:
        """The value that a reader must get; the default where the item has none."""
        value = (None if self.default is REQUIRED else self.default) if value is None else value
        return None if value is None else self.type.python(value)


@dataclass(frozen=True)
class KeySpec:
    """Templates with meanings in braces."""

    pk: str
    sk: str
    shards: int = 0

    @cached_property
    def meanings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.partition + self.sort))

    @cached_property
    def partition(self) -> tuple[str, ...]:
        return tuple(name for name in _PART.findall(self.pk) if name != "shard")

    @cached_property
    def sort(self) -> tuple[str, ...]:
        return tuple(_PART.findall(self.sk))


@dataclass(frozen=True)
class IndexSpec:
    meaning: str
    pk: str
    sk: str
    name: str = ""
    projects: str | tuple[str, ...] = ALL

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.meaning)


@dataclass(frozen=True)
class EntitySpec:
    meaning: str
    name: str
    key: KeySpec
    fields: tuple[FieldSpec, ...]
    indexed: Mapping[str, KeySpec] = field(default_factory=dict)
    expires: tuple[str, int] | None = None

    @cached_property
    def by_meaning(self) -> dict[str, FieldSpec]:
        return {one.meaning: one for one in self.fields}

    def text(self, template: str, values: Values) -> str:
        """A key, or a part of one; the shard is left open."""
        texts = {name: self.by_meaning[name].type.text(values[name])
                 for name in _PART.findall(template) if name != "shard"}  # fmt: skip
        return template.format(**texts, shard="?")

    def edited(self, *added: FieldSpec, **changes: dict[str, Any]) -> EntitySpec:
        """The entity with other fields; one that loses its meaning is removed."""
        fields = [replace(f, **changes.get(f.meaning, {})) for f in self.fields]
        return replace(self, fields=(*(f for f in fields if f.meaning), *added))

    def view(self, values: Values) -> Values:
        """Values as this version must read them, with its defaults; its unknown fields left out."""
        known = {one.meaning: values.get(one.meaning) for one in self.fields}
        return {name: self.by_meaning[name].default if value is None else value
                for name, value in known.items()}  # fmt: skip

    def expiry(self, values: Values) -> datetime | None:
        """The second that a record expires at."""
        value = values.get(self.expires[0]) if self.expires else None
        if value is None or self.expires is None:
            return None
        begin = value if isinstance(value, datetime) else datetime.fromisoformat(f"{value}T00Z")
        return begin.replace(microsecond=0) + timedelta(days=self.expires[1])


@dataclass(frozen=True)
class DesignSpec:
    entities: tuple[EntitySpec, ...]
    indexes: tuple[IndexSpec, ...] = ()
    pk: str = "PK"
    sk: str = "SK"
    ttl: str | None = None
    entity_type: str | None = None

    @cached_property
    def by_meaning(self) -> dict[str, EntitySpec]:
        return {one.meaning: one for one in self.entities}

    def with_entity(self, entity: EntitySpec) -> DesignSpec:
        return replace(
            self,
            entities=tuple(entity if e.meaning == entity.meaning else e for e in self.entities),
        )

    @property
    def index_forms(self) -> dict[str, tuple[str, str, Any]]:
        """The key attributes of each index, and the attributes that it carries beside keys."""
        fields = [one for entity in self.entities for one in entity.fields]
        forms: dict[str, tuple[str, str, Any]] = {}
        for one in self.indexes:
            carried = {field.stored for field in fields if field.meaning in one.projects}
            carried |= (
                {self.entity_type} if self.entity_type and one.projects != KEYS_ONLY else set()
            )
            forms[one.name] = one.pk, one.sk, one.projects if one.projects == ALL else carried
        return forms

    @cached_property
    def table(self) -> type[Any]:
        """The Table class; raises ValueError where two fields have one name."""
        classes, members = {}, dict[str, Any]()
        for entity in self.entities:
            fields = {one.name: one.declare() for one in entity.fields}
            if min(len(fields), len({one.stored for one in entity.fields})) < len(entity.fields):
                raise ValueError(f"{entity.name} has two fields of one name")
            expires = entity.expires and model.Expiry(
                entity.by_meaning[entity.expires[0]].name, days=entity.expires[1]
            )
            key = self._key(entity, entity.key)
            classes[entity.meaning] = type(
                entity.name, (model.Entity,), fields, key=key, expires=expires
            )
        for index in self.indexes:
            holders = [e for e in self.entities if index.meaning in e.indexed]
            members[index.meaning] = model.Index(
                index.name,
                pk=index.pk,
                sk=index.sk,
                keys={classes[e.meaning]: self._key(e, e.indexed[index.meaning]) for e in holders},
                projects=index.projects
                if isinstance(index.projects, str)
                else [e.by_meaning[m].name for e in holders for m in index.projects],
                sparse=any(
                    e.by_meaning[m].default is None
                    for e in holders
                    for m in e.indexed[index.meaning].meanings
                ),
            )
        for entity in self.entities:
            members |= self._patterns(entity, classes[entity.meaning], members)
        listed = [classes[e.meaning] for e in self.entities if e.key.pk == self.entities[0].key.pk]
        if len(listed) > 1:
            members["Collection"] = model.Collection(*listed)
        settings = {"pk": self.pk, "sk": self.sk, "ttl": self.ttl, "entity_type": self.entity_type}
        return type("Orders", (model.Table,), members, id="orders", **settings)

    def _patterns(
        self, entity: EntitySpec, kind: type[Any], indexes: Mapping[str, Any]
    ) -> dict[str, Any]:
        verbs = ["Put", "Get", "Update", "Delete", "BatchGet", "Scan", "Query"]
        verbs += [] if self.entity_type else ["BatchPut"]
        patterns = {verb: getattr(model, verb)(kind) for verb in verbs}
        patterns["Create"] = model.Put(kind, create=True)
        for name, key in entity.indexed.items():
            bounded = entity.by_meaning[key.sort[0]].name if len(key.sort) == 1 else None
            patterns[f"Query_{name}"] = model.Query(kind, indexes[name], range=bounded)
        return {f"{name}_of_{entity.meaning}": one for name, one in patterns.items()}

    @staticmethod
    def _key(entity: EntitySpec, key: KeySpec) -> model.Key:
        names = {one.meaning: f"{{{one.name}}}" for one in entity.fields} | {"shard": "{shard}"}
        by = entity.by_meaning["id"].name
        return model.Key(
            key.pk.format(**names),
            key.sk.format(**names),
            shards=model.Shards(key.shards, by=by) if key.shards else None,
        )

    def readable(self, entity: EntitySpec, index: str) -> set[str]:
        """The meanings that an entry of an index holds."""
        (projects,) = (one.projects for one in self.indexes if one.meaning == index)
        if projects == ALL:
            return {*entity.by_meaning}
        keys = {*entity.key.meanings, *entity.indexed[index].meanings}
        return keys | ({*projects} & {*entity.by_meaning})
