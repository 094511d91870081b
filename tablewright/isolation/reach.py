"""Reach of a tenant's session into other tenants, from a design and policies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from tablewright.designs.example_records import NoExample, any_value, example_of, other_value
from tablewright.isolation.decisions import Call, Statement, allows
from tablewright.model.errors import TablewrightError
from tablewright.model.sharding.epochs import Epoch, Epochs
from tablewright.model.table import Design

# Ids that are easily taken for one another: beginnings, case, wildcards, accents in two spellings.
LOOK_ALIKES = (
    *("a", "aa", "ab", "ab0", "a-b", "a.b", "a_b", "a#b", "A", "Ab", "0", "SUB", "DEST"),
    *("*", "a*", "?", "a?", "\u00e1", "a\u0301", "a ", "a/b"),
)
SCAN = "Scan"
# Of more than one partition, so that another's may hide behind one's own.
_OF_MANY = ("BatchGetItem", "BatchWriteItem")
_ON_TABLE = (
    *("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
    *("PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete", *_OF_MANY),
)
_ON_INDEX = ("Query", "PartiQLSelect")
# They name no partition: whoever may call them reads everybody's.
_OF_ALL = (SCAN, "PartiQLSelect", "ExportTableToPointInTime")
ACTIONS = frozenset((*_ON_TABLE, *_OF_ALL))


@dataclass(frozen=True, slots=True)
class Place:
    """A partition of the table or of an index, and an item's key in it."""

    index: str | None
    partition: str
    key: dict[str, Any]
    entities: tuple[str, ...]
    # Of no tenant in particular, so that no tenant's session may reach it.
    shared: bool


@dataclass(frozen=True, slots=True)
class Leak:
    """A session of `mine`, None without a tag, can do these things where `theirs` has items.

    `theirs` is None for everybody's. `place` is what is in no table: an object, a secret.
    """

    mine: str | None
    theirs: str | None
    index: str | None
    partition: str | None
    actions: tuple[str, ...]
    entities: tuple[str, ...] = ()
    place: str | None = None

    def __str__(self) -> str:
        session = "a session without a tag" if self.mine is None else f"tenant {self.mine!r}"
        whose = "everybody" if self.theirs is None else f"tenant {self.theirs!r}"
        where = self.place or (f"index {self.index}" if self.index else "the table")
        what = f", {self.partition} ({', '.join(self.entities)})" if self.partition else ""
        return f"{session} reaches {whose}: {', '.join(self.actions)} on {where}{what}"


def tenant_ids(design: Design, chosen: Sequence[str] = ()) -> list[str]:
    """Tenant ids to audit, of which one begins with another if the design accepts such ids.

    The chosen ones, or look-alikes, or values of the tenant's field; and what makes them longer.
    """
    ids = list(chosen) or possible(design, LOOK_ALIKES)[0]
    if len(ids) < 2:
        ids += _typical_ids(design)
    if not any(longer.startswith(id) for id, longer in permutations(ids, 2)):
        ids += [f"{id}{end}" for id in ids for end in ("0", "a", "-2")]
    return possible(design, ids)[0]


def _typical_ids(design: Design) -> Iterator[str]:
    entities = (entity.by_name for entity in design.entity_list)
    for field in [fields[design.tenant] for fields in entities if design.tenant in fields][:1]:
        value = any_value(field)
        if value is not None:
            values = (value, *(other_value(field, value, step) for step in (1, 2)))
            yield from (field.to_text(field.check(each)) for each in values if each is not None)


def possible(design: Design, tenants: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """The ids that fit the tenant field, and the rule that each other id breaks."""
    can: list[str] = []
    cannot: dict[str, str] = {}
    for tenant in dict.fromkeys(tenants):
        try:
            places(design, tenant)
        except NoExample:
            raise
        except (TablewrightError, ArithmeticError) as problem:
            cannot[tenant] = str(problem)
        else:
            can.append(tenant)
    return can, cannot


def places(design: Design, tenant: str) -> list[Place]:
    """Every partition that an item of a tenant is in: of each entity, in the table and indexes."""
    if design.tenant is None:
        raise ValueError(f"table design '{design.id}' has no tenants to tell apart")
    found: dict[tuple[str | None, str], Place] = {}
    for entity in design.entity_list:
        if design.tenant not in entity.by_name:
            continue
        field = entity.by_name[design.tenant]
        value = field.check(field.from_text(tenant) if field.fits_text(tenant) else tenant)
        if field.to_text(value) != tenant:
            raise field.refuse(f"stands in keys as '{field.to_text(value)}'")
        record = example_of(entity, **{design.tenant: value})
        attributes = design.attributes(entity, record, _TenShards())
        for index, form in ((None, entity.key), *entity.indexed.items()):
            names = design.key_attributes(index).names
            if not all(name in attributes for name in names):
                continue
            key = {name: attributes[name] for name in names}
            at = (index, str(key[names[0]]))
            known = found.get(at) or Place(*at, key, (), form.shared)
            found[at] = replace(known, entities=(*known.entities, entity.name))
    return list(found.values())


def leaks(
    design: Design, statements: Sequence[Statement], tenants: Sequence[str], tag: str
) -> Iterator[Leak]:
    """Every way in which the policies let a tenant's session reach another's items.

    What is no tenant's in particular counts as another's.
    """
    of: dict[str | None, list[Place]] = {each: places(design, each) for each in tenants}
    for mine in (*tenants, None):
        tags = {} if mine is None else {tag: mine}
        yield from _of_everybody(design, statements, mine, tags)
        own = of.get(mine, ())
        for theirs, place in targets(of, mine):
            reached = tuple(
                action
                for action in (_ON_INDEX if place.index else _ON_TABLE)
                if any(
                    allows(statements, Call(action, place.index, keys, tags))
                    for keys in _named(action, place, own)
                )
            )
            if reached:
                yield Leak(mine, theirs, place.index, place.partition, reached, place.entities)


def targets(
    of: Mapping[str | None, Sequence[Place]], mine: str | None
) -> Iterator[tuple[str | None, Place]]:
    """Each place that a tenant must not reach, with whose it is; None for everybody's."""
    seen = set()
    for theirs, found in of.items():
        for place in found:
            at = (place.index, place.partition)
            if not place.shared and mine != theirs:
                yield theirs, place
            elif place.shared and at not in seen:
                seen.add(at)
                yield None, place


def _of_everybody(
    design: Design, statements: Sequence[Statement], mine: str | None, tags: dict[str, str]
) -> Iterator[Leak]:
    for index in (None, *design.indexes):
        reached = tuple(a for a in _OF_ALL if allows(statements, Call(a, index, (), tags)))
        if reached:
            yield Leak(mine, None, index, None, reached)


def _named(action: str, place: Place, own: Sequence[Place]) -> Iterator[tuple[str, ...]]:
    """The partition keys that a call could name to reach a place."""
    yield (place.partition,)
    if action in _OF_MANY:
        for mine in own:
            if mine.index is None:
                yield (mine.partition, place.partition)


class _TenShards:
    """Ten shards for everybody, so that keys are of the longest form that they can have."""

    def latest(self) -> int:
        return 1 << 48

    def known(self, whose: str, upto: int) -> Epochs:
        return Epochs([Epoch("1970-01-01T00:00:00.000Z", 10)])
