"""Validation of shards by epochs."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.model.entity import EntityModel, Key
from tablewright.model.fields.time import TimestampTextField
from tablewright.model.patterns import Get
from tablewright.model.sharding.epochs import EpochListField, EpochShards
from tablewright.model.table import Design
from tablewright.model.time_ids import TimeIdField


def epoch_shards(
    design: Design, entity: EntityModel, key: Key, shards: EpochShards, where: str
) -> Iterator[str]:
    """What is wrong with a key that is sharded by epochs."""
    of = f"{where} of {entity.name}"
    if shards.by in entity.by_name and not isinstance(entity.by_name[shards.by], TimeIdField):
        yield f"{of} is sharded by epochs, so {entity.name}.{shards.by} must be a TimeId"
    if shards.whose not in key.partition_fields:
        yield f"{of} has the epochs of '{shards.whose}', which must stand in its partition key"
    dated = entity.by_name.get(shards.dated or "")
    if shards.dated and (not isinstance(dated, TimestampTextField) or dated.resolution != "ms"):
        yield f"{of} is dated by '{shards.dated}', which must be a Timestamp in milliseconds"
    if design.epochs is None:
        yield f"{of} is sharded by epochs, but the table does not say which pattern reads them"


def epoch_pattern(design: Design) -> Iterator[str]:
    """What is wrong with the pattern by which epochs are read."""
    if design.epochs is None:
        return
    pattern = design.patterns.get(design.epochs)
    if not isinstance(pattern, Get) or not pattern.consistent:
        yield f"epochs are read by '{design.epochs}', which must be a consistent Get of the table"
        return
    entity = design.entities.get(pattern.entity)
    kinds = [type(field) for field in entity.fields] if entity else []
    if entity is None or kinds.count(EpochListField) != 1 or len(entity.key.fields) != 1:
        yield f"epochs are read from {pattern.entity}, which must have one key field and EpochList"
