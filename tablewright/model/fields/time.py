"""Fields of time: days, hours and moments in UTC, as texts whose order is that of time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tablewright.model.fields.base import REQUIRED, Field

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIMESTAMP = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"
_SECONDS = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"
_ANY_PRECISION = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z"
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_HOUR = r"(\d{4}-\d{2}-\d{2})-(\d{2})"


class DateTextField(Field[Any]):
    """A calendar day, ``YYYY-MM-DD``, that exists."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DD")

    def check(self, value: Any) -> str:
        if type(value) is date:
            return value.isoformat()
        if not isinstance(value, str) or not re.fullmatch(_DATE, value):
            raise self.refuse("must be a date of the form YYYY-MM-DD")
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            raise self.refuse("must be a day that exists") from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


class HourTextField(Field[Any]):
    """An hour of a day in UTC, ``YYYY-MM-DD-HH``."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DD-HH")

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            return _in_utc(self, value)[:13].replace("T", "-")
        if not isinstance(value, str) or not re.fullmatch(_HOUR, value):
            raise self.refuse("must be an hour of the form YYYY-MM-DD-HH")
        try:
            hour_begin(value)
        except ValueError:
            raise self.refuse("must be an hour that exists") from None
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_HOUR}$"}


def hour_begin(text: str) -> datetime:
    """The moment that an hour begins at."""
    day, hour = text[:10], text[11:]
    return datetime.fromisoformat(f"{day}T{hour}:00:00+00:00")


class TimestampTextField(Field[Any]):
    """A moment in UTC, ``YYYY-MM-DDTHH:MM:SS.mmmZ``: fixed width, so text order is time order.

    With `seconds`, to the second: ``YYYY-MM-DDTHH:MM:SSZ``. With `any_precision`, a text keeps the
    decimals that it has, none to nine: for keys that other programs wrote.
    """

    __slots__ = ("any_precision", "seconds")

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        seconds: bool = False,
        any_precision: bool = False,
    ) -> None:
        super().__init__(stored, default=default)
        self.seconds = seconds
        self.any_precision = any_precision

    @property
    def most_bytes(self) -> int:
        return len(
            "YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ" if self.any_precision else "YYYY-MM-DDTHH:MM:SS.mmmZ"
        )

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            text = _in_utc(self, value)
            return f"{text[:19]}Z" if self.seconds else text
        if not isinstance(value, str) or not re.fullmatch(self._form, value):
            fraction = "[.nnn]" if self.any_precision else "" if self.seconds else ".mmm"
            raise self.refuse(f"must be a UTC time of the form YYYY-MM-DDTHH:MM:SS{fraction}Z")
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise self.refuse("must be a time that exists") from None
        return value

    def next(self, value: Any) -> Any:
        if isinstance(value, datetime) and value.tzinfo:
            step = timedelta(seconds=1) if self.seconds else timedelta(milliseconds=1)
            value += -(value - _1970) % step
        return self.check(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time", "pattern": f"^{self._form}$"}

    @property
    def _form(self) -> str:
        if self.any_precision:
            return _ANY_PRECISION
        return _SECONDS if self.seconds else _TIMESTAMP


class TimestampField(TimestampTextField):
    """The same as an aware datetime in UTC."""

    __slots__ = ()
    converts = True

    def check(self, value: Any) -> Any:
        return datetime.fromisoformat(super().check(value))

    def to_plain(self, value: datetime) -> str:
        return self.to_text(value)

    def from_plain(self, plain: str) -> datetime:
        moment = datetime.fromisoformat(plain)
        if moment.tzinfo is None:
            raise self.refuse("must be a time with its time zone")
        return moment

    def to_text(self, value: datetime) -> str:
        text = iso_utc(value)
        return f"{text[:19]}Z" if self.seconds else text

    def from_text(self, text: str) -> datetime:
        return datetime.fromisoformat(text)


class EpochField(TimestampField):
    """A moment, stored as the number of seconds, or milliseconds, since 1970."""

    __slots__ = ()
    kind = "N"
    _DIGITS = 15

    @property
    def most_bytes(self) -> int:
        return self._DIGITS

    def to_plain(self, value: datetime) -> Any:
        return (value - _1970) // self._step

    def from_plain(self, plain: Any) -> datetime:
        if plain != int(plain):
            raise self.refuse("must be a whole number")
        return _1970 + int(plain) * self._step

    def compared(self, value: Any) -> Any:
        return self.check(value)

    def to_text(self, value: datetime) -> str:
        return str(self.to_plain(value)).zfill(self._DIGITS)

    def from_text(self, text: str) -> datetime:
        return self.from_plain(int(text))

    def time_text(self, value: datetime) -> str:
        return iso_utc(value)

    @property
    def _step(self) -> timedelta:
        return timedelta(seconds=1) if self.seconds else timedelta(milliseconds=1)


class DateField(DateTextField):
    """The same as a date."""

    __slots__ = ()
    converts = True

    def check(self, value: Any) -> Any:
        return date.fromisoformat(super().check(value))

    def to_plain(self, value: date) -> str:
        return value.isoformat()

    def from_plain(self, plain: str) -> date:
        return date.fromisoformat(plain)

    def to_text(self, value: date) -> str:
        return value.isoformat()

    def from_text(self, text: str) -> date:
        return date.fromisoformat(text)


def iso_utc(moment: datetime) -> str:
    """A moment as `Timestamp` stores it; refuses one that does not say its time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone is ambiguous: pass an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def utc_text(text: str) -> str:
    """A time in any form of ISO 8601, as `TimestampText` stores it; raises ValueError.

    Digits beyond milliseconds are cut off.

    >>> utc_text("2025-11-16T15:00:00.123987+05:00")
    '2025-11-16T10:00:00.123Z'
    """
    try:
        moment = datetime.fromisoformat(text.upper())
    except (AttributeError, ValueError):
        raise ValueError("must be a time in ISO 8601, such as 2025-11-16T10:00:00Z") from None
    try:
        return iso_utc(moment)
    except (ValueError, OverflowError):
        reason = "must name its time zone, such as Z or +00:00, and lie in the years 1 to 9999"
        raise ValueError(reason) from None


def _in_utc(field: Field[Any], moment: datetime) -> str:
    try:
        return iso_utc(moment)
    except (ValueError, OverflowError):
        reason = "must be a time with its time zone, of the years 1 to 9999 in UTC"
        raise field.refuse(reason) from None
