"""Mutations: a description changed in every place where it can be, one at a time."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tablewright.designs import Description

Path = tuple[str, ...]
# By the last but one name of a path, the names below it are somebody's own.
_NAMED = {"entities", "indexes", "patterns", "fields", "computed"}
# Without these a description is none. Parts and enumerations go with the fields of them.
_NEEDED = {
    *("format", "id", "describes", "key", "entities", "indexes", "patterns", "parts", "enums"),
    *("kind", "of", "function", "fields", "partition", "projects", "keys", "enum", "choices"),
    *("count", "by", "max_length", "field", "resolution", "sort", "prefix"),
}
_GONE = object()
_OTHER_KINDS = {"Shards": "EpochShards", "EpochShards": "Shards", "Digest": "Reversed"}


def mutations(description: Description) -> Iterator[tuple[Path, Description]]:
    """The description, changed in one place each, with the path of that place."""
    for path, value in _places(description, ()):
        for other in (one for one in _others(path, value) if one != value):
            yield path, _changed(description, path, other)
        if _can_go(path):
            mutated = _changed(description, path, _GONE)
            if path[:-1] == ("entities",):
                mutated = deepcopy(mutated)
                for index in mutated["indexes"].values():
                    index["keys"].pop(path[-1], None)
            yield path, mutated


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    if isinstance(value, dict) and path[-1:] != ("default",):
        for name, one in value.items():
            yield from _places(one, (*path, name))


def _changed(value: Any, path: Path, other: Any) -> Any:
    """A copy of what lies on the path, and all else as it is."""
    if not path:
        return other
    below = _changed(value[path[0]], path[1:], other)
    kept = {name: one for name, one in value.items() if name != path[0]}
    return kept if below is _GONE else {**value, path[0]: below}


def _can_go(path: Path) -> bool:
    if path[-2:-1] and path[-2] in _NAMED:
        return True
    if path[:-1] in (("parts",), ("enums",)):
        return False  # fields refer to them
    in_index_keys = len(path) == 4 and path[2] == "keys"
    return in_index_keys or path[-1] not in _NEEDED


def _others(path: Path, value: Any) -> Iterator[Any]:
    name = path[-1]
    if name in ("format", "enum") or (name == "of" and path[0] != "patterns"):
        return  # what they refer to must be there
    if name == "kind":
        yield _OTHER_KINDS.get(value, "Text" if value != "Text" else "Prose")
        yield from ["Flag"] if "fields" in path else []
    elif name == "resolution":
        yield from ("s", "ms", "us")
    elif isinstance(value, bool):
        return  # told only where it is so
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list):
        yield from ([*value, "x"], value[:-1], value[::-1])
    elif value is None:
        yield "x"
