"""Values of a field before and after: whether what is stored still fits, and means the same."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Any, NamedTuple

from tablewright.changes.comparison.described import Json, storage

# What says where a field is and whether it must be there, not what it may be.
_ASIDE = {"stored", "default", "secret", "prefix"}
# The texts of these have one form, of a length.
_FIXED = {
    "Date": ("a day", 10),
    "DateText": ("a day", 10),
    "HourText": ("an hour", 13),
    "TimeId": ("a UUID of version 7", 36),
}
_MOMENTS = {"s": ("a second", 20), "ms": ("a millisecond", 24), "us": ("a microsecond", 27)}
_PRECISION = ("a day", "an hour", "a second", "a millisecond", "a microsecond")
_FRACTIONS = {"s": 1, "ms": 1000, "us": 1_000_000}
# Each accepts all texts of those that it names.
_FREE = {
    "Text": {"Text"},
    "Name": {"Name"},
    "Prose": {"Prose", "Text", "Name"},
    "Lines": {"Lines", "Prose", "Text", "Name"},
}
_ENDLESS = 10**130
_LAST_SECOND = 253_402_300_800


class ValueChange(IntEnum):
    """How the values of a field change, the gravest last."""

    NONE = 0
    RETOLD = 1
    WIDENED = 2
    NARROWED = 3
    FORM = 4
    TYPE = 5


def value_change(old: Json, new: Json) -> ValueChange:
    """How the values of a field change, whose enumerations are given as choices."""
    before = {name: value for name, value in old.items() if name not in _ASIDE}
    after = {name: value for name, value in new.items() if name not in _ASIDE}
    if before == after:
        return ValueChange.NONE
    if storage(old) != storage(new):
        return ValueChange.TYPE
    if ":" in old["kind"] or ":" in new["kind"]:  # of somebody's own: nobody else can tell
        return ValueChange.NARROWED if old["kind"] == new["kind"] else ValueChange.FORM
    return {"S": _texts, "N": _numbers, "L": _lists, "M": _maps}.get(storage(old), _others)(
        before, after
    )


def key_text_changes(old: Json, new: Json) -> bool:
    """Whether the same value stands otherwise in the text of a key."""
    numbers = storage(old) == storage(new) == "N"
    options = ("kind", "digits", "decimals", "resolution")
    padded = numbers and any(old.get(name) != new.get(name) for name in options)
    return padded or value_change(old, new) >= ValueChange.FORM


def is_coarser(old: Json, new: Json) -> bool:
    """Whether two values can have one text in a key that had two before."""
    if old["kind"] == new["kind"] == "Fraction":
        return bool(new.get("decimals", 0) < old.get("decimals", 0))
    before, after = _time(old), _time(new)
    return before is not None and after is not None and after < before


def _time(field: Json) -> int | None:
    form = _form(field)
    return _PRECISION.index(form[0]) if form and form[0] in _PRECISION else None


def _form(field: Json) -> tuple[str, int] | None:
    if field["kind"] in ("Timestamp", "TimestampText", "EpochTimestamp"):
        return _MOMENTS[_resolution(field)]
    return _FIXED.get(field["kind"])


def _resolution(field: Json) -> str:
    return str(field.get("resolution", "s" if field["kind"] == "EpochTimestamp" else "us"))


def _texts(old: Json, new: Json) -> ValueChange:
    before, after = _form(old), _form(new)
    if before and after:
        if old.get("any_precision") != new.get("any_precision"):
            return ValueChange.WIDENED if new.get("any_precision") else ValueChange.NARROWED
        return ValueChange.RETOLD if before == after else ValueChange.FORM
    if after:
        return ValueChange.NARROWED
    if "choices" in new:
        words, accepted = old.get("choices"), set(new["choices"])
        return _fit(words is not None and accepted >= {*words}, same=accepted == {*(words or ())})
    if before:
        return _fit(_takes(new, "0" * before[1], any_form=False), same=False)
    if "choices" in old:
        return _fit(all(_takes(new, word) for word in old["choices"]), same=False)
    fits = (
        old["kind"] in _FREE[new["kind"]]
        and new.get("min_length", 1) <= old.get("min_length", 1)
        and new.get("max_length", 256) >= old.get("max_length", 256)
        and new.get("pattern") in (None, old.get("pattern"))
    )
    said = ("form",)
    return _fit(fits, _without(old, said) == _without(new, said))


def _takes(field: Json, text: str, *, any_form: bool = True) -> bool:
    """Whether a free text may be this one."""
    pattern = field.get("pattern")
    fits = field.get("min_length", 1) <= len(text) <= field.get("max_length", 256)
    return fits and (not pattern or (any_form and re.fullmatch(pattern, text) is not None))


class _Numbers(NamedTuple):
    """The numbers that a field accepts; `decimals` None for any."""

    lowest: float
    highest: float
    decimals: int | None

    def holds(self, other: _Numbers) -> bool:
        exact = other.decimals is not None and other.decimals <= (self.decimals or 0)
        within = self.lowest <= other.lowest and self.highest >= other.highest
        return within and (exact or self.decimals is None)


def _accepted(field: Json) -> _Numbers:
    highest = 10 ** int(field.get("digits", 10)) - 1
    if field["kind"] == "Whole":
        return _Numbers(field.get("lowest", 0), highest, 0)
    if field["kind"] == "Money":
        return _Numbers(0, highest / 100, 2)
    if field["kind"] == "Fraction":
        return _Numbers(0, 1, None)
    if field["kind"] == "EpochTimestamp":
        last = _LAST_SECOND * _FRACTIONS[_resolution(field)]
        return _Numbers(-last, last, 0)
    return _Numbers(-_ENDLESS, _ENDLESS, None)


def _numbers(old: Json, new: Json) -> ValueChange:
    if old["kind"] == new["kind"] == "EpochTimestamp":
        return ValueChange.FORM  # seconds would be read as milliseconds
    before, after = _accepted(old), _accepted(new)
    return _fit(after.holds(before), before == after)


def _lists(old: Json, new: Json) -> ValueChange:
    if old["kind"] != new["kind"]:
        return ValueChange.FORM
    return _others(old, new)


def _maps(old: Json, new: Json) -> ValueChange:
    if old["kind"] != new["kind"]:
        return _fit(new["kind"] == "Document", same=False)
    # The fields of parts are compared by themselves.
    return ValueChange.RETOLD if old["kind"] == "PartOf" else _others(old, new)


def _others(old: Json, new: Json) -> ValueChange:
    """Bytes, documents, lists and sets: what bounds them, and what they are of."""
    bounds = ("max_bytes", "max_items")
    sizes = [(old.get(name, 0), new.get(name, 0)) for name in bounds]
    found = _fit(all(a <= b for a, b in sizes), same=all(a == b for a, b in sizes))
    if not isinstance(old.get("of"), dict) or not isinstance(new.get("of"), dict):
        return found
    # Elements of another type are still in a list.
    return max(found, min(value_change(old["of"], new["of"]), ValueChange.FORM))


def _fit(fits: bool, same: bool) -> ValueChange:
    if not fits:
        return ValueChange.NARROWED
    return ValueChange.RETOLD if same else ValueChange.WIDENED


def _without(field: Json, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in field.items() if name not in names}
