"""Renames: entities and fields that have another name in Python, and are the same in the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy

from tablewright.changes.comparison.described import Json, listed, stored_name
from tablewright.changes.comparison.difference import Difference
from tablewright.changes.comparison.rules import entities as rules
from tablewright.changes.comparison.rules.fields import FIELD_RENAMED
from tablewright.designs.description.design import Description

_FIELD = re.compile(r"\{(\w+)\}")


def with_names_of(new: Description, old: Description) -> tuple[Description, list[Difference]]:
    """The old description with the names that the new one has, and the differences that were."""
    if all(_names(old, one) == _names(new, one) for one in {**old["entities"], **new["entities"]}):
        return old, []
    old = deepcopy(old)
    found = list(_entities(old, new))
    for name in new["entities"]:
        if name in old["entities"]:
            found += _fields(old, new, name)
    return old, found


def _names(design: Description, entity: str) -> set[str] | None:
    """The names of an entity's fields, None where there is no such entity."""
    found: Json | None = design["entities"].get(entity)
    return {*found["fields"]} if found else None


def _entities(old: Description, new: Description) -> Iterator[Difference]:
    added = [name for name in new["entities"] if name not in old["entities"]]
    for name in added:
        gone = [one for one in old["entities"] if one not in new["entities"]]
        before = next((one for one in gone if _is_same(old, new, one, name)), None)
        if before is None:
            continue
        _rename_entity(old, before, name)
        typed = old.get("entity_type") and new.get("entity_type")
        rule = rules.ENTITY_RENAMED_ON_ITEMS if typed else rules.ENTITY_RENAMED
        yield rule.found(name, f"{before} is {name} now")


def _is_same(old: Description, new: Description, before: str, after: str) -> bool:
    """Whether items of an entity would be read as those of another."""
    one, two = old["entities"][before], new["entities"][after]
    # Items that say their entity are told apart in spite of equal keys.
    alike = one["fields"] == two["fields"] or not new.get("entity_type")
    return bool(alike and one["key"] == two["key"])


def _rename_entity(old: Description, before: str, after: str) -> None:
    old["entities"] = _renamed(old["entities"], {before: after})
    for index in old["indexes"].values():
        index["keys"] = _renamed(index["keys"], {before: after})
    for pattern in old["patterns"].values():
        for option in ("of", "marker"):
            named = pattern.get(option)
            if named == before:
                pattern[option] = after
            elif isinstance(named, list):
                pattern[option] = [after if one == before else one for one in named]


def _fields(old: Description, new: Description, name: str) -> Iterator[Difference]:
    entity = old["entities"][name]
    names = {
        **_in_keys(entity, new["entities"][name]),
        **field_renames(entity["fields"], new["entities"][name]["fields"]),
    }
    if not names:
        return
    entity["fields"] = renamed_fields(entity["fields"], names)
    keys = [entity["key"], *(i["keys"][name] for i in old["indexes"].values() if name in i["keys"])]
    for key in keys:
        _rename_in_key(key, names)
    for part in entity.get("computed", {}).values():
        part["of"] = [names.get(one, one) for one in part["of"]]
    if "expires" in entity:
        expires = entity["expires"]
        expires["field"] = names.get(expires["field"], expires["field"])
    for before, after in names.items():
        yield FIELD_RENAMED.found(f"{name}.{after}", f"{before} is {after} now")


def field_renames(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, str]:
    """The new names of fields that are stored as before."""
    gone = {stored_name(one, field): one for one, field in old.items() if one not in new}
    return {
        gone[stored]: name
        for name, field in new.items()
        if name not in old and (stored := stored_name(name, field)) and stored in gone
    }


def renamed_fields(fields: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    """Fields under other names, stored as before."""
    found: dict[str, Json] = {}
    for name, field in fields.items():
        after = names.get(name, name)
        stored = stored_name(name, field)
        if name != after and field["kind"] != "Tally":
            field = {one: value for one, value in field.items() if one != "stored"}
            field |= {"stored": stored} if stored != after else {}
        found[after] = field
    return found


def _in_keys(old: Json, new: Json) -> dict[str, str]:
    """The new names of fields that stand in the same place of a key with the same words."""
    found: dict[str, str] = {}
    for part in ("partition", "sort"):
        forms = zip(listed(old["key"].get(part)), listed(new["key"].get(part)), strict=False)
        for before, after in forms:
            if _FIELD.sub("{}", before) == _FIELD.sub("{}", after):
                names = zip(_FIELD.findall(before), _FIELD.findall(after), strict=True)
                found |= {
                    one: two
                    for one, two in names
                    if one in old["fields"].keys() - new["fields"].keys()
                    and two in new["fields"].keys() - old["fields"].keys()
                }
    return found


def _rename_in_key(key: Json, names: Mapping[str, str]) -> None:
    def named(form: str) -> str:
        return _FIELD.sub(lambda one: f"{{{names.get(one[1], one[1])}}}", form)

    for part in ("partition", "sort"):
        if part in key:
            form = key[part]
            key[part] = named(form) if isinstance(form, str) else list(map(named, form))
    for option in ("by", "whose", "dated"):
        shards = key.get("shards", {})
        if option in shards:
            shards[option] = names.get(shards[option], shards[option])


def _renamed(values: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    return {names.get(name, name): value for name, value in values.items()}
