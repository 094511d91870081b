"""Items sorted into kinds: by an attribute that tells, or else by the words in their keys."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tablewright.designs.inference.forms import delimiter_of, signature, tells_form
from tablewright.designs.inference.observed import Item, ObservedEntity, ObservedTable
from tablewright.designs.source.names import class_name, words

_TELLING = re.compile(r"_*(entity|item|object|record)?[_-]?(type|kind|typename)|_*entity|_et", re.I)
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,40}")
# Words that say nothing of what an item is.
_EMPTY = {"METADATA", "META", "PROFILE", "INFO", "DETAILS", "DATA", "ROOT", "A"}


class Grouped(NamedTuple):
    """Items by their kinds; `entity_type` is the attribute that tells them, if there is one.

    Of kinds that are left out there are neither items nor forms of keys.
    """

    entities: tuple[ObservedEntity, ...]
    entity_type: str | None
    delimiter: str
    left_out: tuple[str, ...] = ()


def grouped(table: ObservedTable) -> Grouped:
    """The items of a table by their kinds: those that were told, or else found."""
    told = list(table.entities)
    items = [*(item for entity in told for item in entity.items), *table.items]
    delimiter = delimiter_of(_key_texts(table, items))
    known = [entity for entity in told if entity.items or _tells_keys(table, entity, delimiter)]
    left_out = tuple(entity.name for entity in told if known and entity not in known)
    told = known or told
    if told:
        named = telling_attribute(table, items) if len(told) > 1 and not table.items else None
        renamed = _renamed(told, named) if named else None
        if renamed:
            return Grouped(renamed, named, delimiter, left_out)
        unsorted = _by_signature(table, table.items, delimiter)
        return Grouped((*told, *unsorted), None, delimiter, left_out)
    telling = telling_attribute(table, items)
    if telling and ("ENTITY" in telling.upper() or _differ(table, items, telling, delimiter)):
        kinds: defaultdict[str, list[Item]] = defaultdict(list)
        for item in items:
            kinds[item[telling]["S"]].append(item)
        sorted_items = (ObservedEntity(name, tuple(some)) for name, some in kinds.items())
        return Grouped(tuple(sorted_items), telling, delimiter)
    found = _by_signature(table, items, delimiter)
    return Grouped(found or (ObservedEntity(item_name(table)),), None, delimiter)


def singular(name: str) -> str:
    """A name for one of what a table is called after.

    >>> singular("Orders"), singular("order-entries"), singular("Address")
    ('Order', 'OrderEntry', 'Address')
    """
    found = class_name(name)
    if found.endswith("ies"):
        return f"{found[:-3]}y"
    return found[:-1] if found.endswith("s") and not found.endswith("ss") else found


def item_name(table: ObservedTable) -> str:
    """A name for the items of a table that nothing else names."""
    name = singular(table.name)
    return name if name != class_name(table.name) else f"{name}Item"


def _tells_keys(table: ObservedTable, entity: ObservedEntity, delimiter: str) -> bool:
    aliases = zip(entity.aliases, table.key, strict=False)
    return any(tells_form(alias, name, delimiter) for alias, name in aliases)


def _key_texts(table: ObservedTable, items: Iterable[Item]) -> list[str]:
    names = table.key_attributes
    return [item[name]["S"] for item in items for name in names if "S" in item.get(name, ())]


def telling_attribute(table: ObservedTable, items: Sequence[Item]) -> str | None:
    """The attribute that every item has, and that names its kind."""
    if not items:
        return None
    for name in items[0]:
        if name in table.key_attributes or not _TELLING.fullmatch(name):
            continue
        kinds = [item.get(name, {}).get("S", "") for item in items]
        classes = {class_name(kind) for kind in kinds}
        named = all(map(_KIND.fullmatch, kinds)) and len(classes) == len(set(kinds))
        if named:
            return name
    return None


def _differ(table: ObservedTable, items: Sequence[Item], telling: str, delimiter: str) -> bool:
    """Whether items of several kinds have keys of several forms, no two kinds the same."""
    kinds: defaultdict[tuple[tuple[str, ...], ...], set[str]] = defaultdict(set)
    for item in items:
        kinds[_signatures(table, item, delimiter)].add(item[telling]["S"])
    return len(kinds) > 1 and all(len(some) == 1 for some in kinds.values())


def _signatures(table: ObservedTable, item: Item, delimiter: str) -> tuple[tuple[str, ...], ...]:
    texts = (item[name].get("S", "") for name in table.key if name in item)
    return tuple(signature(text, delimiter) for text in texts)


def _renamed(entities: Sequence[ObservedEntity], telling: str) -> tuple[ObservedEntity, ...] | None:
    """Entities by what the items of each say that they are, None where they do not agree."""
    found: dict[str, ObservedEntity] = {}
    for entity in entities:
        kinds = {item[telling]["S"] for item in entity.items}
        if len(kinds) != 1 or kinds & found.keys():
            return None
        (kind,) = kinds
        attributes = tuple(name for name in entity.attributes if name != telling)
        found[kind] = entity._replace(name=kind, attributes=attributes)
    return tuple(found.values())


def _by_signature(
    table: ObservedTable, items: Sequence[Item], delimiter: str
) -> tuple[ObservedEntity, ...]:
    by: defaultdict[tuple[tuple[str, ...], ...], list[Item]] = defaultdict(list)
    for item in items:
        by[_signatures(table, item, delimiter)].append(item)
    found: dict[str, ObservedEntity] = {}
    for forms, some in by.items():
        said = [word for form in forms for word in form if word not in ("*", "")]
        name = wanted = name_by_words(table, said)
        number = 2
        while name in found:
            name, number = f"{wanted}{number}", number + 1
        found[name] = ObservedEntity(name, tuple(some))
    return tuple(found.values())


def name_by_words(table: ObservedTable, said: Iterable[str]) -> str:
    """What the words in the keys of items call them."""
    telling = [word for word in said if word.upper() not in _EMPTY]
    parts = dict.fromkeys(part.lower() for word in telling for part in words(word))
    return singular(" ".join(parts)) if parts else item_name(table)
