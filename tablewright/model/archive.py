"""Archive plan: which of a table's items are archived, by which day, and with which columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, SetOfField
from tablewright.model.fields.numbers import MoneyField, NumberField, WholeField
from tablewright.model.fields.text import FlagField
from tablewright.model.fields.time import DateTextField, EpochField, TimestampTextField
from tablewright.model.restored import NOT_RESTORED

if TYPE_CHECKING:
    from tablewright.model.entity import EntityModel
    from tablewright.model.table import Design

# What an archive takes: what DynamoDB deletes when it expires, or what is new.
EXPIRED, INSERTED = "expired", "inserted"

# What a mapping of Lambda takes.
MOST_FILTERS = 5

# Beside the columns of fields: where the item was in the stream, when, and all of it.
SEQUENCE, TIME, ITEM = "archive_sequence", "archive_time", "archive_item"

_BY_SERVICE = {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]}
_PLAIN = {"S": "string", "N": "double"}
# Of several that a class is of, the first.
_TYPES: tuple[tuple[type[Field[Any]], str], ...] = (
    (EpochField, "bigint"),
    (TimestampTextField, "timestamp"),
    (DateTextField, "date"),
    (MoneyField, "decimal(38,2)"),
    (WholeField, "bigint"),
    (NumberField, "double"),
    (FlagField, "boolean"),
)


class Column(NamedTuple):
    """A column of the files: its name, the attribute that it is filled from, its type in Athena."""

    name: str
    stored: str
    type: str


class ArchivePlan(NamedTuple):
    """What an archive's functions know of their table.

    `days` are the attributes that tell the day which an item is of; the first that an item has
    counts. `takes` is EXPIRED or INSERTED. In a table with replicas, deletions that come from
    another region do not say that they are DynamoDB's own: then `replicated` has it that an item
    which had expired by its `ttl` was deleted for that.

    Example::

        plan = ArchivePlan.of(Sales.__design__)
        assert plan == ArchivePlan.from_json(plan.to_json())
    """

    key: tuple[str, ...]
    ttl: str | None
    takes: str
    replicated: bool
    days: tuple[str, ...]
    columns: tuple[Column, ...]

    @classmethod
    def of(
        cls,
        design: Design,
        entities: Iterable[str] = (),
        *,
        takes: str = EXPIRED,
        replicated: bool = False,
        by: str | None = None,
    ) -> ArchivePlan:
        """The plan for these entities of a design, by default for all that expire; `by` is another
        attribute that tells an item's day."""
        chosen = archived(design, entities)
        if takes not in (EXPIRED, INSERTED):
            raise ValueError(f"an archive takes '{EXPIRED}' or '{INSERTED}', not '{takes}'")
        if takes == EXPIRED and design.ttl is None:
            raise ValueError(f"table design '{design.id}' has no ttl: nothing of it expires")
        days = dict.fromkeys(filter(None, (*map(_day_of, chosen), by)))
        return cls(design.key.names, design.ttl, takes, replicated, tuple(days), _columns(chosen))

    @classmethod
    def from_json(cls, text: str) -> ArchivePlan:
        """The plan that `to_json` made this text of."""
        given = json.loads(text)
        lists = {name: tuple(given[name]) for name in ("key", "days")}
        columns = tuple(Column(*column) for column in given["columns"])
        return cls(**{**given, **lists, "columns": columns})

    def to_json(self) -> str:
        """The plan as a text, for the environment of a function."""
        return json.dumps(self._asdict(), separators=(",", ":"))


def archived(design: Design, entities: Iterable[str] = ()) -> tuple[EntityModel, ...]:
    """These entities of a design; by default those that expire."""
    named = [design.entities[name] for name in entities]
    found = named or [entity for entity in design.entity_list if entity.expires]
    if not found:
        raise ValueError(f"no entity of table design '{design.id}' expires: name those to archive")
    return tuple(found)


def stream_filters(
    design: Design, entities: Iterable[str] = (), *, takes: str = EXPIRED, replicated: bool = False
) -> list[dict[str, Any]]:
    """Patterns of the stream records that an archive takes: one for each of the entities, or one
    for all that a table has."""
    chosen = archived(design, entities)
    some = len(chosen) < len(design.entity_list)
    if some and len(chosen) > MOST_FILTERS:
        raise ValueError(f"of its entities, archive all or at most {MOST_FILTERS}")
    told = [told_by(design, entity) for entity in chosen] if some else [{}]
    if takes == INSERTED:
        images = ({"NewImage": {**one, **NOT_RESTORED}} for one in told)
        return [{"eventName": ["INSERT"], "dynamodb": image} for image in images]
    by = {} if replicated else {"userIdentity": _BY_SERVICE}
    removed = {"eventName": ["REMOVE"], **by}
    return [{**removed, "dynamodb": {"OldImage": one}} if one else removed for one in told]


def told_by(design: Design, entity: EntityModel) -> dict[str, Any]:
    """What an image of this entity has and those of others have not."""
    if design.entity_type:
        return {design.entity_type: {"S": [entity.name]}}
    others = {s for one in design.entity_list if one is not entity for s in one.by_stored}
    others.update(design.key.names)
    for field in entity.fields:
        if field.stored and field.stored not in others and not field.can_be_missing:
            return {field.stored: {field.kind: [{"exists": True}]}}
    raise ValueError(
        f"no attribute tells {entity.name} from the other entities of table design '{design.id}': "
        "archive all of them, or give the table an entity_type"
    )


def _day_of(entity: EntityModel) -> str | None:
    return entity.by_name[entity.expires.field].stored if entity.expires else None


def _columns(entities: Sequence[EntityModel]) -> tuple[Column, ...]:
    found: dict[str, Column] = {}
    for field in (field for entity in entities for field in entity.fields):
        if not field.stored:
            continue
        column = Column(column_name(field.stored), field.stored, athena_type(field))
        there = found.setdefault(column.name, column)
        if there != column:
            # Of two types, or two attributes in one spelling: what both are, a text.
            found[column.name] = Column(column.name, there.stored, "string")
    return tuple(found.values())


def column_name(stored: str) -> str:
    """An attribute's name as Athena takes it: of one case, and without other characters.

    >>> column_name("ts#event_id"), column_name("saleDate")
    ('ts_event_id', 'saledate')
    """
    return re.sub(r"\W", "_", stored.lower(), flags=re.ASCII)


def athena_type(field: Field[Any]) -> str:
    """The type of a field's column; what Athena has no type for is JSON in a text."""
    if isinstance(field, (SetOfField, ListOfField)):
        inner = _PLAIN.get(field.of.kind)
        return f"array<{inner}>" if inner else "string"
    return next((name for kind, name in _TYPES if isinstance(field, kind)), "string")
