"""Fields that the portal's tables share: ids, tags and times, accepted as people write them."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from tablewright.model import Field, InvalidValue, Name, Prose, Text
from tablewright.model.fields.base import REQUIRED
from tablewright.model.fields.time import Resolution, TimestampTextField, iso_utc

# Content and notification ids are parts of URL paths and of S3 keys.
ID = "[A-Za-z0-9_][A-Za-z0-9._~:@-]*"
ID_FORM = "letters, digits and . _ ~ : @ -, beginning with a letter, a digit or _"
# '#' separates the parts of keys.
NO_HASH, NO_HASH_FORM = "[^#]*", "text without '#'"
TAG = Prose(max_length=50, pattern=r".*\S.*", form="text that is not blank")

_STORED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?")


def path_id(stored: str | None = None, *, default: Any = REQUIRED) -> Field[Any]:
    return Text(stored, max_length=128, pattern=ID, form=ID_FORM, default=default)


def key_id(stored: str | None = None, *, default: Any = REQUIRED) -> Field[Any]:
    """An id of a user or an event: a part of keys, but of no path."""
    return Text(stored, max_length=128, pattern=NO_HASH, form=NO_HASH_FORM, default=default)


def product() -> Field[str | None]:
    return Name(max_length=100, pattern=NO_HASH, form=NO_HASH_FORM, default=None)


def folded(text: str) -> str:
    r"""Fold a text for comparison: case, spaces and compatible characters do not count.

    >>> folded(" Straße \u00a0 \uff21BC")
    'strasse abc'
    """
    once = unicodedata.normalize("NFKC", text).casefold()
    # Folding can undo what was normalized.
    return " ".join(unicodedata.normalize("NFKC", once).split())


def unique_tags(tags: Any) -> list[Any]:
    """The tags without repetitions: the first spelling of each stays.

    >>> unique_tags(["Demo", "demo ", "Data Lake"])
    ['Demo', 'Data Lake']
    """
    found: dict[str, Any] = {}
    for tag in tags:
        found.setdefault(folded(tag), tag)
    return list(found.values())


def utc(text: str, *, end_of_day: bool = False) -> str:
    """An ISO 8601 time or date as YYYY-MM-DDTHH:MM:SS.mmmZ; raises ValueError.

    A date is the start of that day in UTC, or its last millisecond.

    >>> utc("2025-12-31"), utc("2025-12-31", end_of_day=True)
    ('2025-12-31T00:00:00.000Z', '2025-12-31T23:59:59.999Z')
    >>> utc("2025-01-26T11:04:00.123456+01:00")
    '2025-01-26T10:04:00.123Z'
    """
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return iso_utc(datetime.fromisoformat(text.upper()))
    return day + ("T23:59:59.999Z" if end_of_day else "T00:00:00.000Z")


def stored_utc(text: str | None, *, end_of_day: bool = False) -> str | None:
    """A stored time in the form that new items have, to compare it; without a zone it is UTC."""
    if text is None:
        return None
    try:
        return utc(text, end_of_day=end_of_day)
    except ValueError:
        return iso_utc(datetime.fromisoformat(text).replace(tzinfo=UTC))


def is_without_zone(text: str) -> bool:
    """True for a time, not a date, that does not say its zone."""
    try:
        return datetime.fromisoformat(text.upper()).tzinfo is None and len(text) > len("YYYY-MM-DD")
    except ValueError:
        return False


class MomentField(TimestampTextField):
    """A time in UTC, stored in one form whichever form of ISO 8601 it is given in."""

    __slots__ = ("end_of_day",)

    def __init__(
        self,
        *,
        default: Any = REQUIRED,
        end_of_day: bool = False,
        resolution: Resolution = "ms",
    ) -> None:
        super().__init__(default=default, resolution=resolution)
        self.end_of_day = end_of_day

    @property
    def key_pattern(self) -> str:
        # Items of earlier programs have other forms of time in keys of indexes.
        return _STORED.pattern

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            return super().check(value)
        try:
            # Items of earlier programs may have times without a zone.
            return str(stored_utc(value, end_of_day=self.end_of_day))
        except (ValueError, OverflowError):
            raise self.refuse(
                "must be a date (2025-12-31) or a time with its zone (2025-12-31T09:30:00Z)"
            ) from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}


class KeyTimeField(TimestampTextField):
    """A time that stands in a primary key: the text of a stored item stays as it is."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if isinstance(value, str) and _STORED.fullmatch(value):
            return value
        return super().check(value)

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DDTHH:MM:SS.mmmmmm+00:00")

    @property
    def key_pattern(self) -> str:
        return _STORED.pattern

    @property
    def samples(self) -> tuple[str, ...]:
        return ()

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


def moment(*, default: Any = REQUIRED, end_of_day: bool = False) -> Field[Any]:
    """A time, or a date: its start, or with `end_of_day` its end."""
    return MomentField(default=default, end_of_day=end_of_day)


def key_time() -> Field[str]:
    return KeyTimeField(resolution="ms")


def event_time(value: Any) -> str:
    """The time of an event from a request, in the stored form; raises InvalidValue."""
    if isinstance(value, str) and len(value) > len("YYYY-MM-DD"):
        with suppress(ValueError, OverflowError):
            return utc(value)
    raise InvalidValue("timestamp", "must be a time with its zone, such as 2025-01-26T10:04:00Z")
