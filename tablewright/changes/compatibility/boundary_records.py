"""Boundary records: records of an entity with values at the limits of their fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from tablewright.changes.compatibility.mapping import UNFIT, is_same
from tablewright.designs.example_records import any_value, example_of, text_like
from tablewright.model.entity import EntityModel
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import ListOfField, PartOfField, SetOfField
from tablewright.model.sharding.epochs import EpochListField, EpochShards
from tablewright.model.time_ids import moment_of

Values = dict[str, Any]

_MOST_VALUES = 24
_MOST_LENGTH = 5_000
_NOON = datetime(2031, 1, 1, 12, tzinfo=UTC)
_MOMENTS = (
    *(_NOON + timedelta(milliseconds=n) for n in (0, 1, 999, 1000, 60_000, 3_600_000, 86_400_000)),
    datetime(2001, 2, 3, tzinfo=UTC),
    datetime(9998, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC),
)
_TIME_IDS = ("018cc251-f400-7abc-8def-0123456789ab", "019c1376-5880-7abc-8def-0123456789ab")
_NUMBERS: tuple[Any, ...] = (
    *(1, 0, 2, 7, 10, 99, 300, 10_000, 999_999, 1_925_035_200),
    *map(Decimal, ("0.01", "0.1", "1.50", "12.75", "0.125", "0.1249", "0.123456", "12.755", "-1")),
    *map(Decimal, ("1E-10", "1E+20", "123456789012345678901234567890.12345678")),
)
_TEXTS = (
    # Texts that one kind of field accepts and another does not: digits, case, spaces, line
    # breaks, joined characters, the delimiter of keys, none.
    *("a", "b", "A", "a b", "é", "12", "007", "12.75", " a  b ", "a\u00a0b", "e\u0301", "a\nb"),
    *("\U0001f468\u200d\U0001f469", "a#b", "a|b", "a:b", "", "true", "2031-01-01", "2031-01-02"),
    *("2031-01-01T12:00:00.000Z", "2031-01-01T12:00:00.001Z", "2031-01-01T12:00:00Z"),
    *("2031-01-01-12", *_TIME_IDS),
)
# Values to try for a field, by the type that it is stored as. Fields keep the ones they accept.
_OFFERS: dict[str, tuple[Any, ...]] = {
    "S": (*_TEXTS, *_MOMENTS, *(moment.date() for moment in _MOMENTS), *_NUMBERS),
    "N": (*_NUMBERS, *_MOMENTS, *(moment.date() for moment in _MOMENTS), "12"),
    "B": (b"a", b"\x00\xff"),
    "BOOL": (True, False),
    "M": ({"a": 1}, {"a": {"b": ["c", None]}}, {}),
    "L": ((),),
}
EPOCHS = ({"from": "2025-01-01T00:00:00.000Z", "count": 3},)


def boundary_values(field: Field[Any], counterpart: Field[Any] | None = None) -> list[Any]:
    """Values that a field accepts: an ordinary one first, then those at its limits.

    The limits of the `counterpart`, the field in the other design, count as well.
    """
    fields = (field,) if counterpart is None else (field, counterpart)
    limits = [value for one in fields for value in _limits(one, fields)]
    values: list[Any] = []
    for offer in (*_compound_values(field), *limits, *_OFFERS.get(field.kind, ())):
        value = accepted(field, offer)
        if value is not None and not any(is_same(value, known) for known in values):
            values.append(value)
        if len(values) == _MOST_VALUES:
            break
    if not values and (value := any_value(field)) is not None:
        values = [accepted(field, value)]
    ordinary = [value for value in values if value in ("a", 1, _NOON)][:1]
    return ordinary + [value for value in values if not any(value is one for one in ordinary)]


def accepted(field: Field[Any], value: Any) -> Any:
    """The value as the field stores it; None for one that it refuses."""
    try:
        return field.check(value)
    except UNFIT:
        return None


def _compound_values(field: Field[Any]) -> Iterator[Any]:
    if isinstance(field, EpochListField):
        yield from ([], list(EPOCHS))
    elif isinstance(field, PartOfField):
        yield from _variations({one.name: boundary_values(one) for one in field.of.__part__.fields})
    elif isinstance(field, ListOfField | SetOfField):
        values = boundary_values(field.of)
        yield from ((value,) for value in values)
        yield tuple(values[:2])


def _limits(field: Field[Any], fields: Iterable[Field[Any]]) -> Iterator[Any]:
    """Values at the limits of a field. Long ones only where the fields have other limits."""
    yield from getattr(field, "choices", ())
    if digits := getattr(field, "digits", None):
        yield from (10**digits - 1, Decimal(10**digits - 1).scaleb(-2))
    if pattern := getattr(field, "pattern", None):
        yield from (text_like(pattern, more) for more in (0, 1, 7))
    for name in ("max_length", "min_length", "max_bytes", "max_items"):
        limits = {int(getattr(one, name, None) or 0) for one in fields}
        for limit in limits if len(limits) > 1 else ():
            size = min(limit, _MOST_LENGTH)
            yield from ("x" * size, b"x" * size, {"x": "x" * max(size - 9, 0)})
            if isinstance(field, ListOfField | SetOfField):
                members = (accepted(field.of, offer) for offer in _fresh_values(0, size))
                yield [member for member in members if member is not None][:size]


def _variations(values: Mapping[str, list[Any]]) -> Iterator[Values]:
    """Records with every value of every field, in as few records as possible; and without one."""
    present = {name: some for name, some in values.items() if some}
    base = {name: some[0] for name, some in present.items()}
    yield base
    for number in range(1, max(map(len, present.values()), default=0)):
        yield {name: some[number % len(some)] for name, some in present.items()}
    for name in base:
        yield {other: value for other, value in base.items() if other != name}


def boundary_records(
    entity: EntityModel, counterparts: Mapping[str, Field[Any]], alone: Iterable[str]
) -> Iterator[Any]:
    """Records that the entity accepts, each with a key of its own where the key has enough values.

    Fields named in `alone` are varied one at a time, all others together. The last record is as
    ordinary as the first.
    """
    values = {one.name: boundary_values(one, counterparts.get(one.name)) for one in entity.fields}
    for name, example in entity.example.items():
        values[name] = values[name] or [accepted(entity.by_name[name], example)]
    base = _base(entity, values)
    if base is None:
        return
    single = {*alone, *entity.inputs(entity.key)} & values.keys()
    together = {name: some for name, some in values.items() if name not in single}
    variations = [base]
    variations += [{**base, name: value} for name in sorted(single) for value in values[name]]
    for varied in _variations(together):
        dropped = {*together} - varied.keys()
        kept = {name: value for name, value in base.items() if name not in dropped}
        variations.append({**kept, **varied})
        for name, value in varied.items():
            # Where values do not fit together, each of them is tried alone.
            if _record(entity, variations[-1]) is None:
                variations.insert(-1, {**base, name: value})
    variations += [{n: v for n, v in base.items() if n != name} for name in sorted(single)]
    variations.append(base)
    seen: set[tuple[str, ...]] = set()
    names = entity.inputs(entity.key)
    for number, variation in enumerate(variations):
        record = _record(entity, variation)
        if record is not None:
            for candidate in (variation, *_with_new_keys(entity, variation, number)):
                identity = tuple(repr(candidate.get(name)) for name in names)
                other = _record(entity, candidate) if identity not in seen else None
                if other is not None:
                    seen.add(identity)
                    record = other
                    break
            yield record


def _base(entity: EntityModel, values: Mapping[str, list[Any]]) -> Values | None:
    """An ordinary record with a value in every field; None if no record can be made."""
    base = {name: some[0] for name, some in values.items() if some}
    if _record(entity, base) is not None:
        return base
    try:
        example = dict(example_of(entity))
    except (TablewrightError, ValueError):
        return None
    for name, value in base.items():
        if name not in example and _record(entity, {**example, name: value}) is not None:
            example[name] = value
    return example


def _record(entity: EntityModel, values: Values) -> Any:
    """The record with these values, with the moment of its id where shards need that."""
    for key in entity.keys:
        shards = key.shards
        if isinstance(shards, EpochShards) and shards.dated and values.get(shards.by):
            field = entity.by_name[shards.dated]
            values = {**values, shards.dated: field.from_text(moment_of(values[shards.by]))}
    try:
        return entity.made(**values)
    except UNFIT:
        return None


def _with_new_keys(entity: EntityModel, values: Values, number: int) -> Iterator[Values]:
    """The same record under other keys. The last field of the key changes first."""
    for name in reversed(entity.inputs(entity.key)):
        for offer in _fresh_values(number, number + 1):
            if accepted(entity.by_name[name], offer) is not None:
                yield {**values, name: offer}


@cache
def _fresh_values(first: int, end: int) -> tuple[Any, ...]:
    """Values of many types that differ by number."""
    return tuple(
        offer
        for number in range(first, end)
        for offer in (
            *(f"k{number}", 100 + number, Decimal(100 + number), _NOON + timedelta(days=number)),
            *((_NOON + timedelta(days=number)).date(), str(date(2032, 1, 1) + timedelta(number))),
            *(f"018cc251-f400-7abc-8def-{number:012x}", bytes([number % 256, number // 256])),
        )
    )
