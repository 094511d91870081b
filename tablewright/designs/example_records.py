"""Example records of an entity: its example, and others like it, so that a list has several items.

They are the same each time: a page made from them changes with the design alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any

from tablewright.model import Design, EntityModel, Field, InvalidRecord, InvalidValue, Record
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField
from tablewright.model.fields.text import ChoiceField, TextField
from tablewright.model.fields.time import (
    DateTextField,
    HourTextField,
    TimestampTextField,
    iso_utc,
)
from tablewright.model.part import PartModel

_MOMENT = datetime(2026, 1, 31, 9, tzinfo=UTC)
# Values of which one fits most fields.
_ANYTHING: tuple[Any, ...] = (
    *(_MOMENT, _MOMENT.date(), iso_utc(_MOMENT), "2026-01-31", "2026-01-31-09"),
    *(1, Decimal(1), Decimal("0.5"), False, b"1", {"a": 1}, "1", "a", "A", "a@b.example"),
    "019c1376-5880-7abc-8def-0123456789ab",
)
# As many records as make a list, if there can be so many.
SEVERAL = 3
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


class NoExample(TablewrightError, ValueError):
    """An entity has no example, and none can be made up: declare it with one."""


def example_records(design: Design, entity: EntityModel) -> list[Record]:
    """The example and, each with a key of its own, some that lie beside it and one elsewhere.

    Beside it in the table they differ in fields of sort keys; elsewhere, in the last field of the
    partition key.
    """
    example = example_of(entity)
    beside, elsewhere = _fields_to_vary(design, entity)
    # The next one by its last field, and by the moments that lists are in the order of.
    own = set(given_by(entity, entity.key.sort_fields[-1:]))
    next_one = [name for name in beside if name in own or _is_moment(entity.by_name[name])]
    more = [(next_one, 1), (beside, 2), (elsewhere, 1)]
    wanted = more if beside else [(elsewhere, 1), (elsewhere, 2)]
    # Then whatever makes another key, a tenant at last.
    alone = [([name], step) for name in reversed(entity.inputs(entity.key)) for step in (1, 2)]
    found = {_key(design, entity, example): example}
    for at, (names, step) in enumerate((*wanted, *alone)):
        if at >= len(wanted) and len(found) >= SEVERAL:
            break
        record = varied_record(entity, example, names, step)
        if record is not None:
            found.setdefault(_key(design, entity, record), record)
    return list(found.values())


def example_of(entity: EntityModel, **values: Any) -> Record:
    """The entity's example, or one made up from its fields; `values` replace some of its own."""
    if entity.example:
        return entity.check({**entity.example, **values})
    try:
        return entity.check({**_made_up(entity), **values})
    except InvalidRecord as problem:
        if any(value.field in values for value in problem.problems):
            raise
        raise NoExample(
            f"no example of {entity.name} can be made up ({problem}): give it example={{…}}"
        ) from None


def varied_record(
    entity: EntityModel, record: Record, names: Sequence[str], step: int = 1
) -> Record | None:
    """A record with other values in those of the named fields that it has; None where there is no
    sound one."""
    present = [name for name in names if name in record]
    others = {name: other_value(entity.by_name[name], record[name], step) for name in present}
    changed = {name: value for name, value in others.items() if value is not None}
    try:
        return entity.check({**record, **changed}) if changed else None
    except InvalidRecord:
        return None


def other_value(field: Field[Any], value: Any, step: int = 1) -> Any | None:
    """A value of a field that is not this one, some steps from it; None where none is known."""
    for candidate in _candidates(field, value, step):
        try:
            checked = field.check(candidate)
        except (InvalidValue, ArithmeticError, ValueError):
            continue
        if checked is not None and checked != value:
            return checked
    return None


def _made_up(part: PartModel) -> dict[str, Any]:
    """A value for each field that needs one."""
    wanted = (field for field in part.fields if not field.optional)
    return {field.name: any_value(field) for field in wanted}


def any_value(field: Field[Any]) -> Any | None:
    """A value that a field accepts, None where none is known."""
    if isinstance(field, PartOfField):
        return _made_up(field.of.__part__)
    if isinstance(field, SetOfField | ListOfField):
        one = any_value(field.of)
        return [] if one is None else [one]
    words = field.choices if isinstance(field, ChoiceField) else ()
    candidates = (*map(field.from_plain, words), f"{field.label}-1", field.label, *_ANYTHING)
    if isinstance(field, TextField) and field.pattern:
        candidates += tuple(text_like(field.pattern, more) for more in (0, 1, 7, 31))
    for candidate in candidates:
        try:
            field.check(candidate)
        except (InvalidValue, ArithmeticError, ValueError):
            continue
        return candidate
    return None


def text_like(pattern: str, more: int = 0) -> str:
    """Make up a text for a regular expression, with `more` repetitions than it requires.

    A few expressions do not match it, such as those that look ahead.
    """
    # The parser of `re` itself; it has no public name.
    return _text_of(import_module("re._parser").parse(pattern), more)


