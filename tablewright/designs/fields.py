"""Fields: what an attribute holds, what it is called in storage, how it is written in a key."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from tablewright.designs.errors import InvalidValue

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")
_CENT = Decimal("0.01")
# The numbers that DynamoDB can keep exactly.
_DIGITS = 38
_MAGNITUDES = range(-130, 126)


class Field(ABC):
    """One attribute: `name` in Python, `stored` in the table.

    `ordered` tells whether key texts sort like the values; only such fields can be asked for by
    range. `kind` is the attribute's type in DynamoDB.
    """

    __slots__ = ("name", "optional", "stored")
    kind = "S"
    ordered = True

    def __init__(self, name: str, stored: str | None = None, *, optional: bool = False) -> None:
        self.name = name
        self.stored = stored or name
        self.optional = optional

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value in its canonical form; raises InvalidValue when it does not fit."""

    def to_text(self, value: Any) -> str:
        """The value as it stands in a key."""
        return str(value)

    def from_text(self, text: str) -> Any:
        """The value that `to_text` made the text from."""
        return text

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The value as JSON Schema, for OpenAPI documents."""

    def refuse(self, reason: str) -> InvalidValue:
        return InvalidValue(self.name, reason)


class Text(Field):
    """Non-empty text of bounded length, optionally of a given form."""

    __slots__ = ("form", "max_length", "pattern")

    def __init__(
        self,
        name: str,
        stored: str | None = None,
        *,
        optional: bool = False,
        max_length: int = 256,
        pattern: str | None = None,
        form: str | None = None,
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.max_length = max_length
        self.pattern = pattern
        self.form = form

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("must be text")
        if not value or len(value) > self.max_length:
            raise self.refuse(f"must have 1 to {self.max_length} characters")
        if not value.isprintable():
            raise self.refuse("must not contain control or unprintable characters")
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise self.refuse(f"must be {self.form or 'of the form ' + self.pattern}")
        return value

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": self.max_length}
        if self.pattern:
            schema["pattern"] = f"^(?:{self.pattern})$"
        return schema


class Choice(Field):
    """One word of a fixed list."""

    __slots__ = ("choices",)

    def __init__(
        self,
        name: str,
        choices: Sequence[str],
        stored: str | None = None,
        *,
        optional: bool = False,
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.choices = tuple(choices)

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise self.refuse("must be one of " + ", ".join(self.choices))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


class Date(Field):
    """A calendar day, ``YYYY-MM-DD``, that exists."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if type(value) is date:
            return value.isoformat()
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            raise self.refuse("must be a date of the form YYYY-MM-DD")
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            raise self.refuse("must be a day that exists") from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


class Timestamp(Field):
    """A moment in UTC, ``YYYY-MM-DDTHH:MM:SS.mmmZ``: fixed width, so text order is time order."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            return timestamp(value)
        if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
            raise self.refuse("must be a UTC time of the form YYYY-MM-DDTHH:MM:SS.mmmZ")
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise self.refuse("must be a time that exists") from None
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


class Number(Field):
    """A number, as Decimal; its text has no fixed width, so it cannot be asked for by range."""

    __slots__ = ()
    kind = "N"
    ordered = False

    def check(self, value: Any) -> Decimal:
        number = self._decimal(value)
        if len(number.as_tuple().digits) > _DIGITS:
            raise self.refuse(f"must have at most {_DIGITS} digits")
        if number and number.adjusted() not in _MAGNITUDES:
            raise self.refuse("must lie between 1E-130 and 9.9E+125 in magnitude")
        return number

    def from_text(self, text: str) -> Decimal:
        return Decimal(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "number"}

    def _decimal(self, value: Any) -> Decimal:
        # bool is an int and float is inexact: neither is what a caller means by a number.
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            raise self.refuse("must be a number")
        number = Decimal(value)
        if not number.is_finite():
            raise self.refuse("must be a finite number")
        return number


class Money(Number):
    """An amount with two decimals, not negative; in keys: cents, padded to `digits`."""

    __slots__ = ("digits",)
    ordered = True

    def __init__(
        self, name: str, stored: str | None = None, *, optional: bool = False, digits: int = 10
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.digits = digits

    @property
    def highest(self) -> Decimal:
        return Decimal(10**self.digits - 1).scaleb(-2)

    def check(self, value: Any) -> Decimal:
        amount = self._decimal(value)
        if amount < 0:
            raise self.refuse("must not be negative")
        # Compared before it is rounded: 1E+999999999 must not become a billion digits.
        if amount > self.highest:
            raise self.refuse(f"must be at most {self.highest}")
        rounded = abs(amount).quantize(_CENT)
        if rounded != amount:
            raise self.refuse("must have at most two decimals")
        return rounded

    def to_text(self, value: Decimal) -> str:
        return str(int(value.scaleb(2))).zfill(self.digits)

    def from_text(self, text: str) -> Decimal:
        return Decimal(int(text)).scaleb(-2)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": float(self.highest)}


def timestamp(moment: datetime) -> str:
    """A moment as `Timestamp` stores it; refuses one that does not say its time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone is ambiguous: pass an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
