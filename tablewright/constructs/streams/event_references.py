"""References in events: some fields of an item, taken from the stream's record."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.model.fields.base import Field
from tablewright.model.table import Design

_MOST_FILTERS = 5
_LONGEST_FILTER = 4096
_WITH_NEW_IMAGE = ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")


def detail_template(design: Design, entity: str, fields: Sequence[str]) -> str:
    """A pipe's input template with these fields of an entity's new image.

    Refuses what an event must not have, or cannot have for certain.
    """
    if design.stream not in _WITH_NEW_IMAGE:
        raise ValueError(
            f"table design '{design.id}' streams {design.stream}, without the fields of an item: "
            f"let it stream {' or '.join(_WITH_NEW_IMAGE)}"
        )
    if entity not in design.entities:
        raise ValueError(
            f"'{entity}' is no entity of table design '{design.id}': "
            f"choose one of {', '.join(design.entities)}"
        )
    if not fields:
        raise ValueError(f"name at least one field of {entity} that says which item it was")
    known = design.entities[entity].by_name
    for name in fields:
        if name not in known:
            raise ValueError(f"'{name}' is no field of {entity}: choose from {', '.join(known)}")
    parts = (f"{json.dumps(name)}: <{_path(known[name])}>" for name in fields)
    # Unquoted, a placeholder becomes JSON of its own, whatever is in the text.
    return "{" + ", ".join(parts) + "}"


def check_filters(filters: Sequence[Mapping[str, Any]]) -> None:
    """Refuses filters that Pipes would, and none at all."""
    if not 1 <= len(filters) <= _MOST_FILTERS:
        raise ValueError(
            f"give 1 to {_MOST_FILTERS} filters, of which a change must match one, "
            f"not {len(filters)}: without any, every item would be told as if it were of the entity"
        )
    for pattern in filters:
        if len(json.dumps(pattern)) > _LONGEST_FILTER:
            raise ValueError(f"a filter may have {_LONGEST_FILTER} characters as JSON, not more")


def _path(field: Field[Any]) -> str:
    if not field.stored:
        raise ValueError(
            f"'{field.name}' stands in the item's keys only: store it as a field to tell it"
        )
    if field.secret:
        raise ValueError(f"'{field.name}' is secret: who needs it reads the item, with its keys")
    if field.kind not in ("S", "N"):
        raise ValueError(
            f"'{field.name}' is {field.type_name} and may be large: an event carries texts "
            "and numbers that say which item it was, and who needs more reads the item"
        )
    if field.optional:
        raise ValueError(
            f"'{field.name}' is optional: an item without it would have no valid event"
        )
    return f"$.dynamodb.NewImage.{field.stored}.{field.kind}"
