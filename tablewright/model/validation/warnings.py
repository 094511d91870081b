"""Warnings of a design: what is sound, and will be slow or paid for in vain."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.model.declaration import Table
from tablewright.model.entity import Key
from tablewright.model.table import Design
from tablewright.model.validation.expiry import expiry_warnings
from tablewright.model.validation.projections import projection_warnings

# What one partition of table or index takes: quotas of DynamoDB.
_WRITES, _READS = 1000, 3000


def warnings(table: type[Table]) -> list[str]:
    """One sentence for each thing that is worth a second look, with what would mend it."""
    design = table.__design__
    unused = f"{table.__name__} has no access patterns: declare one, such as order = Get(Order)"
    return [
        *([] if design.pattern_list else [unused]),
        *_hot_partitions(design),
        *_unused_indexes(design),
        *projection_warnings(design),
        *_unused_ttl(design),
        *expiry_warnings(design),
    ]


def _hot_partitions(design: Design) -> Iterator[str]:
    for entity in design.entity_list:
        places: list[tuple[str, Key]] = [("the table", entity.key)]
        places += [(f"index {name}", key) for name, key in entity.indexed.items()]
        for place, key in places:
            if not key.partition_fields and not key.shards:
                yield (
                    f"every {entity.name} is in one partition of {place}, which takes {_WRITES:,} "
                    f"write and {_READS:,} read units a second: put a field into its key "
                    f"'{key.partition[0].text}', or spread it by shards=Shards(10, by=…)"
                )


def _unused_indexes(design: Design) -> Iterator[str]:
    read = {pattern.index for pattern in design.pattern_list}
    for index in design.index_list:
        if index.name not in read:
            yield (
                f"index {index.name} is read by no access pattern, and every write pays for it: "
                "declare the pattern that reads it, or remove it"
            )


def _unused_ttl(design: Design) -> Iterator[str]:
    if design.ttl and not any(entity.expires for entity in design.entity_list):
        yield (
            f"the table has the ttl attribute '{design.ttl}', and no entity expires: give one "
            "expires=Expiry(…), or leave out ttl"
        )
