"""Dataclasses of numbers, texts, lists and one another, read from JSON and checked."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tablewright.recommendations.usage import InvalidUsage

_T = TypeVar("_T")
_MOST = 10**18


def from_json(kind: type[_T], given: object, name: str) -> _T:
    """An object of a dataclass; raises InvalidUsage, which says where it does not fit."""
    made: _T = _object(kind, given, name)
    return made


def _value(kind: Any, given: object, path: str) -> Any:
    """A value of a type: a number, a text, one of our classes, or a tuple of either."""
    if is_dataclass(kind):
        return _object(kind, given, path)
    if get_origin(kind) is tuple:
        if not isinstance(given, list):
            raise InvalidUsage(f"{path} is a list, not {given!r}")
        each = get_args(kind)[0]
        return tuple(_value(each, one, f"{path}[{at}]") for at, one in enumerate(given))
    if isinstance(kind, UnionType):
        if given is None:
            return None
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
        return _value(kind, given, path)
    if kind is Decimal:
        return _number(given, path)
    # True is an int to Python, and to nobody else.
    if type(given) is not kind or (isinstance(given, int) and abs(given) > _MOST):
        raise InvalidUsage(f"{path} is of type {kind.__name__}, not {given!r}")
    return given


def _object(kind: Any, given: object, path: str) -> Any:
    if not isinstance(given, Mapping):
        raise InvalidUsage(f"{path} is an object, not {given!r}")
    known = {field.name: field for field in fields(kind)}
    if unknown := sorted(given.keys() - known):
        raise InvalidUsage(f"{path} has no {', '.join(unknown)}")
    needed = {name for name, field in known.items() if field.default is MISSING}
    if missing := sorted(needed - given.keys()):
        raise InvalidUsage(f"{path} lacks {', '.join(missing)}")
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], one, f"{path}.{name}") for name, one in given.items()})


def _number(given: object, path: str) -> Decimal:
    try:
        number = Decimal(given) if isinstance(given, str | int | Decimal) else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not (number.is_finite() and abs(number) <= _MOST):
        raise InvalidUsage(f"{path} is a number, not {given!r}")
    return number
