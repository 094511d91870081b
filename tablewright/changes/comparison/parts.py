"""Parts and enumerations before and after, and the fields that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.changes.comparison.described import Json, pairs
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.fields import compare_fields
from tablewright.changes.comparison.renames import field_renames, renamed_fields
from tablewright.changes.comparison.rules.fields import ENUM_RETOLD, FIELD_RENAMED
from tablewright.changes.comparison.rules.tables import DESCRIBES_CHANGED
from tablewright.changes.comparison.unknown import unknown
from tablewright.designs.description.design import Description


def with_choices(fields: Mapping[str, Json], design: Description) -> dict[str, Json]:
    """Fields whose enumerations are given as what is stored for their members."""
    return {name: _with_choices(field, design) for name, field in fields.items()}


def _with_choices(field: Json, design: Description) -> Json:
    if isinstance(field.get("of"), dict):
        return {**field, "of": _with_choices(field["of"], design)}
    if "enum" not in field:
        return field
    return {**field, "choices": sorted(design.get("enums", {})[field["enum"]].values())}


def compare_enums(old: Description, new: Description) -> Iterator[Difference]:
    """Enumerations whose members have other names; other values are told of the fields."""
    for name, before, after in pairs(old.get("enums", {}), new.get("enums", {})):
        if before != after and sorted(before.values()) == sorted(after.values()):
            changed = sorted(before.keys() ^ after.keys()) or sorted(before)
            says = f"members have other names: {', '.join(changed)}"
            yield ENUM_RETOLD.found(f"enum {name}", says)


def compare_parts(old: Description, new: Description) -> Iterator[Difference]:
    """The parts that fields are made of, each once."""
    told: set[tuple[str, str]] = set()
    waiting = [
        pair
        for _, before, after in pairs(old["entities"], new["entities"])
        for pair in _of(before["fields"], after["fields"])
    ]
    while waiting:
        pair = waiting.pop(0)
        if pair in told:
            continue
        told.add(pair)
        before, after = old["parts"][pair[0]], new["parts"][pair[1]]
        waiting += _of(before["fields"], after["fields"])
        yield from _part(pair[1], before, after, old, new)


def _part(
    name: str, before: Json, after: Json, old: Description, new: Description
) -> Iterator[Difference]:
    if before["describes"] != after["describes"]:
        yield DESCRIBES_CHANGED.found(name, f"what is said of {name} is another sentence")
    names = field_renames(before["fields"], after["fields"])
    for one, two in names.items():
        yield FIELD_RENAMED.found(f"{name}.{two}", f"{one} is {two} now")
    fields = renamed_fields(before["fields"], names)
    # No field of a part stands in a key.
    yield from compare_fields(
        name, with_choices(fields, old), with_choices(after["fields"], new), {}
    )
    yield from unknown(name, before, after, ("describes", "fields"))


def _of(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """The parts, before and after, that fields are made of."""
    names = field_renames(old, new)
    for _, before, after in pairs(renamed_fields(old, names), new):
        one, two = _part_of(before), _part_of(after)
        if one and two:
            yield one, two


def _part_of(field: Json) -> str | None:
    if isinstance(field.get("of"), dict):
        return _part_of(field["of"])
    return field["of"] if field["kind"] == "PartOf" else None