def _text_of(parts: Iterable[tuple[Any, Any]], more: int) -> str:
    return "".join(_part_text(str(kind), value, more) for kind, value in parts)


def _part_text(kind: str, value: Any, more: int) -> str:
    match kind:
        case "LITERAL" | "RANGE":
            return chr(value if kind == "LITERAL" else value[0])
        case "CATEGORY":
            texts = {"CATEGORY_SPACE": " ", "CATEGORY_NOT_DIGIT": "a", "CATEGORY_NOT_WORD": "-"}
            return texts.get(str(value), "1")
        case "IN":
            return "a" if str(value[0][0]) == "NEGATE" else _text_of(value[:1], more)
        case "ANY" | "NOT_LITERAL":
            return "b" if value == ord("a") else "a"
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, part = value
            repetitions: int = min(least + more, int(most))
            return _text_of(part, more) * repetitions
        case "BRANCH":
            return _text_of(value[1][0], more)
        case "SUBPATTERN":
            return _text_of(value[-1], more)
    return ""


def given_by(entity: EntityModel, names: Sequence[str]) -> list[str]:
    """The fields that parts of a key are given by: those that a computed part is made from."""
    parts = ((entity.computed[n].inputs if n in entity.computed else (n,)) for n in names)
    return list(dict.fromkeys(name for part in parts for name in part))


def _fields_to_vary(design: Design, entity: EntityModel) -> tuple[list[str], list[str]]:
    """The fields to vary within a partition of the table, and those for another partition."""
    partition = given_by(entity, entity.key.partition_fields)
    kept = {n for key in entity.keys for n in given_by(entity, key.partition_fields)}
    own = [name for name in given_by(entity, entity.key.sort_fields) if name not in partition]
    listed = [n for key in entity.indexed.values() for n in given_by(entity, key.sort_fields)]
    more = [name for name in listed if name not in kept]
    free = [name for name in partition if name != design.tenant]
    beside = list(dict.fromkeys([*own, *more])) if own else []
    return beside, list(dict.fromkeys([*free[-1:], *(() if own else more)]))


def _is_moment(field: Field[Any]) -> bool:
    return isinstance(field, DateTextField | HourTextField | TimestampTextField)


def _key(design: Design, entity: EntityModel, record: Mapping[str, Any]) -> tuple[Any, ...]:
    attributes = design.attributes(entity, record)
    return tuple(attributes[name] for name in design.key.names)


def _candidates(field: Field[Any], value: Any, step: int) -> Iterator[Any]:
    if isinstance(field, ChoiceField):
        words = list(field.choices)
        plain = field.to_plain(value)
        following = words[(words.index(plain) + step) % len(words)] if plain in words else words[0]
        yield field.from_plain(following)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, datetime):
        yield value + timedelta(hours=step)
        yield value - timedelta(hours=step)
    elif isinstance(value, date):
        yield value + timedelta(days=step)
        yield value - timedelta(days=step)
    elif isinstance(value, int | Decimal):
        yield value + step
        yield value - step
    elif isinstance(value, bytes):
        yield value[:-1] + bytes([(value[-1] + step) % 256])
    elif isinstance(value, str):
        yield from _texts(value, step)


def _texts(text: str, step: int) -> Iterator[str]:
    """Texts like this one: a moment, a number counted up, an address, a name with a number."""
    yield from _moments(text, step)
    if digits := re.search(r"(?<![0-9a-fA-F])\d{1,9}$", text):
        number = digits.group()
        yield text[: digits.start()] + str(int(number) + step).zfill(len(number))
    if "@" in text:
        name, _, host = text.partition("@")
        yield f"{name}{step + 1}@{host}"
    last = text[-1:].lower()
    # An id that is nothing but hexadecimal, or of a fixed length, is told by its last character.
    if len(text) >= 16 and last in _ALPHABET:
        yield _last_moved(text, step)
    yield f"{text}-{step + 1}"
    yield f"{text}{step + 1}"
    if last in _ALPHABET:
        yield _last_moved(text, step)


def _last_moved(text: str, step: int) -> str:
    at = _ALPHABET.index(text[-1].lower())
    size = 16 if at < 16 else len(_ALPHABET)
    moved = _ALPHABET[(at + step) % size]
    return text[:-1] + (moved.upper() if text[-1].isupper() else moved)


def _moments(text: str, step: int) -> Iterator[str]:
    hour = re.fullmatch(r"(\d{4}-\d{2}-\d{2})-(\d{2})", text)
    if hour:
        yield f"{hour[1]}-{(int(hour[2]) + step) % 24:02}"
        return
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return
    if len(text) == len("2026-01-31"):
        yield (moment + timedelta(days=step)).date().isoformat()
    else:
        later = (moment + timedelta(hours=step)).isoformat()
        # As precise, and with the same sign for UTC, as the one that it is made from.
        yield later[: len(text) - 1] + "Z" if text.endswith("Z") else later
        yield later.replace("+00:00", "Z")
