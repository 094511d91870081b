"""Import paths: what a design refers to by function or class, as ``module:name``.

A description only names functions. Nothing is imported because a description names it: `own_names`
has all that it may name.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tablewright import model
from tablewright.designs.description.errors import Indescribable
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField
from tablewright.model.sharding.shards import java_hash, last_character, uniform
from tablewright.model.table import Design

LIBRARY = {f"{model.__name__}:{one.__name__}": one for one in (java_hash, last_character, uniform)}
"""Functions of the library that any description may name."""


def import_path(one: object, what: str) -> str:
    """Where a function or class can be imported from; `what` names its use to whoever is told that
    it cannot.

    >>> import_path(model.java_hash, "the function")
    'tablewright.model:java_hash'
    """
    name = str(getattr(one, "__qualname__", ""))
    if getattr(model, name, None) is one:
        return f"{model.__name__}:{name}"
    module = str(getattr(one, "__module__", ""))
    home = sys.modules.get(module)
    if not name.isidentifier() or module == "__main__" or getattr(home, name, None) is not one:
        shown = "a lambda" if name.endswith("<lambda>") else repr(name or one)
        raise Indescribable(
            f"{what} is {shown}, which no other module can import: declare it at the top level of "
            "a module, under a name of its own"
        )
    return f"{module}:{name}"


def own_names(designs: Iterable[Design]) -> dict[str, Any]:
    """Functions and classes of fields that declared designs use, by import path.

    These are the only ones outside the library that a description may name.
    """
    found: dict[str, Any] = {}
    for design in designs:
        for one in _used(design):
            try:
                found[import_path(one, "")] = one
            except Indescribable:
                continue
    return found


def _used(design: Design) -> Iterator[object]:
    for entity in design.entity_list:
        for field in entity.fields:
            yield from _kinds(field)
        yield from (part.function for part in entity.computed.values())
        yield from (key.shards.function for key in entity.keys if key.shards)


def _kinds(field: Field[Any]) -> Iterator[type]:
    yield type(field)
    if isinstance(field, ListOfField | SetOfField):
        yield from _kinds(field.of)
    elif isinstance(field, PartOfField):
        for member in field.of.__part__.fields:
            yield from _kinds(member)
