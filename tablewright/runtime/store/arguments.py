"""Arguments of a store's calls: each is checked before the first call to DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.model.arguments import described, require_list
from tablewright.model.declaration import Part
from tablewright.model.entity import EntityModel
from tablewright.model.patterns import Pattern
from tablewright.model.table import Design


def wrong_pattern(design: Design, pattern: object, kind: type[Pattern[Any]]) -> TypeError:
    """Build the error for what is not a pattern of this kind of the table."""
    names = [one.name for one in design.pattern_list if isinstance(one, kind)]
    fix = f"Pass {' or '.join(names)} of the table" if names else f"Declare {kind.__name__}(…) in it"
    return TypeError(
        f"{described(pattern)} is not a {kind.__name__} of table '{design.id}'. {fix}"
    )


def require_key(entity: EntityModel, key: Any, fields: tuple[str, ...]) -> None:
    """Raise TypeError unless a key is a record of the entity, or a mapping of fields to values."""
    if not isinstance(key, Mapping) or (isinstance(key, Part) and not isinstance(key, entity.made)):
        names = ", ".join(f"{name!r}: …" for name in fields)
        raise TypeError(
            f"a key of {entity.name} must be a record of it or {{{names}}}, not {described(key)}"
        )


def partitions(along: Any) -> tuple[str, list[Any]] | None:
    """Check `along`: the name of a field and its values, or None."""
    if along is None:
        return None
    expected = 'a pair of a field\'s name and its values, such as ("day", ["2025-11-17"])'
    if not isinstance(along, tuple | list) or len(along) != 2 or not isinstance(along[0], str):
        raise TypeError(f"along must be {expected}, not {described(along)}")
    return along[0], require_list(along[1], "the values of along", "values")
