"""Fields of time: days, hours and moments in UTC, as texts whose order is that of time.

A field never cuts a moment. `truncate_time` does, where a program makes the moment.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from tablewright.model.fields.base import REQUIRED, Field

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIMESTAMP = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"
_HOUR = r"(\d{4}-\d{2}-\d{2})-(\d{2})"
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_KEY_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_KEY_HOUR = r"(?:[01][0-9]|2[0-3])"
# One of these continues any text that a date or time can begin with.
_SAMPLES = ("0001-01-01T00:00:00", "0000-10-10T00:00:00")

Resolution = Literal["s", "ms", "us"]
_MICROSECONDS: dict[Resolution, int] = {"s": 1_000_000, "ms": 1000, "us": 1}
_DECIMALS: dict[Resolution, str] = {"s": "", "ms": r"\.\d{3}", "us": r"\.\d{6}"}
_TIMESPECS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}


def truncate_time(moment: datetime, resolution: Resolution) -> datetime:
    """Cut a moment to whole seconds ("s"), milliseconds ("ms") or microseconds ("us").

    >>> truncate_time(datetime(2026, 1, 31, 12, 0, 0, 123456), "ms")
    datetime.datetime(2026, 1, 31, 12, 0, 0, 123000)
    """
    step = _MICROSECONDS[resolution]
    return moment.replace(microsecond=moment.microsecond // step * step)


class DateTextField(Field[Any]):
    """A calendar day, ``YYYY-MM-DD``, that exists."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DD")

    @property
    def key_pattern(self) -> str:
        return _KEY_DATE

    @property
    def samples(self) -> tuple[str, ...]:
        return tuple(one[:10] for one in _SAMPLES)

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

    @property
    def key_pattern(self) -> str:
        return f"{_KEY_DATE}-{_KEY_HOUR}"

    @property
    def samples(self) -> tuple[str, ...]:
        return tuple(one[:13].replace("T", "-") for one in _SAMPLES)

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
    """A moment in UTC, ``YYYY-MM-DDTHH:MM:SS.ffffffZ``: fixed width, so text order is time order.

    The `resolution` is microseconds ("us"), milliseconds ("ms") or seconds ("s"); a finer moment is
    refused. With `any_precision`, a text keeps the decimals that it has, none to nine: for keys
    that other programs wrote. Such texts are not in the order of time.
    """

    __slots__ = ("any_precision", "ordered", "resolution")

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        resolution: Resolution = "us",
        any_precision: bool = False,
    ) -> None:
        super().__init__(stored, default=default)
        if resolution not in _MICROSECONDS:
            raise TypeError(f'resolution is "s", "ms" or "us", not {resolution!r}')
        self.resolution: Resolution = resolution
        self.any_precision = any_precision
        self.ordered = not any_precision

    @property
    def most_bytes(self) -> int:
        return len(
            "YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ"
            if self.any_precision
            else "YYYY-MM-DDTHH:MM:SS.ffffffZ"
        )

    @property
    def key_pattern(self) -> str:
        return f"{_KEY_DATE}T{_KEY_HOUR}:[0-5][0-9]:[0-5][0-9]{self._decimals}Z"

    @property
    def samples(self) -> tuple[str, ...]:
        decimals = {"s": "", "ms": ".000", "us": ".000000"}[self.resolution]
        return () if self.any_precision else tuple(f"{one}{decimals}Z" for one in _SAMPLES)

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            return self._text_of(value)
        if not isinstance(value, str) or not re.fullmatch(self._form, value):
            fraction = {"s": "", "ms": ".mmm", "us": ".ffffff"}[self.resolution]
            fraction = "[.nnn]" if self.any_precision else fraction
            raise self.refuse(f"must be a UTC time of the form YYYY-MM-DDTHH:MM:SS{fraction}Z")
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise self.refuse("must be a time that exists") from None
        return value

    def _text_of(self, moment: datetime) -> str:
        """The text of a moment; one that is finer than the resolution is refused, and not cut."""
        resolution = self.resolution
        if self.any_precision:
            resolution = "us" if moment.microsecond % 1000 else "ms"
        if moment.microsecond % _MICROSECONDS[resolution]:
            raise self.refuse(
                f"must have whole {_TIMESPECS[resolution]}: cut it where you make it, by "
                f'truncate_time(moment, "{resolution}")'
            )
        return _in_utc(self, moment, resolution)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time", "pattern": f"^{self._form}$"}

    @property
    def _form(self) -> str:
        return f"{_TIMESTAMP}{self._decimals}Z"

    @property
    def _decimals(self) -> str:
        return r"(?:\.\d{1,9})?" if self.any_precision else _DECIMALS[self.resolution]


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
        return self._text_of(value)

    def from_text(self, text: str) -> datetime:
        return datetime.fromisoformat(text)


class EpochField(TimestampField):
    """A moment, stored as the number of seconds, or of what the resolution is, since 1970."""

    __slots__ = ()
    kind = "N"

    @property
    def _digits(self) -> int:
        return 18 if self.resolution == "us" else 15

    @property
    def most_bytes(self) -> int:
        return self._digits

    @property
    def key_pattern(self) -> str:
        return f"[0-9]{{{self._digits}}}"

    def begins(self, text: str) -> bool:
        return False

    def to_plain(self, value: datetime) -> Any:
        return (value - _1970) // self._step

    def from_plain(self, plain: Any) -> datetime:
        if plain != int(plain):
            raise self.refuse("must be a whole number")
        return _1970 + int(plain) * self._step

    def compared(self, value: Any) -> Any:
        return self.check(value)

    def to_text(self, value: datetime) -> str:
        if value < _1970:
            raise self.refuse("must not lie before 1970 in a key: declare a Timestamp instead")
        return str(self.to_plain(value)).zfill(self._digits)

    def from_text(self, text: str) -> datetime:
        return self.from_plain(int(text))

    def time_text(self, value: datetime) -> str:
        return iso_utc(value, "us")

    @property
    def _step(self) -> timedelta:
        return timedelta(microseconds=_MICROSECONDS[self.resolution])


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


def iso_utc(moment: datetime, resolution: Resolution = "ms") -> str:
    """A moment as text in UTC, cut to milliseconds or another resolution; raises ValueError for one
    without a time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone is ambiguous: pass an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec=_TIMESPECS[resolution])[:-6] + "Z"


def utc_text(text: str) -> str:
    """A time in any form of ISO 8601, as text in UTC with milliseconds; raises ValueError.

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


def _in_utc(field: Field[Any], moment: datetime, resolution: Resolution = "s") -> str:
    try:
        return iso_utc(moment, resolution)
    except (ValueError, OverflowError):
        reason = "must be a time with its time zone, of the years 1 to 9999 in UTC"
        raise field.refuse(reason) from None
