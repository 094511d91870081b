"""Entities from many items of one kind: forms of keys, fields, expiry."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from tablewright.designs.inference.entities import InferredEntity, is_in
from tablewright.designs.inference.kinds import field_kind
from tablewright.designs.inference.observed import ObservedEntity, ObservedIndex, ObservedTable
from tablewright.designs.inference.sampled.expiry import explained_expiry, moments
from tablewright.designs.inference.sampled.fields import SampledFields
from tablewright.designs.inference.sampled.key_forms import KeyForms, index_attributes

Json = dict[str, Any]

_EXPIRES = "Does it follow from a day or moment? Then items expire by that: Expiry(…, days=…)."


def infer_sampled(
    table: ObservedTable,
    observed: ObservedEntity,
    free_part: Callable[[str], str],
    *,
    also_in: Container[str] = (),
) -> InferredEntity:
    """The entity that these items, many of them, are of.

    It is taken to be in the indexes `also_in` even if no item is; `free_part` gives names to parts.
    """
    indexes = [
        index for index in table.indexes if is_in(table, observed, index) or index.name in also_in
    ]
    keys = (*table.key, *index_attributes(table, indexes))
    fields = SampledFields(table, observed.items, keys, free_part)
    forms = KeyForms(table, observed.items, indexes, fields)
    expires = _expiry(table, observed, indexes, fields, forms)
    fields.add_plain(forms.inputs(*table.key))
    entity: Json = {
        "describes": "",
        "key": forms.key((table.partition,), table.key[1:]),
        "fields": {name: fields.fields[name] for name in _order(table, fields, forms)},
        **({"computed": forms.computed} if forms.computed else {}),
        **({"expires": expires} if expires else {}),
    }
    indexed = {index.name: forms.key(index.partition, index.sort) for index in indexes}
    return InferredEntity(entity, indexed, _said(fields), fields.parts)


def _expiry(
    table: ObservedTable,
    observed: ObservedEntity,
    indexes: list[ObservedIndex],
    fields: SampledFields,
    forms: KeyForms,
) -> Json | None:
    ttl, items = table.ttl, observed.items
    if not ttl or ttl in forms or not any(ttl in item for item in items):
        return None
    expires = moments(items, ttl)
    if expires is None:
        values = [dict(item[ttl]) for item in items if ttl in item]
        fields.add_moment(ttl, field_kind(values) or {"kind": "Text"})
        return None
    # What an index carries by name is a field.
    named = any(ttl in one.projects for one in indexes if not isinstance(one.projects, str))
    found = None if named else explained_expiry(expires, fields.columns)
    if found:
        return found
    field = fields.add_moment(ttl, {"kind": "EpochTimestamp"})
    fields.comments[field] = _EXPIRES
    return {"field": field}


def _order(table: ObservedTable, fields: SampledFields, forms: KeyForms) -> list[str]:
    """The names of the fields: those of the table's key first, then as items have them."""
    key = "".join(forms[name].text for name in table.key)
    places = {name: at for at, name in enumerate(fields.attributes)}

    def place(name: str) -> tuple[int, int]:
        stored = fields.fields[name].get("stored", name)
        last = places.get(stored, len(places))
        return (0, key.find(f"{{{name}}}")) if f"{{{name}}}" in key else (1, last)

    return sorted(fields.fields, key=place)


def _said(fields: SampledFields) -> dict[str, str]:
    says = {}
    if fields.left_out:
        named = ", ".join(map(repr, fields.left_out))
        says[""] = f"Without {named}: values of several types, which no field holds."
    return {**says, **fields.comments}
