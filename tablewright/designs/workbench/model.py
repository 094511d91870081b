"""Models of NoSQL Workbench: a design as one that it opens.

A facet is an entity, with the forms of its keys for aliases. What a model has no place for is in a
key of its own, `Tablewright`, with a digest of the rest: a model that was changed since is told by
it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from tablewright.designs.description.design import describe
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.values import value_json, wire_json
from tablewright.designs.example_records import NoExample, example_records
from tablewright.designs.source.module import Beside
from tablewright.model.declaration import Table
from tablewright.model.entity import EntityModel, KeyAttributes
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import TallyField
from tablewright.model.table import Design, Index
from tablewright.runtime.store.attribute_values import encode

EXTENSION = "Tablewright"
VERSION = "3.0"

Json = dict[str, Any]

_NO_DATA: Json = {"MySql": {}}


class Model(NamedTuple):
    """A model, and a sentence for each thing that it could not show."""

    json: Json
    left_out: tuple[str, ...]


def workbench_model(tables: Sequence[type[Table]], now: datetime) -> Model:
    """The model of one or several designs.

    Example::

        json.dumps(workbench_model([Orders], datetime.now(UTC)).json, indent=2)
    """
    for id, times in Counter(table.__design__.id for table in tables).items():
        if times > 1:
            raise Indescribable(f"{times} of the designs have the id '{id}': export them apart")
    made = [_Entry(table) for table in tables]
    moment = now.strftime("%b %d, %Y, %I:%M %p")
    model = {
        "ModelName": " and ".join(table.__name__ for table in tables),
        "ModelMetadata": {
            "Author": "",
            "DateCreated": moment,
            "DateLastModified": moment,
            "Description": "\n".join(table.__design__.describes for table in tables),
            "AWSService": "Amazon DynamoDB",
            "Version": VERSION,
        },
        "DataModel": [one.json for one in made],
        EXTENSION: {one.json["TableName"]: _extension(one) for one in made},
    }
    return Model(model, tuple(says for one in made for says in one.left_out))


def digest(entry: Mapping[str, Any]) -> str:
    """A digest of what a table of a model has beside its sample data, in whatever order."""
    shape = [
        entry["TableName"],
        entry["KeyAttributes"],
        _unordered(entry.get("NonKeyAttributes", ()), "AttributeName", "AttributeType"),
        _unordered(
            entry.get("GlobalSecondaryIndexes", ()), "IndexName", "KeyAttributes", "Projection"
        ),
        _unordered(
            entry.get("TableFacets", ()), "FacetName", "KeyAttributeAlias", "NonKeyAttributes"
        ),
    ]
    return sha256(_text(shape).encode()).hexdigest()


def _unordered(entries: Iterable[Mapping[str, Any]], *names: str) -> list[str]:
    """What entries have under these names, in an order that does not depend on theirs."""
    given = ([entry.get(name) for name in names] for entry in entries)
    return sorted(
        _text([sorted(one) if isinstance(one, list) else one for one in some]) for some in given
    )


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _extension(entry: "_Entry") -> Json:
    table = entry.table
    beside = besides(table)
    return {
        "digest": digest(entry.json),
        "table": beside.table,
        "indexes": beside.indexes,
        "examples": beside.examples,
        "design": describe(table),
    }


def besides(table: type[Table]) -> Beside:
    """What a design's module says beside what the design means."""
    attributes = {
        one.name: name
        for base in reversed(table.__mro__)
        for name, one in vars(base).items()
        if isinstance(one, Index)
    }
    examples = {}
    for entity in table.__design__.entity_list:
        if entity.example:
            fields, record = entity.by_name, entity.check(entity.example)
            examples[entity.name] = {
                name: value_json(fields[name], value) for name, value in record.items()
            }
    return Beside(table.__name__, attributes, examples)


