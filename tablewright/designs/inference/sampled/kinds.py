"""Kinds of fields from many values: words of a few, money, moments, parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from tablewright.designs.inference.kinds import Wire, field_kind
from tablewright.designs.inference.names import stored_as
from tablewright.designs.inference.sampled.columns import epoch_kind
from tablewright.designs.source.names import attribute_name, class_name

Json = dict[str, Any]

_MANY = 50  # values that tell more than their type
_MOST_CHOICES = 12
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")
_MONEY = re.compile(
    r"price|amount|total|cost|fee|tax|balance|revenue|salary|money|paid|spent|subtotal", re.I
)
_MOMENT = re.compile(r"(at|time|date|timestamp|created|updated|expires|expiry|since|until)$", re.I)
_MOST_MEMBERS = 40
_TEXT = {"kind": "Text"}


class SampledKind(NamedTuple):
    """A field, the parts that it is made of, and a question that its values leave open."""

    field: Json
    parts: Mapping[str, Json] = {}
    asks: str = ""


def sampled_kind(
    attribute: str, values: Sequence[Wire], free: Callable[[str], str]
) -> SampledKind | None:
    """The field that holds these values; None where none does. `free` gives parts their names."""
    found = field_kind(values)
    known = [value for value in values if "NULL" not in value]
    if found is None:
        return _listed_parts(attribute, known, free) if known else None
    kind = found["kind"]
    if kind == "Binary":
        says = "Bytes, which may be encrypted: is it a field with secret=True, and of what kind?"
        return SampledKind(found, asks=says)
    if kind == "Document":
        return _part(attribute, [one["M"] for one in known], free) or SampledKind(found)
    if kind == "ListOf" and found["of"]["kind"] == "Document":
        return _listed_parts(attribute, known, free) or SampledKind(found)
    if len(known) < _MANY:
        return SampledKind(found)
    if found == _TEXT:
        return _choice([one["S"] for one in known]) or SampledKind(found)
    if kind in ("Number", "Whole"):
        return SampledKind(_number(attribute, [Decimal(one["N"]) for one in known]) or found)
    return SampledKind(found)


def _choice(texts: Sequence[str]) -> SampledKind | None:
    """Words of a few, each of them seen often."""
    counted = Counter(texts)
    often = min(counted.values()) >= max(3, len(texts) // 100)
    if not 1 < len(counted) <= _MOST_CHOICES or not often or not all(map(_WORD.fullmatch, counted)):
        return None
    field = {"kind": "Choice", "choices": sorted(counted)}
    return SampledKind(field, asks=f"Are these all? They are those of {len(texts):,} items.")


def _number(attribute: str, numbers: Sequence[Decimal]) -> Json | None:
    whole = all(number == int(number) for number in numbers)
    moment = epoch_kind(numbers) if _MOMENT.search(attribute) else None
    if moment:
        return moment
    cents = all(number >= 0 and number * 100 == int(number * 100) for number in numbers)
    if cents and not whole and _MONEY.search(attribute) and max(numbers) < 10**8:
        return {"kind": "Money"}
    if not whole and all(0 <= number <= 1 for number in numbers):
        return {"kind": "Fraction"}
    return None


def _part(
    attribute: str, maps: Sequence[Mapping[str, Wire]], free: Callable[[str], str]
) -> SampledKind | None:
    """Maps that all have the same members, more or less: a part."""
    counted = Counter(name for one in maps for name in one)
    often = all(times >= max(2, len(maps) // 20) for times in counted.values())
    if not 0 < len(counted) <= _MOST_MEMBERS or len(maps) < _MANY or not often:
        return None
    name = free(class_name(attribute))
    fields: dict[str, Json] = {}
    parts: dict[str, Json] = {}
    for member, times in counted.items():
        values = [dict(one[member]) for one in maps if member in one]
        known = sampled_kind(member, values, lambda wanted: free(f"{name}{wanted}"))
        own = attribute_name(member)
        if known is None or any("NULL" in value for value in values) or own in fields:
            return None
        parts |= known.parts
        absent = {"default": None} if times < len(maps) else {}
        fields[own] = {**known.field, **stored_as(own, member), **absent}
    parts[name] = {"describes": "", "fields": fields}
    return SampledKind({"kind": "PartOf", "of": name}, parts)


def _listed_parts(
    attribute: str, values: Sequence[Wire], free: Callable[[str], str]
) -> SampledKind | None:
    """Lists of maps that all have the same members."""
    lists = [value.get("L") for value in values]
    elements = [one for some in lists if some is not None for one in some]
    if None in lists or not elements or not all("M" in one for one in elements):
        return None
    part = _part(attribute, [one["M"] for one in elements], free)
    if part is None:
        return None
    longest = max(len(some) for some in lists if some is not None)
    room = {"max_items": 2 * longest} if longest > 100 else {}
    return part._replace(field={"kind": "ListOf", "of": part.field, **room})
