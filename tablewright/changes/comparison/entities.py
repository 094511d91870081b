"""Entities before and after: keys, computed parts, fields, expiry."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.changes.comparison.collisions import can_collide_with, lies_among
from tablewright.changes.comparison.described import (
    Described,
    DescribedEntity,
    Json,
    fields_in,
    listed,
    pairs,
)
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.fields import Standing, compare_fields
from tablewright.changes.comparison.keys import compare_table_key
from tablewright.changes.comparison.parts import with_choices
from tablewright.changes.comparison.rules import entities as rules
from tablewright.changes.comparison.rules.tables import DESCRIBES_CHANGED
from tablewright.changes.comparison.unknown import unknown

_KNOWN = ("describes", "key", "fields", "computed", "expires")
_COMPUTED = ("kind", "of", "function", "max_length")


def compare_entities(old: Described, new: Described) -> Iterator[Difference]:
    """What differs in entities, whose names are those of now."""
    for name, entity in new.entities.items():
        if name not in old.entities:
            yield _added(old, new, entity)
    for name, entity in old.entities.items():
        if name not in new.entities:
            among = lies_among(entity, new)
            rule = rules.ENTITY_REMOVED_AMONG_OTHERS if among else rules.ENTITY_REMOVED
            others = f"; lists of {', '.join(among)} meet its items" if among else ""
            yield rule.found(name, f"there is no {name} any more{others}")
    for name, after in new.entities.items():
        if name in old.entities:
            yield from _entity(old, old.entities[name], new, after)


def _added(old: Described, new: Described, entity: DescribedEntity) -> Difference:
    typed = old.json.get("entity_type") and new.json.get("entity_type")
    changed = (one for one in old.entities.values() if not _is_kept(one, new))
    over = [] if typed else [one.name for one in changed if can_collide_with(old, one, new, entity)]
    if over:
        says = f"it is new, and items of the old {', '.join(over)} can have its keys"
        return rules.ENTITY_ADDED_OVER_OTHERS.found(entity.name, says)
    return rules.ENTITY_ADDED.found(entity.name, "it is new")


def _is_kept(entity: DescribedEntity, new: Described) -> bool:
    """Whether items of an entity are still known by the key that they have."""
    kept = new.entities.get(entity.name)
    return kept is not None and kept.keys[None] == entity.keys[None]


def _entity(
    old: Described, before: DescribedEntity, new: Described, after: DescribedEntity
) -> Iterator[Difference]:
    name = after.name
    if before.json["describes"] != after.json["describes"]:
        yield DESCRIBES_CHANGED.found(name, f"what is said of {name} is another sentence")
    yield from compare_table_key(before, after)
    yield from _computed(before, after)
    fields = with_choices(before.fields, old.json), with_choices(after.fields, new.json)
    changed = (one for one, was, now in pairs(*fields) if was != now)
    standing = {one: _standing(before, after, one, new) for one in changed}
    yield from compare_fields(name, *fields, standing)
    yield from _expiry(old, before, new, after)
    yield from unknown(name, before.json, after.json, _KNOWN)


def _shared_keys(old: DescribedEntity, new: DescribedEntity) -> dict[str | None, Json]:
    """The keys that old items have, in the form of now."""
    return {index: key for index, key in new.keys.items() if index in old.keys}


def _standing(
    old: DescribedEntity, new: DescribedEntity, field: str, design: Described
) -> list[Standing]:
    found = []
    for index, key in _shared_keys(old, new).items():
        if index is None and field == key.get("shards", {}).get("by"):
            found.append(Standing(None, in_sort=False, bare=False, tells=False))
        names = design.attributes(index)
        for in_sort, (attributes, part) in enumerate(
            zip(names, ("partition", "sort"), strict=True)
        ):
            for attribute, form in zip(attributes, listed(key.get(part)), strict=False):
                computed = [one for one in fields_in(form) if one in new.computed]
                own = new.by_stored.get(attribute) == field and form == f"{{{field}}}"
                if field in fields_in(form):
                    found.append(Standing(index, bool(in_sort), own))
                for one in computed:
                    if field in new.computed[one]["of"]:
                        # Its text is made of the value, by Reversed of so many digits.
                        text = new.computed[one]["kind"] == "Reversed"
                        found.append(Standing(index, bool(in_sort), not text))
    return found


def _computed(old: DescribedEntity, new: DescribedEntity) -> Iterator[Difference]:
    for name in dict.fromkeys((*old.computed, *new.computed)):
        before, after = old.computed.get(name), new.computed.get(name)
        if before == after:
            continue
        subject = f"{new.name}.{name}"
        if before is None or after is None:
            says = "it is a new computed part" if after else "there is no such computed part"
            yield rules.COMPUTED_TOLD.found(subject, says)
        else:
            yield from _computed_part(subject, name, before, after, _shared_keys(old, new))


def _computed_part(
    subject: str, name: str, old: Json, new: Json, keys: dict[str | None, Json]
) -> Iterator[Difference]:
    yield from unknown(subject, old, new, _COMPUTED)
    in_sort = [i for i, key in keys.items() if i and name in fields_in(key.get("sort"))]
    elsewhere = [
        index
        for index, key in keys.items()
        if name in fields_in(key.get("partition"))
        or (not index and name in fields_in(key.get("sort")))
    ]
    length, longer = old.get("max_length"), new.get("max_length")
    if length != longer and not (in_sort or elsewhere):
        yield rules.COMPUTED_TOLD.found(subject, f"its max_length was {length} and is {longer}")
    elif length != longer and length is not None and longer is not None:
        rule = rules.COMPUTED_WIDENED if longer > length else rules.COMPUTED_NARROWED
        yield rule.found(subject, f"its max_length was {length} and is {longer}")
    if all(old.get(one) == new.get(one) for one in ("kind", "of", "function")):
        return
    says = f"it was computed by {_shown(old)} and is by {_shown(new)}"
    if elsewhere:
        yield rules.COMPUTED_CHANGED.found(subject, says)
    if in_sort:
        yield rules.COMPUTED_SORT_CHANGED.found(subject, says)
    if not elsewhere and not in_sort:
        yield rules.COMPUTED_TOLD.found(subject, says)


def _shown(computed: Json) -> str:
    return f"{computed.get('function', computed['kind'])} of {', '.join(computed['of'])}"


def _expiry(
    old: Described, before: DescribedEntity, new: Described, after: DescribedEntity
) -> Iterator[Difference]:
    was, now = before.json.get("expires"), after.json.get("expires")
    if was == now:
        return
    says = f"it expired {_span(was)} and expires {_span(now)}"
    was_ttl, ttl = old.json.get("ttl"), new.json.get("ttl")
    if was_ttl in (None, ttl) and ttl in before.by_stored and ttl in after.by_stored:
        rule = rules.EXPIRY_BY_FIELD
    elif now is None and ttl is None:
        rule = rules.EXPIRY_REMOVED_WITH_TTL
    elif was is None:
        rule = rules.EXPIRY_ADDED
    else:
        rule = rules.EXPIRY_CHANGED if now else rules.EXPIRY_REMOVED
    yield rule.found(after.name, says)


def _span(expires: Json | None) -> str:
    if expires is None:
        return "never"
    spans = [f"{expires[unit]} {unit}" for unit in ("years", "days") if unit in expires]
    return f"{' and '.join(spans)} after {expires['field']}" if spans else f"at {expires['field']}"