class _Entry:
    """A table of a model."""

    def __init__(self, table: type[Table]) -> None:
        self.table = table
        self.left_out: list[str] = []
        self._design = design = table.__design__
        self._types = dict(_types(design))
        keys = design.key.names
        facets = [self._facet(entity) for entity in design.entity_list]
        others = [name for name in self._types if name not in keys]
        self.json: Json = {
            "TableName": design.id,
            "KeyAttributes": self._key(design.key),
            "NonKeyAttributes": [self._attribute(name) for name in others],
            "TableFacets": facets,
            "GlobalSecondaryIndexes": list(self._indexes()),
            "DataAccess": _NO_DATA,
            "BillingMode": "PAY_PER_REQUEST",
        }

    def _attribute(self, name: str) -> Json:
        return {"AttributeName": name, "AttributeType": self._types[name]}

    def _key(self, key: KeyAttributes) -> Json:
        names = zip(("PartitionKey", "SortKey"), key.names, strict=False)
        return {what: self._attribute(name) for what, name in names}

    def _facet(self, entity: EntityModel) -> Json:
        items = [self._item(entity, item) for item in _sample_items(self._design, entity)]
        own = [*_stored(self._design, entity), *(name for item in items for name in item)]
        keys = self._design.key.names
        names = [name for name in dict.fromkeys(own) if name not in keys]
        aliases = (template.text for template in entity.key.templates)
        return {
            "FacetName": entity.name,
            "KeyAttributeAlias": dict(
                zip(("PartitionKeyAlias", "SortKeyAlias"), aliases, strict=False)
            ),
            "TableData": items,
            "NonKeyAttributes": [name for name in names if self._shows(entity, name)],
            "DataAccess": _NO_DATA,
        }

    def _shows(self, entity: EntityModel, name: str) -> bool:
        """Whether an attribute has the type that the model has for it, which has one for all."""
        field = entity.by_stored.get(name)
        return field is None or _type(field) == self._types[name]

    def _item(self, entity: EntityModel, attributes: Mapping[str, Any]) -> Json:
        secret = {field.stored for field in entity.secrets}
        shown: Json = {}
        for name, value in attributes.items():
            if name in secret:
                continue  # a model has no keys to encrypt it with
            self._types.setdefault(name, next(iter(encode(value))))
            if self._shows(entity, name):
                shown[name] = wire_json(encode(value))
            else:
                says = f"{entity.name} stores '{name}' as another type than other entities do"
                self.left_out += [] if says in self.left_out else [says]
        return shown

    def _indexes(self) -> Iterator[Json]:
        for index in self._design.index_list:
            if index.local:
                self.left_out.append(f"index {index.name} is local")
            elif len(index.key.partition) > 1 or len(index.key.sort) > 1:
                self.left_out.append(f"the key of index {index.name} has several attributes")
            else:
                yield {
                    "IndexName": index.name,
                    "KeyAttributes": self._key(index.key),
                    "Projection": self._projection(index),
                }

    def _projection(self, index: Index) -> Json:
        if isinstance(index.projects, str):
            return {"ProjectionType": index.projects}
        carried = self._design.carried(index)
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": carried}


def _type(field: Field[Any]) -> str:
    return "B" if field.secret else field.kind


def _types(design: Design) -> Iterator[tuple[str, str]]:
    """The attributes of a table with their types, keys first; of several types, the first."""
    found: dict[str, str] = {}
    for index in (None, *design.indexes):
        for name in design.key_attributes(index).names:
            found.setdefault(name, design.kind(name))
    for entity in design.entity_list:
        for field in entity.fields:
            if field.stored and not isinstance(field, TallyField):
                found.setdefault(field.stored, _type(field))
    if design.entity_type:
        found.setdefault(design.entity_type, "S")
    if design.ttl:
        found.setdefault(design.ttl, "N")
    yield from found.items()


def _stored(design: Design, entity: EntityModel) -> Iterable[str]:
    """The attributes that items of an entity have, or may have."""
    for name in entity.indexed:
        yield from design.key_attributes(name).names
    yield from entity.by_stored
    if design.entity_type:
        yield design.entity_type
    if design.ttl and entity.expires:
        yield design.ttl


def _sample_items(design: Design, entity: EntityModel) -> list[dict[str, Any]]:
    """Items of an entity as they are stored; none where no example can be made up."""
    try:
        return [design.attributes(entity, one) for one in example_records(design, entity)]
    except NoExample:
        return []
