"""Kinds of fields from the values that an attribute was seen with."""

import re
from collections.abc import Sequence
from typing import Any

from tablewright.model.errors import InvalidValue
from tablewright.model.fields.base import Field
from tablewright.model.fields.time import DateField, HourTextField, TimestampField
from tablewright.model.time_ids import TimeIdField

Json = dict[str, Any]
Wire = dict[str, Any]

_USUAL_LENGTH = 256
_ENOUGH = 3  # values to believe that all are whole numbers
_TEXT_BYTES = 400 * 1024
# Where the text of every value is of one of these kinds, the field is, the first that fits.
_TEXTS: tuple[tuple[Json, Field[Any]], ...] = (
    ({"kind": "TimeId"}, TimeIdField()),
    ({"kind": "Date"}, DateField()),
    ({"kind": "HourText"}, HourTextField()),
    ({"kind": "Timestamp"}, TimestampField()),
    ({"kind": "Timestamp", "resolution": "ms"}, TimestampField(resolution="ms")),
    ({"kind": "Timestamp", "resolution": "s"}, TimestampField(resolution="s")),
)
_SETS = {"SS": "S", "NS": "N", "BS": "B"}


def field_kind(values: Sequence[Wire], declared: str | None = None) -> Json | None:
    """The field that holds these values or, where there are none, those of a type; None where no
    field does."""
    seen = {tag for value in values for tag in value if tag != "NULL"}
    if len(seen) > 1:
        return None
    tag = next(iter(seen), declared)
    raw = [value[tag] for value in values if tag in value] if tag else []
    if tag == "S":
        return text_kind(raw)
    if tag == "N":
        return _number(raw)
    if tag == "BOOL":
        return {"kind": "Flag"}
    if tag == "B":
        return {"kind": "Binary", **_longest("max_bytes", raw, 4096)}
    if tag == "M":
        return {"kind": "Document", **_largest(raw)}
    if tag == "L":
        return _list(raw)
    if tag in _SETS:
        elements = [{_SETS[tag]: one} for some in raw for one in some]
        of = field_kind(elements, _SETS[tag])
        return {"kind": "SetOf", "of": of, **_longest("max_items", raw, 100)}
    return None


def text_kind(texts: Sequence[str]) -> Json:
    """The field that holds these texts."""
    if texts:
        for told, field in _TEXTS:
            if all(_is(field, text) for text in texts):
                return dict(told)
    kind = "Text"
    if not all(text.isprintable() for text in texts):
        kind = "Lines" if any("\n" in text or "\r" in text for text in texts) else "Prose"
    shortest = {"min_length": 0} if "" in texts else {}
    return {"kind": kind, **shortest, **_longest("max_length", texts, _USUAL_LENGTH)}


def is_time(texts: Sequence[str]) -> bool:
    """Whether these texts are days, hours or moments."""
    return text_kind(texts)["kind"] in ("Date", "HourText", "Timestamp")


def _is(field: Field[Any], text: str) -> bool:
    try:
        return bool(field.to_text(field.check(text)) == text)
    except InvalidValue:
        return False


def _number(raw: Sequence[str]) -> Json:
    whole = all(re.fullmatch(r"\d{1,38}", one) for one in raw)
    if not whole or len(raw) < _ENOUGH:
        return {"kind": "Number"}
    digits = max(map(len, raw))
    return {"kind": "Whole", **({"digits": digits} if digits > 10 else {})}


def _list(raw: Sequence[list[Wire]]) -> Json | None:
    elements = [one for some in raw for one in some]
    of = field_kind(elements, "S")
    if of is None or any("NULL" in one for one in elements):
        return None
    return {"kind": "ListOf", "of": of, **_longest("max_items", raw, 100)}


def _longest(option: str, values: Sequence[Any], usual: int) -> Json:
    """Room for twice what was seen, where that is more than usual."""
    longest = max(map(len, values), default=0)
    return {option: _round(2 * longest)} if longest > usual else {}


def _largest(documents: Sequence[Any]) -> Json:
    return _longest("max_bytes", [str(one) for one in documents], 4096)


def _round(number: int) -> int:
    """The next power of two, within what an item can have."""
    return min(_TEXT_BYTES, 1 << (number - 1).bit_length())
