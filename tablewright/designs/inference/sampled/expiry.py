"""Expiry of sampled items: the field, and the span after it, that explain when each expires."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tablewright.designs.inference.kinds import is_time
from tablewright.designs.inference.observed import Item
from tablewright.designs.inference.sampled.columns import Columns, Texts
from tablewright.designs.inference.sampled.parts import misses_allowed
from tablewright.model.expiry import Expiry

Json = dict[str, Any]

_DAY = 24 * 60 * 60
_MOST_YEARS = 100
_LAST = 253_402_300_800  # seconds since 1970 to the year 10000
_ENOUGH = 3


def moments(items: Sequence[Item], attribute: str) -> list[int | None] | None:
    """When each item expires, None where it does not; None at all where that is no moment."""
    found: list[int | None] = []
    for item in items:
        wire = item.get(attribute)
        number = Decimal(wire["N"]) if wire and "N" in wire else None
        if wire and (number is None or number != int(number) or not 0 <= number < _LAST):
            return None
        found.append(None if number is None else int(number))
    return found


def explained_expiry(expires: Sequence[int | None], columns: Columns) -> Json | None:
    """The field that items expire by, and after how long, as a description has it."""
    if sum(one is not None for one in expires) < _ENOUGH:
        return None
    for name, column in _times(columns):
        for spans in _spans(expires, column):
            if _explains(Expiry(name, **spans).at, expires, column):
                columns.settle(name)
                return {"field": name, **spans}
    return None


def _times(columns: Columns) -> Iterator[tuple[str, Texts]]:
    """Fields that are days, hours or moments, as texts."""
    for name, column in columns.texts.items():
        if is_time([text for text in column if text is not None]):
            yield name, column
    yield from columns.epochs().items()


def _spans(expires: Sequence[int | None], column: Texts) -> Iterator[dict[str, int]]:
    """Spans that are as long as the first item's; one of years alone is the likelier."""
    pairs = (
        (at, text) for at, text in zip(expires, column, strict=True) if text and at is not None
    )
    for at, text in pairs:
        try:
            start = Expiry("").at(text)
        except ValueError:
            return
        end, begin = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(start, UTC)
        years = end.year - begin.year
        if 0 < years <= _MOST_YEARS:
            yield {"years": years}
        days, rest = divmod(at - start, _DAY)
        if rest == 0 and days >= 0:
            yield {"days": days} if days else {}
        return


def _explains(made: Callable[[str], int], expires: Sequence[int | None], column: Texts) -> bool:
    allowed = misses_allowed(len(expires))
    for at, text in zip(expires, column, strict=True):
        try:
            same = (made(text) if text else None) == at
        except ValueError:
            same = False
        allowed -= not same
        if allowed < 0:
            return False
    return True
