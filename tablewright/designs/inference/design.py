"""Designs from what is known of a table: one that is sound, whatever that is."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from tablewright.designs.description.build import build_table
from tablewright.designs.description.design import FORMAT, Description
from tablewright.designs.description.errors import InvalidDescription
from tablewright.designs.inference.entities import InferredEntity, infer_entity, is_in
from tablewright.designs.inference.grouping import Grouped, grouped, item_name
from tablewright.designs.inference.names import one_or_several
from tablewright.designs.inference.observed import ObservedEntity, ObservedIndex, ObservedTable
from tablewright.designs.inference.projections import add_unseen, projected_fields
from tablewright.designs.inference.sampled.entity import infer_sampled
from tablewright.designs.inference.sampled.grouping import group_sample
from tablewright.designs.inference.sampled.parts import SURE
from tablewright.designs.source.names import attribute_name, class_name
from tablewright.model.declaration import hyphened
from tablewright.model.validation.design import validate
from tablewright.model.validation.keys import can_collide

Json = dict[str, Any]

_MANY = 20  # items that tell by what nearly all have, and not by their words alone


class Inferred(NamedTuple):
    """A design, and comments on what could not be known, as `Beside` has them."""

    description: Description
    comments: dict[str, str]


def infer_design(table: ObservedTable) -> Inferred:
    """The design of a table, with access patterns by its key and by its indexes.

    It is always sound. Where keys do not tell kinds of items apart, these are one entity; where
    nothing else is, keys are kept whole, and indexes that do not fit are left out.

    Example::

        infer_design(ObservedTable("orders", "PK", "SK", items=tuple(scanned)))
    """
    for candidate in _candidates(table):
        if not validate(build_table(candidate.description)):
            return candidate
    raise InvalidDescription(f"no design fits table '{table.name}'")


def _candidates(table: ObservedTable) -> Iterator[Inferred]:
    if len(table.items) >= _MANY and not table.entities:
        yield _told_apart(table, group_sample(table), sampled=True)[0]
    inferred, groups = _told_apart(table, grouped(table))
    yield inferred
    whole = groups._replace(entity_type=None, entities=_one(table, groups))
    yield _inferred(table, whole)
    yield _inferred(table, whole, whole_keys=True)
    bare = _inferred(table._replace(indexes=()), whole, whole_keys=True)
    named = ", ".join(index.name for index in table.indexes)
    says = f"Without the indexes of the table, whose keys fit no design: {named}."
    yield bare._replace(comments={**bare.comments, next(iter(bare.description["entities"])): says})


def _told_apart(
    table: ObservedTable, groups: Grouped, *, sampled: bool = False
) -> tuple[Inferred, Grouped]:
    """The design of kinds of items, those in one whose keys could be the same."""
    inferred = _inferred(table, groups, sampled=sampled)
    while True:
        merged = _merged(inferred, groups)
        if merged is None:
            return inferred, groups
        groups = merged
        inferred = _inferred(table, groups, sampled=sampled)


def _one(table: ObservedTable, groups: Grouped) -> tuple[ObservedEntity, ...]:
    """All items as one entity."""
    items = tuple(item for entity in groups.entities for item in entity.items)
    attributes = tuple(name for entity in groups.entities for name in entity.attributes)
    return (ObservedEntity(item_name(table), items, attributes),)


def _merged(inferred: Inferred, groups: Grouped) -> Grouped | None:
    """The groups with two in one whose keys could be the same, None where there are none."""
    if groups.entity_type:
        return None
    design = build_table(inferred.description).__design__
    for (at, one), (other, two) in combinations(enumerate(design.entity_list), 2):
        if can_collide(one, two):
            first, second = groups.entities[at], groups.entities[other]
            both = ObservedEntity(
                first.name, first.items + second.items, first.attributes + second.attributes
            )
            rest = [one for n, one in enumerate(groups.entities) if n not in (at, other)]
            return groups._replace(entities=(both, *rest))
    return None


def _inferred(
    table: ObservedTable, groups: Grouped, *, whole_keys: bool = False, sampled: bool = False
) -> Inferred:
    if groups.entity_type:
        # The table writes it: it is no field.
        told = groups.entity_type
        entities = tuple(_without(entity, told) for entity in groups.entities)
        groups = groups._replace(entities=entities)
    # An index that nothing was seen in is there all the same: it is the first entity's.
    empty = {
        index.name
        for index in table.indexes
        if not any(is_in(table, entity, index) for entity in groups.entities)
    }
    named = dict(_named(groups))
    taken = {class_name(name) for name in named}
    found = {
        name: infer_sampled(table, entity, _free_part(name, taken), also_in=() if at else empty)
        if sampled and len(entity.items) >= SURE
        else infer_entity(
            table,
            entity,
            groups.delimiter,
            whole_keys=whole_keys,
            also_in=() if at else empty,
        )
        for at, (name, entity) in enumerate(named.items())
    }
    for index in table.indexes:
        add_unseen(index, [one for one in found.values() if index.name in one.indexed])
    parts = {name: part for one in found.values() for name, part in one.parts.items()}
    indexes = {index.name: _index(index, found) for index in table.indexes}
    settings = {"entity_type": groups.entity_type, "ttl": table.ttl, "stream": table.stream}
    description: Description = {
        "format": FORMAT,
        "id": _table_id(table.name),
        "describes": table.describes,
        "key": {"partition": table.partition, **({"sort": table.sort} if table.sort else {})},
        **{name: value for name, value in settings.items() if value},
        **({"parts": parts} if parts else {}),
        "entities": {name: one.entity for name, one in found.items()},
        "indexes": indexes,
        "patterns": _patterns(table, found),
    }
    comments = dict.fromkeys(empty, "No item was seen in it.")
    comments |= {
        f"{name}.{field}" if field else name: says
        for name, one in found.items()
        for field, says in one.comments.items()
    }
    if groups.left_out:
        first, left = next(iter(found)), ", ".join(groups.left_out)
        says = f"Of {left} neither items nor forms of keys are known: declare them yourself."
        comments[first] = f"{comments.get(first, '')} {says}".strip()
    return Inferred(description, comments)


def _table_id(name: str) -> str:
    id = hyphened(class_name(name))
    return id if len(id) > 2 else f"{id}-table"


def _free_part(entity: str, taken: set[str]) -> Callable[[str], str]:
    """Names for parts of an entity that no class of the module has."""

    def free(wanted: str) -> str:
        name = f"{class_name(entity)}{wanted}"
        while name in taken:
            name += "Part"
        taken.add(name)
        return name

    return free


def _without(entity: ObservedEntity, attribute: str) -> ObservedEntity:
    items = tuple(
        {name: value for name, value in item.items() if name != attribute} for item in entity.items
    )
    return entity._replace(items=items)


def _named(groups: Grouped) -> Iterator[tuple[str, ObservedEntity]]:
    """Entities by names of their own; those that items tell are kept as they are."""
    taken: set[str] = set()
    for entity in groups.entities:
        name = wanted = entity.name if groups.entity_type else class_name(entity.name)
        number = 2
        while name in taken:
            name, number = f"{wanted}{number}", number + 1
        taken.add(name)
        yield name, entity


def _index(index: ObservedIndex, entities: dict[str, InferredEntity]) -> Json:
    keys = {
        name: one.indexed[index.name] for name, one in entities.items() if index.name in one.indexed
    }
    told: Json = {"partition": one_or_several(index.partition)}
    if index.sort:
        told["sort"] = one_or_several(index.sort)
    told |= {"local": True} if index.local else {}
    optional = any(_can_miss(entities[name].entity, key) for name, key in keys.items())
    told |= {"sparse": True} if optional else {}
    projects: str | list[str] = "ALL"
    if isinstance(index.projects, str):
        projects = index.projects
    else:
        projects = list(projected_fields(index.projects, [entities[name].entity for name in keys]))
    return {**told, "projects": projects or "KEYS_ONLY", "keys": keys}


def _can_miss(entity: Json, key: Json) -> bool:
    forms = str([key["partition"], key.get("sort", "")])
    inputs = {name for name in entity["fields"] if f"{{{name}}}" in forms}
    inputs |= {key["shards"]["by"]} if "shards" in key else set()
    for name, part in entity.get("computed", {}).items():
        inputs |= {*part["of"]} if f"{{{name}}}" in forms else set()
    return any("default" in entity["fields"][name] for name in inputs)


def _patterns(table: ObservedTable, entities: dict[str, InferredEntity]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, pattern in _wanted_patterns(table, entities):
        while name in found:
            name += "_"
        found[name] = pattern
    return found


def _wanted_patterns(
    table: ObservedTable, entities: dict[str, InferredEntity]
) -> Iterator[tuple[str, Json]]:
    for name, one in entities.items():
        word = attribute_name(name)
        yield f"put_{word}", {"kind": "Put", "of": name}
        yield f"get_{word}", {"kind": "Get", "of": name}
        if table.sort:
            yield f"list_{word}", {"kind": "Query", "of": name}
        for index in table.indexes:
            if index.name in one.indexed:
                by = attribute_name(index.name).removeprefix("by_")
                # What has expired is told by a field that the index may not carry.
                whole = index.projects == "ALL" or "expires" not in one.entity
                more = {} if whole else {"hydrate": True}
                listing = {"kind": "Query", "of": name, "index": index.name, **more}
                yield f"list_{word}_by_{by}", listing
