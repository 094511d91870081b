"""Descriptions that can be written as Python: every name in them is one, every kind is known.

A description may come from a file of somebody else, and what is written of it is run.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.designs.description.design import FORMAT, PATTERNS, Description
from tablewright.designs.description.errors import Indescribable
from tablewright.designs.description.fields import KINDS

Json = Mapping[str, Any]

_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_PATTERNS = {kind.__name__ for kind in PATTERNS}
_COMPUTED = ("Computed", "Digest", "Reversed")
_SHARDS = ("EpochShards", "Shards")
_PROJECTIONS = ("ALL", "KEYS_ONLY")


def refuse_unwritable(description: Description) -> None:
    """Raise Indescribable for a description of another format, or with what is no name or kind."""
    if description.get("format") != FORMAT:
        raise Indescribable(
            f"a description of format {description.get('format')} cannot be read: this version of "
            f"Tablewright reads format {FORMAT}"
        )
    for name in _names(description):
        if not is_name(name):
            raise Indescribable(f"{name!r} is no name that Python takes")
    for what, kind, known in _kinds(description):
        if kind not in known and not (what == "field" and _PATH.fullmatch(str(kind))):
            raise Indescribable(f"there is no {what} of kind {kind!r}")
    for path in _functions(description):
        if not _PATH.fullmatch(path):
            raise Indescribable(f"{path!r} is no function: it is given as package.module:name")


def imported(description: Description) -> Iterator[str]:
    """The functions and kinds of fields that a description names by where they are imported."""
    kinds = (str(field["kind"]) for field in _fields(description))
    yield from (kind for kind in kinds if ":" in kind)
    yield from _functions(description)


def is_name(name: object) -> bool:
    """Whether Python takes something as a name."""
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def _owners(description: Description) -> Iterator[Json]:
    yield from description.get("parts", {}).values()
    yield from description["entities"].values()


def _fields(description: Description) -> Iterator[Json]:
    fields = [one for owner in _owners(description) for one in owner["fields"].values()]
    for field in fields:
        yield field
        while isinstance(field.get("of"), Mapping):
            field = field["of"]
            yield field


def _keys(description: Description) -> Iterator[Json]:
    yield from (entity["key"] for entity in description["entities"].values())
    for index in description["indexes"].values():
        yield from index["keys"].values()


def _names(description: Description) -> Iterator[str]:
    yield from description["patterns"]
    for members in description.get("enums", {}).values():
        yield from members
    for owner in _owners(description):
        yield from owner["fields"]
        yield from owner.get("computed", {})
        for part in owner.get("computed", {}).values():
            yield from part["of"]
    for field in _fields(description):
        yield from field


def _computed(description: Description) -> Iterator[Json]:
    for entity in description["entities"].values():
        yield from entity.get("computed", {}).values()


def _kinds(description: Description) -> Iterator[tuple[str, Any, Any]]:
    for field in _fields(description):
        yield "field", field["kind"], KINDS.values()
    for pattern in description["patterns"].values():
        yield "access pattern", pattern["kind"], _PATTERNS
    for part in _computed(description):
        yield "computed part", part["kind"], _COMPUTED
    for key in _keys(description):
        if "shards" in key:
            yield "shards", key["shards"]["kind"], _SHARDS
    for index in description["indexes"].values():
        if isinstance(index["projects"], str):
            yield "projection", index["projects"], _PROJECTIONS


def _functions(description: Description) -> Iterator[str]:
    yield from (part["function"] for part in _computed(description) if "function" in part)
    yield from (key["shards"]["function"] for key in _keys(description) if "shards" in key)
