"""Expiry: when an item may be deleted, in seconds since 1970."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from tablewright.model.arguments import check_arguments
from tablewright.model.errors import InvalidValue
from tablewright.model.fields.time import hour_begin

_BEGIN = date(1970, 1, 1)
_DAY_SECONDS = 24 * 60 * 60


@check_arguments("refuses", "oldest", "at")
class Expiry:
    """When an item may be deleted: at a date or time that it carries, or a calendar span after it.

    Days begin at 00:00 UTC, and so does expiry counted from a date. 29 February plus a number of
    years is 28 February where there is no 29th.

    Example::

        class Session(Entity, key=Key("SESSION#{id}"), expires=Expiry("seen_at", days=30)): ...
    """

    __slots__ = ("days", "field", "first", "last", "years")

    def __init__(self, field: str, *, years: int = 0, days: int = 0) -> None:
        self.field = field
        self.years = years
        self.days = days
        try:
            span = timedelta(days=days)
            # Earlier days would expire before 1970, later ones after the last year that there is.
            self.first = _moved(_BEGIN - span, -years, leap=(3, 1)).isoformat()
            self.last = _moved(date.max - span, -years).isoformat()
        except (OverflowError, ValueError):
            raise ValueError(
                f"Expiry: years={years} and days={days} must be from 0 to 1968 years together"
            ) from None

    def __str__(self) -> str:
        spans = ((self.years, "calendar years"), (self.days, "days"))
        if not self.years and not self.days:
            return f"at {self.field}"
        return " and ".join(f"{n} {unit}" for n, unit in spans if n) + f" after {self.field}"

    def refuses(self, text: str) -> str | None:
        """Why an item with this value could not expire, or None when it can."""
        if self.first <= text[:10] <= self.last:
            return None
        return f"must lie between {self.first} and {self.last}, so that it can expire"

    def oldest(self, now: datetime) -> str:
        """The first day whose items have not expired by now."""
        day = _moved((now - timedelta(days=self.days)).date(), -self.years)
        while self.at(day.isoformat()) <= now.timestamp():
            day += timedelta(days=1)
        return day.isoformat()

    def at(self, text: str) -> int:
        """Expiry, in seconds since 1970, of an item whose field has this value.

        Raises InvalidValue where there is no such moment.
        """
        reason = self.refuses(text)
        if reason:
            raise InvalidValue(self.field, reason)
        if len(text) == len("YYYY-MM-DD"):
            day = _moved(date.fromisoformat(text), self.years)
            return (day.toordinal() - _BEGIN.toordinal() + self.days) * _DAY_SECONDS
        if len(text) == len("YYYY-MM-DD-HH"):
            start = hour_begin(text)
        else:
            start = datetime.fromisoformat(text)
        if self.years:
            start = datetime.combine(_moved(start.date(), self.years), start.timetz())
        return int((start + timedelta(days=self.days)).timestamp())


def _moved(day: date, years: int, *, leap: tuple[int, int] = (2, 28)) -> date:
    """The same day of another year; `leap` takes the place of a 29 February that it has not."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return date(day.year + years, *leap)
