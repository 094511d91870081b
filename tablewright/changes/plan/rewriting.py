"""Rewriting: whether two designs write the same records as different items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.designs.description.design import Description

Json = dict[str, Any]

# What code accepts, and what it reads where there is nothing; not what is stored.
_ACCEPTED = {"choices", "default", "enum", "max_items", "max_length"}


def rewrites(old: Description, new: Description) -> tuple[str, ...]:
    """The entities whose items the new design writes in another form; empty for none.

    An entity that only one of them has needs no rewriting: old items stay, new ones are not there.
    """
    shared = [name for name in new["entities"] if name in old["entities"]]
    return tuple(name for name in shared if _differs(old, new, name))


def _differs(old: Description, new: Description, name: str) -> bool:
    fields = [one["entities"][name]["fields"] for one in (old, new)]
    # New fields have no values yet, and those of old ones stay.
    both = fields[0].keys() & fields[1].keys()
    stored = [{field: _stored(told[field]) for field in both} for told in fields]
    return stored[0] != stored[1] or _derived(old, name) != _derived(new, name)


def _stored(field: Json) -> Json:
    return {option: value for option, value in field.items() if option not in _ACCEPTED}


def _derived(description: Description, name: str) -> Json:
    """Everything that is stored for a record beside its fields."""
    entity = description["entities"][name]
    keys = [(description["key"], entity["key"])]
    keys += [
        (index, index["keys"][name])
        for index in description["indexes"].values()
        if name in index["keys"]
    ]
    forms = {
        attribute: (form, key.get("shards"), key.get("delimiter"))
        for attributes, key in keys
        for attribute, form in _pairs(attributes, key)
        if not _is_field(attribute, form, entity["fields"])
    }
    return {
        "forms": forms,
        "computed": entity.get("computed"),
        "expires": entity.get("expires") and (description.get("ttl"), entity["expires"]),
        "entity_type": description.get("entity_type"),
    }


def _pairs(attributes: Json, key: Json) -> Iterator[tuple[str, str]]:
    for part in ("partition", "sort"):
        if key.get(part):
            yield from zip(_listed(attributes[part]), _listed(key[part]), strict=False)


def _listed(one: str | list[str]) -> list[str]:
    return [one] if isinstance(one, str) else one


def _is_field(attribute: str, form: str, fields: dict[str, Json]) -> bool:
    """Whether a key attribute is a field, which is stored whatever reads it."""
    field = form[1:-1]
    return form == f"{{{field}}}" and fields.get(field, {}).get("stored", field) == attribute
