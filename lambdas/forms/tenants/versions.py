"""Versions of records: `updated_at` moves on with every change that a tenant can see."""

from datetime import datetime, timedelta

from tablewright.model.fields.time import iso_utc

VERSION = "updated_at"


def next_version(before: str, now: datetime) -> str:
    """Now, or as soon after the last version as can be told from it.

    >>> from datetime import UTC
    >>> next_version("2025-01-26T12:00:00.000Z", datetime(2025, 1, 26, 11, tzinfo=UTC))
    '2025-01-26T12:00:00.001Z'
    """
    soonest = datetime.fromisoformat(before) + timedelta(milliseconds=1)
    return iso_utc(max(now, soonest))
