"""Arguments of calls and declarations: an error names the argument, its value and the fix."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

_SHORT = 60


def described(value: object) -> str:
    """A value in an error: as it is written if that is short, or else by its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    written = value is None or isinstance(value, str | bytes | bool | int | float | Decimal)
    if written or type(value).__module__.startswith("tablewright.model.patterns"):
        text = repr(value)
        return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def require(value: object, kind: Any, subject: str, expected: str) -> None:
    """Raise TypeError unless a value is of a type, or of one of several."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise TypeError(f"{subject} must be {expected}, not {described(value)}")


def require_class(value: object, base: type, subject: str, example: str) -> None:
    """Raise TypeError unless a value is a class that is declared from a base."""
    if not isinstance(value, type) or not issubclass(value, base) or value is base:
        raise TypeError(f"{subject} must be {example}, not {described(value)}")


def require_count(value: Any, subject: str, least: int = 1) -> None:
    """Raise TypeError or ValueError unless a value is a whole number of at least this size."""
    require(value, int, subject, f"a whole number from {least}")
    if value < least:
        raise ValueError(f"{subject} must be at least {least}, not {value}")


def require_list(values: Any, subject: str, of: str) -> list[Any]:
    """Return the elements of a collection. Raise TypeError for a text, a mapping or no collection.

    A text and a mapping can be iterated over, and would be taken for a list of their parts.
    """
    if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
        raise TypeError(f"{subject} must be a list of {of}, not {described(values)}")
    return list(values)
