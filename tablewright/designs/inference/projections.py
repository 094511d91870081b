"""Projections of indexes: attributes as the fields that have them."""

from collections.abc import Iterator, Sequence
from typing import Any

from tablewright.designs.inference.entities import InferredEntity
from tablewright.designs.inference.names import stored_as
from tablewright.designs.inference.observed import ObservedIndex
from tablewright.designs.source.names import attribute_name

Json = dict[str, Any]


def projected_fields(attributes: Sequence[str], entities: Sequence[Json]) -> Iterator[str]:
    """The fields that have these attributes, each once."""
    fields = [one for entity in entities for one in entity["fields"].items()]
    names = {field.get("stored", name): name for name, field in reversed(fields)}
    yield from dict.fromkeys(names[one] for one in attributes if one in names)


def add_unseen(index: ObservedIndex, entities: Sequence[InferredEntity]) -> None:
    """Give the first of the entities in an index what it carries and no item has: the table has
    it, so that a design without it would be of another table."""
    if isinstance(index.projects, str) or not entities:
        return
    fields: Json = entities[0].entity["fields"]
    known = {field.get("stored", name) for one in entities for name, field in _fields(one)}
    for attribute in index.projects:
        name = attribute_name(attribute)
        if attribute not in known and attribute not in index.key and name not in fields:
            fields[name] = {"kind": "Text", **stored_as(name, attribute), "default": None}
            says = f"Index {index.name} carries it, and no item has it: of what kind is it?"
            entities[0].comments[name] = says


def _fields(entity: InferredEntity) -> Iterator[tuple[str, Json]]:
    yield from entity.entity["fields"].items()
