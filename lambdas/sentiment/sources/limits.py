"""Rate limits of the sources, in the dialects of their HTTP headers."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# Bounded, so that no answer can name a moment that a datetime cannot hold.
_SECONDS = re.compile(r"(\d{1,9})(\.\d+)?")
_EPOCH = re.compile(r"\d{1,11}")


def free_at(headers: Mapping[str, str], now: datetime, *, refused: bool) -> datetime | None:
    """When the next request may be sent; None when at once, or when nothing is said about it.

    `refused` tells that this answer itself was a refusal, so that a limit is in force whatever is
    said to remain.
    """
    if refused and "retry-after" in headers:
        return _retry_after(headers["retry-after"], now)
    if refused or _used_up(headers.get("x-rate-limit-remaining")):
        reset = headers.get("x-rate-limit-reset", "")  # Twitter: the moment itself
        if _EPOCH.fullmatch(reset):
            return datetime.fromtimestamp(int(reset), UTC)
    if refused or _used_up(headers.get("x-ratelimit-remaining")):
        return _reset(headers.get("x-ratelimit-reset", ""), now)
    return None


def _used_up(remaining: str | None) -> bool:
    # Reddit counts in fractions: less than one is none.
    number = _SECONDS.fullmatch(remaining or "")
    return number is not None and int(number[1]) == 0


def _retry_after(text: str, now: datetime) -> datetime | None:
    if _SECONDS.fullmatch(text):
        return _after(text, now)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # A date "-0000" is parsed as naive; HTTP's dates are always UTC.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _reset(text: str, now: datetime) -> datetime | None:
    # Seconds until then (Reddit) or the moment itself, which has had ten digits since 2001.
    if len(text) > 9 and _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC)
    return _after(text, now)


def _after(text: str, now: datetime) -> datetime | None:
    number = _SECONDS.fullmatch(text)
    # A fraction is rounded up: a request before the end would be refused.
    return now + timedelta(seconds=int(number[1]) + bool(number[2])) if number else None
