"""Chapter on other projections of a table's page: what indexes would cost if they carried more."""

from collections.abc import Iterator
from copy import copy
from decimal import Decimal
from math import ceil
from typing import Any

from tablewright.designs.example_records import example_of
from tablewright.model import ALL, Design, EntityModel, Index, Query, Shards
from tablewright.model.capacity import WRITE_UNIT_BYTES, entry_bytes, read_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.markdown import code, table

PAGE = 20
_SAYS = (
    "A list that completes its entries from the table reads every item by itself. What its index "
    "would cost if it carried more, computed by the example of each entity and with even shards: "
    f"read units of a page of {PAGE}, and what is written and stored in addition. A change is one "
    "of a field that the index does not carry today."
)
_ENDS = (
    "No update changes the projection of an index that is there: it takes another index, and "
    "readers that go over to it."
)


def projections_chapter(design: Design) -> Iterator[str]:
    """What other projections cost, of every index whose entries are completed from the table."""
    indexes = [one for one in design.index_list if any(map(design.completes, _reads(design, one)))]
    if not indexes:
        return
    yield "## Other projections"
    yield _SAYS
    for index in indexes:
        yield _index(design, index)
    yield _ENDS


def holds(design: Design, index: Index) -> str:
    """What an index carries, in words."""
    if index.projects == ALL:
        return "everything"
    if isinstance(index.projects, str):
        return "keys only"
    return f"keys and {code(design.carried(index))}"


def _index(design: Design, index: Index) -> str:
    others = [_with(design, index, projects) for projects in _options(design, index)]
    designs = [design, *others]
    rows: list[tuple[Any, ...]] = [
        (f"`{query.name}`, read units", *(f"{_page(one, query).normalize():f}" for one in designs))
        for query in _reads(design, index)
    ]
    members = [one for one in design.entity_list if index.name in one.indexed]
    for entity in members:
        of = f" of {entity.name}" if len(members) > 1 else ""
        put, size = _put(design, entity), _entry(design, entity, index.name)
        sizes = [_entry(one, entity, index.name) for one in others]
        # An entry that shows the change is written again.
        changes = [_units(one) if one > size else 0 for one in sizes]
        rows += [
            (f"write units of a put{of}", put, *(f"+{_put(one, entity) - put}" for one in others)),
            (f"write units of a change{of}", "", *(f"+{one}" for one in changes)),
            (f"bytes stored{of}", size, *(f"+{one - size}" for one in sizes)),
        ]
    carried = [holds(one, one.indexes[index.name]) for one in designs]
    return table((index.name, f"{carried[0]} (as it is)", *carried[1:]), rows)


def _reads(design: Design, index: Index) -> list[Query[Any]]:
    queries = (one for one in design.pattern_list if isinstance(one, Query))
    return [one for one in queries if one.index == index.name]


def _options(design: Design, index: Index) -> Iterator[str | tuple[str, ...]]:
    """Other projections: of what is missing, unless that is all, and of everything."""
    now = () if isinstance(index.projects, str) else index.projects
    completed = filter(design.completes, _reads(design, index))
    missing = tuple(dict.fromkeys(name for query in completed for name in _lacking(design, query)))
    fields = [one.by_name[n] for one in design.entity_list for n in missing if n in one.by_name]
    # A field of several attributes cannot be named by a projection.
    if all(field.stored for field in fields):
        some, every = (_with(design, index, one) for one in ((*now, *missing), ALL))
        members = [one for one in design.entity_list if index.name in one.indexed]
        if any(_entry(some, m, index.name) != _entry(every, m, index.name) for m in members):
            yield (*now, *missing)
    yield ALL


def _with(design: Design, index: Index, projects: str | tuple[str, ...]) -> Design:
    """The design with another projection of an index."""
    other, changed = copy(design), copy(index)
    changed.projects = projects
    other.index_list = tuple(changed if one is index else one for one in design.index_list)
    other.indexes = {one.name: one for one in other.index_list}
    return other


def _page(design: Design, query: Query[Any]) -> Decimal:
    """Read units of a page; an index that carries what is missing has nothing to complete."""
    shards = design.key_of(query).shards
    count = shards.count if isinstance(shards, Shards) else 1
    shares = (PAGE // count + (number < PAGE % count) for number in range(count))
    size, consistent = entry_bytes(design, query), query.consistent
    floors = [read_floor([size] * share, consistent=consistent) for share in shares]
    if _lacking(design, query):
        entity = design.entity(query)
        whole = item_bytes(design.attributes(entity, example_of(entity)))
        floors += [read_floor([whole])] * PAGE
    return sum(floors, Decimal())


def _lacking(design: Design, query: Query[Any]) -> list[str]:
    """The fields of a list that is completed which its index does not carry."""
    if not design.completes(query):
        return []
    entity, plain = design.entity(query), copy(query)
    plain.hydrate = False
    wanted = [*(query.select or entity.by_name), *query.filters]
    # By this an entry is known to have expired.
    wanted += [entity.expires.field] if entity.expires else []
    return [name for name in wanted if name not in design.readable(plain)]


def _put(design: Design, entity: EntityModel) -> Decimal:
    return write_floor(design, entity, example_of(entity))


def _entry(design: Design, entity: EntityModel, index: str) -> int:
    """The size of what an index holds of the example, nothing if it is not in it."""
    attributes = design.attributes(entity, example_of(entity))
    entry = design.projected(entity, attributes, design.indexes[index])
    return item_bytes(entry) if entry else 0


def _units(size: int) -> int:
    return ceil(size / WRITE_UNIT_BYTES)
