"""Kinds of many items: by words in their keys that go with other attributes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from tablewright.designs.inference.grouping import Grouped, name_by_words, telling_attribute
from tablewright.designs.inference.observed import Item, ObservedEntity, ObservedTable
from tablewright.designs.inference.sampled.parts import (
    SURE,
    WORD,
    Parts,
    delimiter_of,
    frequent_words,
    misses_allowed,
    parted,
)

_FEW = 3
_MOST_WORDS = 30
_MOST_KINDS = 100
_OFTEN = 0.9
_LABELS = 8  # words in capitals that begin keys, by which kinds are told if nothing else differs


class _Seen(NamedTuple):
    """An item, the parts of each attribute of its key, and the attributes beside them."""

    item: Item
    keys: tuple[Parts, ...]
    names: frozenset[str]


def group_sample(table: ObservedTable) -> Grouped:
    """The items of a table by their kinds."""
    seen = _seen(table)
    telling = telling_attribute(table, table.items)
    # Indexes that name what they carry would carry it, too.
    if telling and all(isinstance(i.projects, str) or telling in i.projects for i in table.indexes):
        kinds: defaultdict[str, list[_Seen]] = defaultdict(list)
        for one in seen:
            kinds[one.item[telling]["S"]].append(one)
        if "ENTITY" in telling.upper() or _tell_apart(list(kinds.values())):
            told = (_entity(name, some) for name, some in kinds.items())
            return Grouped(tuple(told), telling, "#")
    found: dict[str, ObservedEntity] = {}
    for some in _split(seen):
        name = wanted = name_by_words(table, _words(some))
        number = 2
        while name in found:
            name, number = f"{wanted}{number}", number + 1
        found[name] = _entity(name, some)
    return Grouped(tuple(found.values()), None, "#")


def _entity(name: str, seen: Sequence[_Seen]) -> ObservedEntity:
    return ObservedEntity(name, tuple(one.item for one in seen))


def _seen(table: ObservedTable) -> list[_Seen]:
    columns = []
    for name in table.key:
        texts = [str(item[name].get("S", "")) for item in table.items]
        columns.append(parted(texts, delimiter_of(texts)))
    keys = {*table.key}
    return [
        _Seen(item, own, frozenset(item.keys() - keys))
        for item, own in zip(table.items, zip(*columns, strict=True), strict=True)
    ]


def _tell_apart(kinds: Sequence[Sequence[_Seen]]) -> bool:
    """Whether the keys of each kind have words of their own."""
    forms = [_constants(some) for some in kinds]
    return 1 < len(kinds) <= _MOST_KINDS and len(set(forms)) == len(forms)


def _constants(seen: Sequence[_Seen]) -> tuple[object, ...]:
    """What is the same in the keys of all: how many parts there are, and those that never vary."""
    found: list[object] = []
    for at in range(len(seen[0].keys)):
        parts = [one.keys[at] for one in seen]
        if len({len(one) for one in parts}) > 1:
            found.append(None)
            continue
        columns = zip(*parts, strict=True)
        found.append(tuple(some[0] if len(set(some)) == 1 else "*" for some in columns))
    return tuple(found)


def _split(seen: list[_Seen]) -> Iterator[list[_Seen]]:
    """Kinds of items: first by how many parts their keys have, then by words."""
    shapes: defaultdict[tuple[int, ...], list[_Seen]] = defaultdict(list)
    for one in seen:
        shapes[tuple(map(len, one.keys))].append(one)
    for some in shapes.values():
        yield from _split_by_words(some)


def _split_by_words(seen: list[_Seen]) -> Iterator[list[_Seen]]:
    places = ((key, at) for key, parts in enumerate(seen[0].keys) for at in range(len(parts)))
    told = [one for place in places for one in [_kinds_at(seen, *place)] if one]
    if not told:
        yield from _without_strays(seen)
        return
    # First where most items have such words: those that few have can be there by chance.
    for some in max(told, key=lambda one: one.worded).kinds:
        yield from _split_by_words(some)


def _without_strays(seen: list[_Seen]) -> Iterator[list[_Seen]]:
    """The items of a kind, and apart from them those few that have another word than all."""
    for key, parts in enumerate(seen[0].keys):
        for place in range(len(parts)):
            counted = Counter(one.keys[key][place] for one in seen)
            word, times = counted.most_common(1)[0]
            strays = [one for one in counted if one != word]
            allowed = misses_allowed(len(seen))
            if 0 < len(seen) - times <= allowed and all(map(_is_label, (word, *strays))):
                by: defaultdict[str, list[_Seen]] = defaultdict(list)
                for one in seen:
                    by[one.keys[key][place]].append(one)
                yield from by.values()
                return
    yield seen


def _is_label(word: str) -> bool:
    return len(word) >= _FEW and word.isupper() and bool(WORD.fullmatch(word))


class _Kinds(NamedTuple):
    kinds: list[list[_Seen]]
    worded: int


def _kinds_at(seen: list[_Seen], key: int, place: int) -> _Kinds | None:
    """Items by the word at a place of a key, None where that tells no kinds."""
    words = {word for _, word in frequent_words([(one.keys[key][place],) for one in seen])}
    if not 0 < len(words) <= _MOST_WORDS or _is_attribute(seen, key, place):
        return None
    by: defaultdict[str | None, list[_Seen]] = defaultdict(list)
    for one in seen:
        word = one.keys[key][place]
        by[word if word in words else None].append(one)
    kinds = _Kinds(list(by.values()), len(seen) - len(by.get(None, ())))
    if len(by) < 2:
        return None
    labels = place == 0 and None not in by and len(by) <= _LABELS
    if labels and all(map(_is_label, words)):
        return kinds
    shares = [_shares(some) for some in kinds.kinds]
    return kinds if any(_differ(*two) for two in combinations(shares, 2)) else None


def _is_attribute(seen: Sequence[_Seen], key: int, place: int) -> bool:
    """Whether some attribute has what stands at a place, so that it is no word."""
    texts = [one.keys[key][place] for one in seen]
    for name in seen[0].names:
        allowed = misses_allowed(len(seen))
        for one, text in zip(seen, texts, strict=True):
            allowed -= one.item.get(name, {}).get("S") != text
            if allowed < 0:
                break
        else:
            return True
    return False


def _shares(seen: Sequence[_Seen]) -> tuple[int, Counter[str]]:
    return len(seen), Counter(name for one in seen for name in one.names)


def _differ(one: tuple[int, Counter[str]], two: tuple[int, Counter[str]]) -> bool:
    """Whether an attribute is nearly always there in one kind and nearly never in the other."""
    if min(one[0], two[0]) < SURE:
        return False
    for (count, has), (other, has_not) in ((one, two), (two, one)):
        often = (name for name, times in has.items() if times >= _OFTEN * count)
        if any(has_not[name] <= (1 - _OFTEN) * other for name in often):
            return True
    return False


def _words(seen: Sequence[_Seen]) -> list[str]:
    """The words that the keys of one kind have in common."""
    constant = [one for form in _constants(seen) if isinstance(form, tuple) for one in form]
    words = [word for word in constant if isinstance(word, str) and WORD.fullmatch(word)]
    # Of few items, ids too may be the same.
    return [word for word in words if word.isupper()] or words
