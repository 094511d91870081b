"""Specifiers of fields: ``total: Field[Decimal] = Money()``.

All take `stored`, the attribute's name where it is not that of the field (or IN_KEY, for one that
stands in a key alone), and `default`, the value of a field that is not given; with ``default=None``
it may be absent. All but Tally take `secret`: a store encrypts such a value before it stores it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tablewright.model.fields.base import REQUIRED, Field, Required
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
    EnumField,
    FlagField,
    LinesField,
    NameField,
    ProseField,
    TextField,
)
from tablewright.model.fields.time import (
    DateField,
    DateTextField,
    EpochField,
    HourTextField,
    Resolution,
    TimestampField,
    TimestampTextField,
)

if TYPE_CHECKING:
    from tablewright.model.declaration import Part

D = TypeVar("D")
V = TypeVar("V")
P = TypeVar("P", bound="Part")
C = TypeVar("C", bound=Enum)


def _marked(field: Field[V], secret: bool) -> Field[V]:
    field.secret = secret
    return field


def Text(
    stored: str | None = None,
    *,
    min_length: int = 1,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[str | D]:
    """Printable text on one line, optionally of a `pattern`; `form` says in words what it accepts.

    Example::

        tenant: Field[str] = Text(max_length=64, pattern="[a-z0-9-]+", form="small letters")
    """
    return _marked(
        TextField(
            stored,
            min_length=min_length,
            max_length=max_length,
            pattern=pattern,
            form=form,
            default=default,
        ),
        secret,
    )


def Prose(
    stored: str | None = None,
    *,
    min_length: int = 1,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[str | D]:
    """Text as people write it, on one line."""
    return _marked(
        ProseField(
            stored,
            min_length=min_length,
            max_length=max_length,
            pattern=pattern,
            form=form,
            default=default,
        ),
        secret,
    )


def Lines(
    stored: str | None = None,
    *,
    min_length: int = 1,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[str | D]:
    """Text as people write it, on several lines."""
    return _marked(
        LinesField(
            stored,
            min_length=min_length,
            max_length=max_length,
            pattern=pattern,
            form=form,
            default=default,
        ),
        secret,
    )


def Name(
    stored: str | None = None,
    *,
    min_length: int = 1,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[str | D]:
    """A name as people write it, kept in one spelling: composed, with single spaces."""
    return _marked(
        NameField(
            stored,
            min_length=min_length,
            max_length=max_length,
            pattern=pattern,
            form=form,
            default=default,
        ),
        secret,
    )


@overload
def Choice(
    of: type[C],
    stored: str | None = None,
    *,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[C | D]: ...
@overload
def Choice(
    of: object, stored: str | None = None, *, default: object = REQUIRED, secret: bool = False
) -> Any: ...
def Choice(
    of: Any, stored: str | None = None, *, default: Any = REQUIRED, secret: bool = False
) -> Any:
    """One of several words: an Enum of texts, a Literal of them, or a sequence.

    Example::

        state: Field[State] = Choice(State, default=State.OPEN)
        size: Field[Literal["S", "M", "L"]] = Choice(Literal["S", "M", "L"])
    """
    if isinstance(of, str):
        raise TypeError(f"Choice takes its words together: Choice([{of!r}, …])")
    if isinstance(of, type) and issubclass(of, Enum):
        return _marked(EnumField(of, stored, default=default), secret)
    return _marked(ChoiceField(getattr(of, "__args__", of), stored, default=default), secret)


def Flag(
    stored: str | None = None, *, default: D | Required = REQUIRED, secret: bool = False
) -> Field[bool | D]:
    """True or false; within keys, the word."""
    return _marked(FlagField(stored, default=default), secret)


def Timestamp(
    stored: str | None = None,
    *,
    resolution: Resolution = "us",
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[dt.datetime | D]:
    """A moment, as an aware datetime in UTC, to the microsecond ("us"), the millisecond ("ms") or
    the second ("s"). A finer one is refused: see `truncate_time`.

    It is stored, and stands in keys, as ISO 8601 text, which sorts by time.
    """
    return _marked(TimestampField(stored, resolution=resolution, default=default), secret)


def TimestampText(
    stored: str | None = None,
    *,
    resolution: Resolution = "us",
    any_precision: bool = False,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[str | D]:
    """A moment, as its text in UTC: ``2026-01-31T12:00:00.000000Z``, or ``…00.000Z`` in
    milliseconds ("ms"), ``…00Z`` in seconds ("s").

    With `any_precision`, a text keeps the decimals that it has, none to nine.
    """
    field = TimestampTextField(
        stored, resolution=resolution, any_precision=any_precision, default=default
    )
    return _marked(field, secret)


def EpochTimestamp(
    stored: str | None = None,
    *,
    resolution: Resolution = "s",
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[dt.datetime | D]:
    """A moment, as an aware datetime in UTC, stored as the seconds ("s"), milliseconds ("ms") or
    microseconds ("us") since 1970. A finer one is refused: see `truncate_time`.

    What a table's `ttl` names must be in seconds: such a field can be that attribute itself.
    """
    return _marked(EpochField(stored, resolution=resolution, default=default), secret)


def Date(
    stored: str | None = None, *, default: D | Required = REQUIRED, secret: bool = False
) -> Field[dt.date | D]:
    """A day; it is stored, and stands in keys, as ``2026-01-31``."""
    return _marked(DateField(stored, default=default), secret)


def DateText(
    stored: str | None = None, *, default: D | Required = REQUIRED, secret: bool = False
) -> Field[str | D]:
    """A day, as its text: ``2026-01-31``."""
    return _marked(DateTextField(stored, default=default), secret)


def HourText(
    stored: str | None = None, *, default: D | Required = REQUIRED, secret: bool = False
) -> Field[str | D]:
    """An hour in UTC, as its text: ``2026-01-31-12``."""
    return _marked(HourTextField(stored, default=default), secret)


def Number(
    stored: str | None = None, *, default: D | Required = REQUIRED, secret: bool = False
) -> Field[Decimal | D]:
    """A number of any size that DynamoDB keeps exactly: 38 digits. A float is refused.

    It can be a key by itself, in order of value. Within a key its text has no fixed width, so that
    it can be told there, but not asked for by range.
    """
    return _marked(NumberField(stored, default=default), secret)


def Money(
    stored: str | None = None,
    *,
    digits: int = 10,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[Decimal | D]:
    """An amount with two decimals, not negative; within keys, cents padded to `digits`."""
    return _marked(MoneyField(stored, digits=digits, default=default), secret)


def Fraction(
    stored: str | None = None,
    *,
    decimals: int = 2,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[Decimal | D]:
    """A number from 0 to 1; in keys it has `decimals`, and one with more is refused there."""
    return _marked(FractionField(stored, decimals=decimals, default=default), secret)


def Whole(
    stored: str | None = None,
    *,
    digits: int = 10,
    lowest: int = 0,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[int | D]:
    """A whole number, not negative, of at most `digits`; within keys, padded to them."""
    return _marked(WholeField(stored, digits=digits, lowest=lowest, default=default), secret)


def SetOf(
    of: Field[V],
    stored: str | None = None,
    *,
    max_items: int = 100,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[set[V] | D]:
    """A set of texts, numbers or bytes. DynamoDB has no empty ones: an empty set is as good as
    none.

    Example::

        tags: Field[set[str] | None] = SetOf(Text(max_length=32), default=None)
    """
    return _marked(SetOfField(stored, of=of, max_items=max_items, default=default), secret)


def ListOf(
    of: Field[V],
    stored: str | None = None,
    *,
    max_items: int = 100,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[tuple[V, ...] | D]:
    """Values in an order: texts, numbers, parts and whatever else can be a field.

    Example::

        lines: Field[tuple[Line, ...]] = ListOf(PartOf(Line), default=())
    """
    return _marked(ListOfField(stored, of=of, max_items=max_items, default=default), secret)


def PartOf(
    of: type[P],
    stored: str | None = None,
    *,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[P | D]:
    """A part with fields of its own: a class derived from Part.

    Example::

        address: Field[Address | None] = PartOf(Address, default=None)
    """
    return _marked(PartOfField(of, stored, default=default), secret)


def Document(
    stored: str | None = None,
    *,
    max_bytes: int = 4096,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[Mapping[str, Any] | D]:
    """A map of names to texts, numbers, flags, lists and further maps, of whatever form.

    What has a known form is better a Part: its members are typed and checked.
    """
    return _marked(DocumentField(stored, max_bytes=max_bytes, default=default), secret)


def Binary(
    stored: str | None = None,
    *,
    max_bytes: int = 4096,
    default: D | Required = REQUIRED,
    secret: bool = False,
) -> Field[bytes | D]:
    """Bytes; as a key by itself they sort as bytes do."""
    return _marked(BinaryField(stored, max_bytes=max_bytes, default=default), secret)


def Tally(*, prefix: str, default: D | Required = REQUIRED) -> Field[Mapping[str, Decimal] | D]:
    """Numbers by names that are not known beforehand, each an attribute that begins so.

    Example::

        counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)
    """
    return TallyField(prefix=prefix, default=default)
