"""Fields before and after, of an entity or of a part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from tablewright.changes.comparison.described import Json, pairs, storage, stored_name
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import fields as rules
from tablewright.changes.comparison.unknown import unknown
from tablewright.changes.comparison.values import (
    ValueChange,
    is_coarser,
    key_text_changes,
    value_change,
)

_KNOWN = (
    *("kind", "of", "enum", "choices", "stored", "default", "secret", "form", "pattern", "prefix"),
    *("min_length", "max_length", "digits", "lowest", "decimals", "max_bytes", "max_items"),
    *("resolution", "any_precision"),
)
_RULES = {
    ValueChange.RETOLD: rules.FIELD_RETOLD,
    ValueChange.WIDENED: rules.FIELD_WIDENED,
    ValueChange.NARROWED: rules.FIELD_NARROWED,
    ValueChange.FORM: rules.FIELD_FORM_CHANGED,
    ValueChange.TYPE: rules.FIELD_TYPE_CHANGED,
}


class Standing(NamedTuple):
    """How a field stands in a key: `place` is the index, None for the table; `bare`, that it is the
    attribute itself and not part of a text; `tells`, that it tells items apart, as shards do not.
    """

    place: str | None
    in_sort: bool
    bare: bool
    tells: bool = True


def compare_fields(
    owner: str,
    old: Mapping[str, Json],
    new: Mapping[str, Json],
    standing: Mapping[str, Collection[Standing]],
) -> Iterator[Difference]:
    """What differs in fields whose names are those of now, and whose enumerations are choices."""
    for name, field in new.items():
        if name not in old:
            yield _added(f"{owner}.{name}", name, field)
    for name in old:
        if name not in new:
            yield rules.FIELD_REMOVED.found(f"{owner}.{name}", f"{owner} has no {name} any more")
    for name, before, after in pairs(old, new):
        if before == after:
            continue
        subject = f"{owner}.{name}"
        yield from _stored(subject, stored_name(name, before), stored_name(name, after))
        yield from _default(subject, before, after)
        if before.get("secret") != after.get("secret"):
            rule = rules.FIELD_SECRET if after.get("secret") else rules.FIELD_NOT_SECRET
            says = "it is encrypted" if after.get("secret") else "it is not encrypted any more"
            yield rule.found(subject, says)
        yield from _values(subject, before, after, standing.get(name, ()))
        if ":" not in after["kind"]:  # of a class of somebody's own all options are values
            yield from unknown(subject, before, after, _KNOWN)


def _added(subject: str, name: str, field: Json) -> Difference:
    if "default" in field:
        says = f"it is new, a {field['kind']}, by default {field['default']!r}"
        return rules.FIELD_ADDED.found(subject, says)
    if stored_name(name, field) is None:
        return rules.FIELD_ADDED_IN_KEY.found(subject, f"it is new, a {field['kind']} in keys")
    return rules.FIELD_ADDED_REQUIRED.found(subject, f"it is new, a {field['kind']}, and required")


def _stored(subject: str, old: str | None, new: str | None) -> Iterator[Difference]:
    if old == new:
        return
    if new is None:
        says = f"it was stored as {old}, and stands in keys alone"
        yield rules.FIELD_MOVED_TO_KEY.found(subject, says)
    elif old is None:
        says = f"it stood in keys alone, and is stored as {new}"
        yield rules.FIELD_MOVED_FROM_KEY.found(subject, says)
    else:
        says = f"it was stored as {old} and is stored as {new}"
        yield rules.FIELD_STORED_CHANGED.found(subject, says)


def _default(subject: str, old: Json, new: Json) -> Iterator[Difference]:
    if "default" in old and "default" not in new:
        yield rules.FIELD_REQUIRED.found(subject, "it is required, and was not")
    elif "default" in new and "default" not in old:
        says = f"it was required, and is {new['default']!r} by default"
        yield rules.FIELD_OPTIONAL.found(subject, says)
    elif old.get("default") != new.get("default"):
        says = f"its default was {old['default']!r} and is {new['default']!r}"
        yield rules.FIELD_DEFAULT_CHANGED.found(subject, says)


def _values(
    subject: str, old: Json, new: Json, standing: Collection[Standing]
) -> Iterator[Difference]:
    change = value_change(old, new)
    if change is ValueChange.NONE:
        return
    says = _says(old, new)
    moved = [one for one in standing if _moves(one, change, old, new)]
    if not moved:
        yield _RULES[change].found(subject, says)
        return
    if is_coarser(old, new) and any(one.place is None and one.tells for one in moved):
        yield rules.FIELD_KEY_TEXT_COARSER.found(subject, says)
        return
    if any(one.place is None or not one.in_sort for one in moved):
        yield rules.FIELD_KEY_TEXT_CHANGED.found(subject, says)
    if sorts := [one.place for one in moved if one.place and one.in_sort]:
        told = f"{says}, in the sort key of {', '.join(sorts)}"
        yield rules.FIELD_SORT_TEXT_CHANGED.found(subject, told)


def _moves(one: Standing, change: ValueChange, old: Json, new: Json) -> bool:
    """Whether a value is another one in a key."""
    return change >= ValueChange.FORM if one.bare else key_text_changes(old, new)


def _says(old: Json, new: Json) -> str:
    types = (storage(old), storage(new))
    was, now = (f"{one['kind']} ({type})" for one, type in zip((old, new), types, strict=True))
    if was != now:
        return f"it was a {was} and is a {now}"
    aside = ("stored", "default", "secret", "prefix")
    names = [name for name in dict.fromkeys((*old, *new)) if name not in aside]
    told = [
        f"{name} was {old.get(name)!r} and is {new.get(name)!r}"
        for name in names
        if old.get(name) != new.get(name)
    ]
    return ", ".join(told)
