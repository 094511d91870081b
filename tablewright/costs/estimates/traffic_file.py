"""Traffic file: TOML that says how a table is used, read and checked by its design."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from tablewright.costs.estimates.traffic import (
    RATES,
    SECONDS_PER_MONTH,
    FunctionUse,
    InvalidTraffic,
    Kept,
    PatternUse,
    Traffic,
)
from tablewright.model import Design

_T = TypeVar("_T")
_MOST = 10**15
_GROUPS = ("patterns", "items", "functions")


class TrafficFile(NamedTuple):
    """What a file says, and what of it a design does not have."""

    traffic: Traffic
    left_out: tuple[str, ...] = ()


def read_traffic(path: Path, design: Design, *, skip_unknown: bool = False) -> TrafficFile:
    """The traffic in a file; raises InvalidTraffic, which says where it does not fit.

    With `skip_unknown`, patterns and entities that the design does not have are left out.
    """
    try:
        values = tomllib.loads(path.read_text(), parse_float=Decimal)
    except OSError as error:
        raise InvalidTraffic(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidTraffic(f"{path} is no TOML: {error}") from None
    try:
        return _traffic(values, design, skip_unknown=skip_unknown)
    except InvalidTraffic as error:
        raise InvalidTraffic(f"{path}: {error}") from None


def _traffic(values: dict[str, Any], design: Design, *, skip_unknown: bool) -> TrafficFile:
    left_out: list[str] = []
    known: dict[str, tuple[Collection[str], str]] = {
        "patterns": (design.patterns, "pattern"),
        "items": (design.entities, "entity"),
    }
    groups: dict[str, dict[str, Any]] = {}
    for group in _GROUPS:
        groups[group] = dict(_table(values.pop(group, {}), group))
        names, noun = known.get(group, (groups[group], ""))
        for name in [name for name in groups[group] if name not in names]:
            if not skip_unknown:
                raise InvalidTraffic(f"{design.id} has no {noun} '{name}'{_meant(name, names)}")
            left_out.append(f"{group}.{name}")
            del groups[group][name]
    patterns = {name: _pattern(one, name, design) for name, one in groups["patterns"].items()}
    made = {
        "patterns": patterns,
        "items": {name: _kept(one, name) for name, one in groups["items"].items()},
        "functions": {
            name: _made(FunctionUse, _times(one, f"functions.{name}"), f"functions.{name}")
            for name, one in groups["functions"].items()
        },
    }
    return TrafficFile(_made(Traffic, values, "", **made), tuple(left_out))


def _pattern(value: object, name: str, design: Design) -> PatternUse:
    path = f"patterns.{name}"
    made = _made(PatternUse, _times(value, path), path)
    for index in made.moves:
        if index not in design.indexes:
            raise InvalidTraffic(
                f"{path}.moves: {design.id} has no index '{index}'{_meant(index, design.indexes)}"
            )
    return made


def _times(value: object, path: str) -> dict[str, Any]:
    """The table with `times` in place of how often by second, day or month."""
    told = dict(_table(value, path))
    rates = [name for name in RATES if name in told]
    if len(rates) != 1:
        raise InvalidTraffic(f"{path} says how often by one of {', '.join(RATES)}")
    rate = told.pop(rates[0])
    times = _number(rate, f"{path}.{rates[0]}") * SECONDS_PER_MONTH / RATES[rates[0]]
    return {**told, "times": times}


def _kept(value: object, name: str) -> Kept:
    path = f"items.{name}"
    told = dict(_table(value, path))
    if "per_day" in told or "days" in told:
        if "number" in told or not {"per_day", "days"} <= told.keys():
            raise InvalidTraffic(f"{path} has either number, or per_day and the days they are kept")
        per_day = _number(told.pop("per_day"), f"{path}.per_day")
        told["number"] = int(per_day * _number(told.pop("days"), f"{path}.days"))
    return _made(Kept, told, path)


def _made(kind: type[_T], values: Mapping[str, Any], path: str, **more: object) -> _T:
    """An object of a dataclass, of the values that a file has for it."""
    hints = get_type_hints(kind)
    accepted = [one.name for one in fields(kind) if one.name not in more]  # type: ignore[arg-type]
    shown = [*RATES, *accepted] if "times" in accepted else accepted
    shown = [name for name in shown if name != "times"]
    where = path or "the file"
    for name in values:
        if name not in accepted:
            listed = ", ".join(shown)
            raise InvalidTraffic(f"{where} has '{name}'{_meant(name, shown)} It takes {listed}")
    missing = [
        one.name
        for one in fields(kind)  # type: ignore[arg-type]
        if one.name in accepted
        and one.name not in values
        and one.default is MISSING
        and one.default_factory is MISSING
    ]
    if missing:
        raise InvalidTraffic(f"{where} lacks {', '.join(missing)}")
    prefix = f"{path}." if path else ""
    read = {name: _value(hints[name], one, f"{prefix}{name}") for name, one in values.items()}
    return kind(**read, **more)


def _value(hint: Any, value: object, path: str) -> object:
    if isinstance(hint, UnionType):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    if hint is Decimal:
        return _number(value, path)
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InvalidTraffic(f"{path} is a list of names, not {value!r}")
        return tuple(value)
    # True is an int to Python, and to nobody else.
    if type(value) is not hint or (hint is int and not 0 <= int(str(value)) <= _MOST):
        kinds = {int: "a whole number", bool: "true or false", str: "a text"}
        raise InvalidTraffic(f"{path} is {kinds[hint]}, not {value!r}")
    return value


def _number(value: object, path: str) -> Decimal:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        number = Decimal(value)
        if number.is_finite() and 0 <= number <= _MOST:
            return number
    raise InvalidTraffic(f"{path} is a number, not {value!r}")


def _table(value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidTraffic(f"[{path}] is a table of names and values, not {value!r}")
    return value


def _meant(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f". Did you mean '{near[0]}'?" if near else "."
