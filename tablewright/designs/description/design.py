"""Description of a design: its whole meaning as plain JSON.

Two designs are the same if, and only if, their descriptions are equal. Names of Python that change
nothing, of a table's class or an index's attribute, are left out, and so are examples.
"""

from collections import Counter
from typing import Any

from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.fields import FieldDescriber, Json
from tablewright.designs.description.functions import import_path
from tablewright.model.computed import Computed, Digest, Reversed
from tablewright.model.declaration import Table
from tablewright.model.entity import EntityModel, Key
from tablewright.model.key_template import Template
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
from tablewright.model.sharding.epochs import EpochShards
from tablewright.model.sharding.shards import Shards
from tablewright.model.table import Design, Index

FORMAT = 1
"""Version of the form that descriptions have."""

Description = dict[str, Any]
"""The meaning of a design, as plain JSON."""

PATTERNS: tuple[type[Pattern[Any]], ...] = (
    *(BatchCreate, BatchDelete, BatchGet, BatchPut, BatchWrite, Check, Collection, Count),
    *(Delete, Get, Put, Query, Scan, Update, Upsert),
)
_SETTINGS = ("entity_type", "tenant", "ttl", "stream", "epochs")
_OPTIONS = (
    *("create", "index", "range", "select", "filters", "hydrate"),
    *("descending", "consistent", "expired", "marker"),
)


def describe(table: type[Table]) -> Description:
    """The whole meaning of a design as plain JSON, in the order of declaration.

    Functions that it refers to are named by where they are imported from. Raises Indescribable for
    one that cannot be: a lambda, or a function within another.

    Example::

        json.dumps(describe(Orders), indent=2)
    """
    return describe_design(table.__design__)


def describe_design(design: Design) -> Description:
    """The same, for whoever has the design without the class that declares it."""
    _refuse_doubles(design)
    fields = FieldDescriber()
    entities = {one.name: _entity(fields, one) for one in design.entity_list}
    settings = {name: getattr(design, name) for name in _SETTINGS}
    return {
        "format": FORMAT,
        "id": design.id,
        "describes": design.describes,
        "key": _told(partition=design.pk, sort=design.sk),
        **_told(**settings),
        **_told(enums=fields.enums, parts=fields.parts),
        "entities": entities,
        "indexes": {index.name: _index(design, index) for index in design.index_list},
        "patterns": {pattern.name: _pattern(pattern) for pattern in design.pattern_list},
    }


def _told(**values: Any) -> Json:
    """What there is of these."""
    return {name: value for name, value in values.items() if value not in (None, "", False, {})}


def _refuse_doubles(design: Design) -> None:
    named = (
        ("entities", [one.name for one in design.entity_list]),
        ("indexes", [one.name for one in design.index_list]),
        ("access patterns", [one.name for one in design.pattern_list]),
    )
    for what, names in named:
        for name, times in Counter(names).items():
            if times > 1:
                raise Indescribable(f"table design '{design.id}' has {times} {what} '{name}'")


def _entity(describer: FieldDescriber, entity: EntityModel) -> Json:
    computed = {name: _computed(entity, one) for name, one in entity.computed.items()}
    expires = entity.expires
    return {
        "describes": entity.describes,
        "key": _key(entity, entity.key),
        "fields": describer.fields(entity.name, entity.fields),
        **_told(
            computed=computed,
            expires=expires
            and {"field": expires.field, **_told(years=expires.years, days=expires.days)},
        ),
    }


def _computed(entity: EntityModel, part: Computed) -> Json:
    if type(part) is Reversed or type(part) is Digest:
        return {"kind": type(part).__name__, "of": list(part.inputs)}
    what = f"the function of {entity.name}.{part.name}"
    if type(part) is not Computed:
        raise Indescribable(f"{entity.name}.{part.name} is of a class of its own: use Computed")
    return {
        "kind": "Computed",
        "of": list(part.inputs),
        "function": import_path(part.function, what),
        "max_length": part.max_length,
    }


def _key(entity: EntityModel, key: Key) -> Json:
    delimiter = next((one.delimiter for one in key.templates if one.delimiter), "#")
    shards = key.shards
    told = _told(
        partition=_forms(key.partition),
        sort=_forms(key.sort),
        delimiter=delimiter if delimiter != "#" else None,
        shared=key.shared,
    )
    if shards is not None:
        function = import_path(shards.function, f"the shard function of {entity.name}")
        told["shards"] = {**_shards(shards), "function": function}
    return told


def _forms(templates: tuple[Template, ...]) -> str | list[str] | None:
    return _one_or_several([template.text for template in templates])


def _one_or_several(names: list[str]) -> str | list[str] | None:
    if len(names) == 1:
        return names[0]
    return names or None


def _shards(shards: Shards | EpochShards) -> Json:
    if isinstance(shards, Shards):
        return {"kind": "Shards", "count": shards.count, "by": shards.by}
    told = {"by": shards.by, "whose": shards.whose, "dated": shards.dated}
    return {"kind": "EpochShards", **_told(**told)}


def _index(design: Design, index: Index) -> Json:
    held = (one for one in design.entity_list if index.name in one.indexed)
    projects = index.projects
    return {
        **_told(
            partition=_one_or_several(list(index.key.partition)),
            sort=_one_or_several(list(index.key.sort)),
            local=index.local,
            sparse=index.sparse,
        ),
        "projects": projects if isinstance(projects, str) else list(projects),
        "keys": {one.name: _key(one, one.indexed[index.name]) for one in held},
    }


def _pattern(pattern: Pattern[Any]) -> Json:
    if type(pattern) not in PATTERNS:
        raise Indescribable(f"access pattern '{pattern.name}' is of a class of its own")
    told: Json = {"kind": type(pattern).__name__}
    several = isinstance(pattern, BatchWrite | Collection)
    told["of"] = list(pattern.entities) if several else pattern.entity
    for name in _OPTIONS:
        value = getattr(pattern, name, None)
        if value or (name == "select" and value is not None):
            told[name] = list(value) if isinstance(value, tuple) else value
    return {**told, **_told(describes=pattern.describes)}
