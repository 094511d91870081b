"""Names of inferred fields, and lists of names as descriptions have them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from tablewright.designs.source.names import attribute_name

# What records have as mappings, and what keys have for their shard.
_RESERVED = {"get", "items", "keys", "values", "shard"}


def free_name(wanted: str, taken: Container[str]) -> str:
    """A name for a field that no other has: the wanted one, or one like it."""

    def is_free(name: str) -> bool:
        return name not in taken and name not in _RESERVED

    name = base = attribute_name(wanted)
    if not is_free(name):
        name = f"{base}_in_key" if base.endswith("_id") else f"{base}_id"
    number = 2
    while not is_free(name):
        name, number = f"{base}_{number}", number + 1
    return name


def labelled(label: str) -> str:
    """A name for a part of a key, after the word before it."""
    name = attribute_name(label or "part")
    return name if len(name) > 2 or name == "id" else f"{name}_id"


def stored_as(name: str, attribute: str) -> dict[str, Any]:
    """Where a field is stored, if that is not under its own name."""
    return {} if name == attribute else {"stored": attribute}


def one_or_several(names: Sequence[str]) -> str | list[str]:
    """Attributes or forms of a key, as a description has them."""
    return names[0] if len(names) == 1 else list(names)
