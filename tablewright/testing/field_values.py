"""Values of fields: Hypothesis strategies of what each kind of field accepts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tablewright.model.errors import InvalidValue
from tablewright.model.fields.base import Field
from tablewright.model.fields.compound import (
    BinaryField,
    DocumentField,
    ListOfField,
    PartOfField,
    SetOfField,
    TallyField,
)
from tablewright.model.fields.numbers import FractionField, MoneyField, NumberField, WholeField
from tablewright.model.fields.text import (
    ChoiceField,
    FlagField,
    LinesField,
    NameField,
    ProseField,
    TextField,
)
from tablewright.model.fields.time import (
    DateTextField,
    HourTextField,
    TimestampTextField,
    truncate_time,
)
from tablewright.model.part import PartModel
from tablewright.model.sharding.epochs import EpochListField
from tablewright.model.time_ids import TimeIdField

Values = st.SearchStrategy[Any]

_LAST_MILLISECOND = 253_402_300_799_999  # of the year 9999
_MOST_CHARACTERS = 1024  # of a text that is as long as it may be: longer ones only take time
_MOST_ENTRIES = 5
_MOST_BYTES = 256
_HIGHEST = "\U0010ffff"  # no value in a key has it


@dataclass(frozen=True)
class Place:
    """Where a value is to stand: in keys it is shorter, and without their delimiters."""

    in_key: bool = False
    without: str = ""
    most_bytes: int | None = None
    first_day: dt.date = dt.date.min
    last_day: dt.date = dt.date.max
    last_id: int = _LAST_MILLISECOND


ANYWHERE = Place()


def values_of(field: Field[Any], place: Place = ANYWHERE) -> Values:
    """Values that the field accepts and that can stand at this place.

    Raises TypeError for a field of a kind that is not known here.
    """
    for kind, made in _KINDS.items():
        if isinstance(field, kind):
            return made(field, place)
    raise TypeError(
        f"there are no values for '{field.name}', a field of your own kind {field.type_name}: "
        f"give a strategy for it, as in records(…, {field.name}=…)"
    )


def values_of_all(
    part: PartModel, given: dict[str, Values], places: dict[str, Place]
) -> st.SearchStrategy[dict[str, Any]]:
    """Values for the fields that belong together; what is optional is there or not."""
    required: dict[str, Values] = dict(given)
    optional: dict[str, Values] = {}
    for field in part.fields:
        if field.name not in given:
            group = optional if field.optional else required
            group[field.name] = values_of(field, places.get(field.name, ANYWHERE))
    return st.fixed_dictionaries(required, optional=optional)


def _fits(field: Field[Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        try:
            return field.check(value) is not None
        except InvalidValue:
            return False

    return fits


def _text(field: TextField, place: Place) -> Values:
    left_out = place.without + (_HIGHEST if place.in_key else "")
    lowest = max(field.min_length, 1) if place.in_key else field.min_length
    highest = field.max_length
    if place.most_bytes is not None:
        highest = max(lowest, min(highest, place.most_bytes // 4))
    letters = _letters(field, left_out)
    if field.pattern:
        formed = st.from_regex(field.pattern, fullmatch=True, alphabet=letters)
        return formed.filter(lambda text: len(text) <= highest).filter(_fits(field))
    longest = min(highest, _MOST_CHARACTERS)
    texts = st.text(letters, min_size=lowest, max_size=highest)
    if lowest < longest:
        texts |= letters.map(lambda letter: letter * longest)
    return texts.filter(_fits(field)) if isinstance(field, NameField) else texts


def _letters(field: TextField, left_out: str) -> st.SearchStrategy[str]:
    if not isinstance(field, ProseField | NameField):
        space = "" if " " in left_out else " "
        return st.characters(
            exclude_categories=("C", "Z"), exclude_characters=left_out, include_characters=space
        )
    ends = "\n" if isinstance(field, LinesField) and "\n" not in left_out else ""
    return st.characters(
        exclude_categories=("Cc", "Cs", "Zl", "Zp"),
        exclude_characters=left_out,
        include_characters=ends,
    )


def _number(field: NumberField, place: Place) -> Values:
    digits = 10**38 - 1
    exact = st.builds(
        lambda coefficient, exponent: Decimal(f"{coefficient}E{exponent}"),
        st.integers(-digits, digits),
        st.integers(-130, 88),
    )
    return st.integers(-1000, 1000).map(Decimal) | exact.filter(_fits(field))


def _money(field: MoneyField, place: Place) -> Values:
    return st.integers(0, 10**field.digits - 1).map(lambda cents: Decimal(f"{cents}E-2"))


def _fraction(field: FractionField, place: Place) -> Values:
    # In a key it is rounded, and may stand nowhere else.
    return st.decimals(0, 1, places=field.decimals if place.in_key else max(6, field.decimals))


def _whole(field: WholeField, place: Place) -> Values:
    return st.integers(field.lowest, 10**field.digits - 1)


def _moment(field: TimestampTextField, place: Place) -> Values:
    moments = st.datetimes(
        dt.datetime.combine(place.first_day, dt.time.min),
        dt.datetime.combine(place.last_day, dt.time.max),
        timezones=st.just(dt.UTC),
    )
    return moments.map(lambda moment: field.check(truncate_time(moment, field.resolution)))


def _hour(field: HourTextField, place: Place) -> Values:
    days = st.dates(place.first_day, place.last_day)
    return st.builds(lambda day, hour: f"{day.isoformat()}-{hour:02}", days, st.integers(0, 23))


def _day(field: DateTextField, place: Place) -> Values:
    return st.dates(place.first_day, place.last_day).map(field.check)


def _time_id(field: TimeIdField, place: Place) -> Values:
    def made(moment: int, few: int, variant: str, many: int) -> str:
        time = f"{moment:012x}"
        return f"{time[:8]}-{time[8:]}-7{few:03x}-{variant}{many >> 48:03x}-{many % 2**48:012x}"

    rest = st.integers(0, 2**60 - 1)
    moments = st.integers(0, place.last_id)
    return st.builds(made, moments, st.integers(0, 0xFFF), st.sampled_from("89ab"), rest)


def _binary(field: BinaryField, place: Place) -> Values:
    # In the text of a key they are hexadecimal digits.
    room = field.max_bytes if place.most_bytes is None else place.most_bytes // 2
    most = min(field.max_bytes, room, _MOST_BYTES)
    return st.binary(min_size=min(1, most) if place.in_key else 0, max_size=most)


def _inner(place: Place) -> Place:
    return replace(place, in_key=False, without="", most_bytes=None)


def _set(field: SetOfField, place: Place) -> Values:
    entries = values_of(field.of, _inner(place))
    # An empty set is as good as none.
    most = min(field.max_items, _MOST_ENTRIES)
    return st.lists(entries, min_size=1, max_size=most).map(field.check)


def _list(field: ListOfField, place: Place) -> Values:
    entries = values_of(field.of, _inner(place))
    return st.lists(entries, max_size=min(field.max_items, _MOST_ENTRIES)).map(tuple)


def _part(field: PartOfField, place: Place) -> Values:
    return values_of_all(field.of.__part__, {}, {}).map(lambda values: field.of(**values))


_ANY_LETTER = st.characters(codec="utf-8")
_WORDS = st.text(_ANY_LETTER, max_size=12)
_NAMES = st.text(_ANY_LETTER, min_size=1, max_size=12)
_NUMBERS = _number(NumberField(), ANYWHERE)
_LEAVES = st.none() | st.booleans() | _NUMBERS | _WORDS
_CONTENTS = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=5,
)


def _document(field: DocumentField, place: Place) -> Values:
    return st.dictionaries(_NAMES, _CONTENTS, max_size=3).filter(_fits(field))


def _tally(field: TallyField, place: Place) -> Values:
    return st.dictionaries(_NAMES, _NUMBERS, min_size=1, max_size=_MOST_ENTRIES)


def _epochs(field: EpochListField, place: Place) -> Values:
    since = values_of(TimestampTextField(resolution="ms"))
    begins = st.lists(since, unique=True, max_size=3).map(sorted)
    counts = st.lists(st.integers(1, 100).map(Decimal), min_size=3, max_size=3)

    def listed(moments: list[str], many: list[Decimal]) -> list[dict[str, Any]]:
        pairs = zip(moments, many, strict=False)
        return [{"from": moment, "count": count} for moment, count in pairs]

    return st.builds(listed, begins, counts).filter(_fits(field))


# The first that fits is taken: a kind comes before what it is derived from.
_KINDS: dict[type[Any], Callable[[Any, Place], Values]] = {
    TextField: _text,
    ChoiceField: lambda field, place: st.sampled_from(field.choices).map(field.check),
    FlagField: lambda field, place: st.booleans(),
    DateTextField: _day,
    HourTextField: _hour,
    TimestampTextField: _moment,
    TimeIdField: _time_id,
    MoneyField: _money,
    FractionField: _fraction,
    WholeField: _whole,
    NumberField: _number,
    SetOfField: _set,
    ListOfField: _list,
    PartOfField: _part,
    DocumentField: _document,
    BinaryField: _binary,
    TallyField: _tally,
    EpochListField: _epochs,
}
