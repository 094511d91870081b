"""Specifiers of fields: ``total: Field[Decimal] = money()``.

All take `stored`, the attribute's name where it is not that of the field (or IN_KEY, for one that
stands in a key alone), and `default`, the value of a field that is not given; with ``default=None``
it may be absent.
"""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar, overload

from tablewright.model.fields.base import REQUIRED, Field, Required
from tablewright.model.fields.compound import (
    BinaryField,
    DocumentField,
    TallyField,
    TextListField,
    TextSetField,
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
    HourTextField,
    TimestampField,
    TimestampTextField,
)

D = TypeVar("D")
C = TypeVar("C", bound=Enum)


def Text(
    stored: str | None = None,
    *,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
) -> Field[str | D]:
    """Printable text, optionally of a pattern; `form` says in words what that accepts."""
    rules: dict[str, Any] = {"max_length": max_length, "pattern": pattern, "form": form}
    return TextField(stored, **rules, default=default)


def Prose(
    stored: str | None = None,
    *,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
) -> Field[str | D]:
    """Text as people write it, on one line."""
    rules: dict[str, Any] = {"max_length": max_length, "pattern": pattern, "form": form}
    return ProseField(stored, **rules, default=default)


def Lines(
    stored: str | None = None,
    *,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
) -> Field[str | D]:
    """Text as people write it, on several lines."""
    rules: dict[str, Any] = {"max_length": max_length, "pattern": pattern, "form": form}
    return LinesField(stored, **rules, default=default)


def Name(
    stored: str | None = None,
    *,
    max_length: int = 256,
    pattern: str | None = None,
    form: str | None = None,
    default: D | Required = REQUIRED,
) -> Field[str | D]:
    """A name as people write it, kept in one spelling."""
    rules: dict[str, Any] = {"max_length": max_length, "pattern": pattern, "form": form}
    return NameField(stored, **rules, default=default)


@overload
def Choice(
    of: type[C], stored: str | None = None, *, default: D | Required = REQUIRED
) -> Field[C | D]: ...
@overload
def Choice(of: object, stored: str | None = None, *, default: object = REQUIRED) -> Any: ...
def Choice(of: Any, stored: str | None = None, *, default: Any = REQUIRED) -> Any:
    """One of several words: an Enum of texts, a Literal of them, or a sequence."""
    if isinstance(of, type) and issubclass(of, Enum):
        return EnumField(of, stored, default=default)
    return ChoiceField(getattr(of, "__args__", of), stored, default=default)


def Flag(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[bool | D]:
    """True or false."""
    return FlagField(stored, default=default)


def Timestamp(
    stored: str | None = None, *, seconds: bool = False, default: D | Required = REQUIRED
) -> Field[dt.datetime | D]:
    """A moment, as an aware datetime in UTC, to the millisecond or the second."""
    return TimestampField(stored, seconds=seconds, default=default)


def TimestampText(
    stored: str | None = None, *, seconds: bool = False, default: D | Required = REQUIRED
) -> Field[str | D]:
    """A moment, as its text in UTC: ``2026-01-31T12:00:00.000Z``."""
    return TimestampTextField(stored, seconds=seconds, default=default)


def Date(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[dt.date | D]:
    """A day."""
    return DateField(stored, default=default)


def DateText(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[str | D]:
    """A day, as its text: ``2026-01-31``."""
    return DateTextField(stored, default=default)


def HourText(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[str | D]:
    """An hour in UTC, as its text: ``2026-01-31-12``."""
    return HourTextField(stored, default=default)


def Number(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[Decimal | D]:
    """A number of any size that DynamoDB keeps exactly."""
    return NumberField(stored, default=default)


def Money(
    stored: str | None = None, *, digits: int = 10, default: D | Required = REQUIRED
) -> Field[Decimal | D]:
    """An amount with two decimals, not negative; in keys, cents padded to `digits`."""
    return MoneyField(stored, digits=digits, default=default)


def Fraction(
    stored: str | None = None, *, decimals: int = 2, default: D | Required = REQUIRED
) -> Field[Decimal | D]:
    """A number from 0 to 1; in keys, rounded to `decimals`."""
    return FractionField(stored, decimals=decimals, default=default)


def Whole(
    stored: str | None = None,
    *,
    digits: int = 10,
    lowest: int = 0,
    default: D | Required = REQUIRED,
) -> Field[int | D]:
    """A whole number that is not negative; in keys, padded to `digits`."""
    return WholeField(stored, digits=digits, lowest=lowest, default=default)


def TextSet(
    of: Field[str],
    stored: str | None = None,
    *,
    max_items: int = 100,
    default: D | Required = REQUIRED,
) -> Field[set[str] | D]:
    """A set of texts. DynamoDB has no empty ones: an empty set is as good as none."""
    return TextSetField(stored, of=of, max_items=max_items, default=default)


def TextList(
    of: Field[str],
    stored: str | None = None,
    *,
    max_items: int = 100,
    default: D | Required = REQUIRED,
) -> Field[tuple[str, ...] | D]:
    """Texts in an order."""
    return TextListField(stored, of=of, max_items=max_items, default=default)


def Document(
    stored: str | None = None, *, max_bytes: int = 4096, default: D | Required = REQUIRED
) -> Field[Mapping[str, Any] | D]:
    """A map of names to texts, numbers, flags, lists and further maps."""
    return DocumentField(stored, max_bytes=max_bytes, default=default)


def Binary(
    stored: str | None = None, *, max_bytes: int = 4096, default: D | Required = REQUIRED
) -> Field[bytes | D]:
    """Bytes."""
    return BinaryField(stored, max_bytes=max_bytes, default=default)


def Tally(*, prefix: str, default: D | Required = REQUIRED) -> Field[Mapping[str, Decimal] | D]:
    """Numbers by names that are not known beforehand, each an attribute that begins so."""
    return TallyField(prefix=prefix, default=default)
