"""Models of NoSQL Workbench, and tables as AWS describes them, read as designs.

A table that carries its design, as `tablewright export` writes it, and was not changed since, is
that design. Of others the design is inferred.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.designs.description.design import Description
from tablewright.designs.inference.described import described_table, projection_of
from tablewright.designs.inference.design import infer_design
from tablewright.designs.inference.observed import ObservedEntity, ObservedIndex, ObservedTable
from tablewright.designs.source.module import Beside
from tablewright.designs.workbench.model import EXTENSION, digest
from tablewright.model.errors import TablewrightError

Json = Mapping[str, Any]

_TYPES = {"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}


class UnreadableModel(TablewrightError):
    """A file is none of those that designs are read from, or is not whole."""


class ReadDesign(NamedTuple):
    """A design that was read, what its module says beside it, and how it was found, in a
    sentence."""

    description: Description
    beside: Beside
    says: str


def read_designs(data: object) -> list[ReadDesign]:
    """The designs of what a file holds: a model of NoSQL Workbench, what `aws dynamodb
    describe-table` prints, the input of CreateTable, or a description."""
    if isinstance(data, list) and data:
        return [one for entry in data for one in read_designs(entry)]
    if not isinstance(data, Mapping):
        raise UnreadableModel("it holds no object")
    try:
        if "DataModel" in data:
            return _model(data)
        if "entities" in data and "format" in data:
            return [ReadDesign(dict(data), Beside(), f"{data['id']}: as it was described")]
        table = data.get("Table", data)
        if "KeySchema" in table:
            return [_inferred(described_table(table))]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise UnreadableModel(f"it is not whole: {reason}") from error
    raise UnreadableModel(
        "it has neither a DataModel, as models of NoSQL Workbench have, nor a Table, as "
        "`aws dynamodb describe-table` prints it"
    )


def _model(model: Json) -> list[ReadDesign]:
    tables: Sequence[Json] = model["DataModel"]
    if not tables:
        raise UnreadableModel("it has no tables")
    carried: Json = model.get(EXTENSION, {})
    return [_table(table, carried.get(table["TableName"])) for table in tables]


def _table(table: Json, carried: Json | None) -> ReadDesign:
    name = table["TableName"]
    if carried is None:
        return _inferred(_observed(table))
    if digest(table) != carried["digest"]:
        read = _inferred(_observed(table))
        says = f"{name}: changed since it was exported, so inferred from the model"
        return read._replace(says=says)
    beside = Beside(carried["table"], carried["indexes"], carried["examples"])
    return ReadDesign(carried["design"], beside, f"{name}: the design that the model carries")


def _inferred(table: ObservedTable) -> ReadDesign:
    found = infer_design(table)
    seen = len(table.items) + sum(len(entity.items) for entity in table.entities)
    says = f"{table.name}: inferred from {seen} items"
    return ReadDesign(found.description, Beside(comments=found.comments), says)


def _observed(table: Json) -> ObservedTable:
    (partition,), sort = _single(table["KeyAttributes"])
    attributes = [*table["KeyAttributes"].values(), *table.get("NonKeyAttributes", ())]
    facets = [
        ObservedEntity(
            facet["FacetName"],
            _items(facet),
            tuple(facet.get("NonKeyAttributes", ())),
            tuple(facet.get("KeyAttributeAlias", {}).values()),
        )
        for facet in table.get("TableFacets", ())
    ]
    indexes = [
        ObservedIndex(
            index["IndexName"],
            *_single(index["KeyAttributes"]),
            projection_of(index.get("Projection", {})),
        )
        for index in table.get("GlobalSecondaryIndexes", ())
    ]
    return ObservedTable(
        table["TableName"],
        partition,
        sort[0] if sort else None,
        types={one["AttributeName"]: one["AttributeType"] for one in attributes},
        indexes=tuple(indexes),
        entities=tuple(facets),
        items=_items(table),
    )


def _items(holder: Json) -> tuple[Json, ...]:
    items = tuple(holder.get("TableData", ()))
    for item in items:
        for name, value in item.items():
            if not isinstance(value, Mapping) or len(value) != 1 or value.keys() - _TYPES:
                raise UnreadableModel(f"an item has {name!r} without a type of DynamoDB")
    return items


def _single(key: Json) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of a partition key and of a sort key, if there is one."""
    sort = (key["SortKey"]["AttributeName"],) if "SortKey" in key else ()
    return (key["PartitionKey"]["AttributeName"],), sort
