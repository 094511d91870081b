"""Ids that tell when they were made: UUIDs of version 7, whose first 48 bits are a millisecond.

Their texts sort by time, and whatever was decided by time at the moment of their making can be
decided again from the id alone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from tablewright.model.fields.base import REQUIRED, Field, Required
from tablewright.model.fields.time import iso_utc

D = TypeVar("D")
_FORM = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
# The last moment that has a timestamp of four-digit years.
_LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC) - _1970) // _MILLISECOND


def milliseconds(moment: datetime | str) -> int:
    """Whole milliseconds since 1970 of a moment, or of a timestamp as it is stored."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return (moment - _1970) // _MILLISECOND


def made_at(id: str) -> int:
    """The millisecond, since 1970, that an id was made in.

    >>> made_at("01949fc8-7ae8-7abc-8def-0123456789ab")
    1737847503592
    """
    return int(id[:8] + id[9:13], 16)


def moment_of(id: str) -> str:
    """When an id was made, as a timestamp.

    >>> moment_of("01949fc8-7ae8-7abc-8def-0123456789ab")
    '2025-01-25T23:25:03.592Z'
    """
    return iso_utc(_1970 + made_at(id) * _MILLISECOND)


class TimeIdField(Field[Any]):
    """A UUID of version 7 in its usual spelling: small letters and hyphens."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return 36

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(_FORM, value) or made_at(value) > _LAST:
            raise self.refuse("must be a UUID of version 7, in small letters with hyphens")
        return value

    @property
    def key_pattern(self) -> str:
        return _FORM

    @property
    def samples(self) -> tuple[str, ...]:
        return ("00000000-0000-7000-8000-000000000000",)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid", "pattern": f"^{_FORM}$"}


def TimeId(stored: str | None = None, *, default: D | Required = REQUIRED) -> Field[str | D]:
    """A UUID of version 7, which tells when it was made."""
    return TimeIdField(stored, default=default)
