"""Validation rules as published: each returns True or raises ValueError.

The rules are those of the fields of `Item`, which every item that is stored is checked by.
"""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from tablewright.catalog.sentiment.items import Item
from tablewright.model import InvalidValue
from tablewright.model.fields.time import utc_text


def exact_score(score: Any) -> Any:
    """A score as the decimal number that a float is written as: 0.1 is 0.1, no binary fraction."""
    return Decimal(repr(score)) if isinstance(score, float) else score


def validate_source_id(source_id: str) -> bool:
    """True for a source type, `#` and an id, of at most 256 characters."""
    return Item.source_id.check(source_id) is not None


def validate_timestamp(timestamp: str, field: str = "timestamp") -> bool:
    """True for a time in ISO 8601 that names its time zone."""
    try:
        utc_text(timestamp)
    except ValueError as problem:
        raise InvalidValue(field, str(problem)) from None
    return True


def validate_sentiment(sentiment: str) -> bool:
    """True for `positive`, `neutral` and `negative`."""
    return Item.sentiment.check(sentiment) is not None


def validate_score(score: Decimal | float) -> bool:
    """True for a number from 0 to 1."""
    return Item.score.check(exact_score(score)) is not None


def validate_matched_tags(tags: Collection[str]) -> bool:
    """True for at most 5 tags, each of 1 to 50 characters without `|`, not all of them blank."""
    Item.matched_tags.check(list(tags))
    return True
