"""Moments of publication, in the notations of the sources; always aware and in UTC."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lambdas.sentiment.sources.source import Unmappable, count

# From the first second after 1970 began, since zero stands for unknown, to the last of 9999.
_SECONDS = range(1, 253_402_300_800)


def iso_moment(entry: Mapping[str, Any], name: str) -> datetime:
    """A moment in ISO 8601; one without an offset is in UTC already."""
    value = entry.get(name)
    if value is None:
        raise Unmappable(f"has no {name}")
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        raise Unmappable(f"{name} must be a time in ISO 8601") from None


def unix_moment(entry: Mapping[str, Any], name: str) -> datetime:
    """A moment in seconds since the beginning of 1970."""
    if entry.get(name) is None:
        raise Unmappable(f"has no {name}")
    seconds = count(entry, name)
    if seconds is None or seconds not in _SECONDS:
        raise Unmappable(f"{name} must be a time in whole seconds since 1970")
    return datetime.fromtimestamp(seconds, UTC)
