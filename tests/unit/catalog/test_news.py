"""The design of financial news, and the fields that came with it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright.catalog.news.design import News, NewsItem, SparseNews, SparseNewsItem
from tablewright.model import (
    Entity,
    InvalidRecord,
    InvalidValue,
    ListOf,
    Text,
    TimestampText,
    truncate_time,
)
from tablewright.model.validation.design import validate

PENDING: dict[str, Any] = {
    "source_id": "finnhub:137825212",
    "timestamp": "2025-12-19T20:14:12Z",
    "status": "pending",
    "source_type": "finnhub",
    "text_for_analysis": "Company XYZ reports record earnings...",
    "matched_tickers": ["XYZ"],
}


def test_both_variants_are_sound() -> None:
    assert validate(News) == validate(SparseNews) == []


def test_an_item_expires_after_thirty_days() -> None:
    stored = News.__design__.attributes(NewsItem.__entity__, NewsItem(**PENDING))
    published = datetime(2025, 12, 19, 20, 14, 12, tzinfo=UTC).timestamp()
    assert stored["ttl_timestamp"] == published + 30 * 86400
    assert "sentiment" not in stored


def test_only_what_waits_is_in_the_sparse_index() -> None:
    design, entity = SparseNews.__design__, SparseNewsItem.__entity__
    index = design.indexes["by_status"]
    waiting = design.attributes(entity, SparseNewsItem(**PENDING, waiting="pending"))
    done = design.attributes(entity, SparseNewsItem(**{**PENDING, "status": "analyzed"}))
    assert design.projected(entity, waiting, index) is not None
    assert design.projected(entity, done, index) is None


def test_each_variant_takes_items_of_its_own() -> None:
    assert News.__design__.entities["NewsItem"] is NewsItem.__entity__
    assert SparseNews.__design__.entities["NewsItem"] is SparseNewsItem.__entity__
    with pytest.raises(InvalidRecord, match="waiting is not a field of NewsItem"):
        made(NewsItem, waiting="pending")


def made(kind: type[Entity], **changes: str) -> Entity:
    return kind(**{**PENDING, **changes})


def test_a_timestamp_to_the_second_has_no_fraction() -> None:
    field = TimestampText("at", resolution="s")
    moment = datetime(2025, 1, 2, 3, 4, 5, 999_999, tzinfo=UTC)
    with pytest.raises(InvalidValue, match=r'truncate_time\(moment, "s"\)'):
        field.check(moment)
    assert field.check(truncate_time(moment, "s")) == "2025-01-02T03:04:05Z"
    assert field.check("2025-01-02T03:04:05Z") == "2025-01-02T03:04:05Z"
    for wrong in ("2025-01-02T03:04:05.000Z", "2025-01-02T03:04:05Z\n", "2025-02-30T03:04:05Z"):
        with pytest.raises(InvalidValue):
            field.check(wrong)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("AAPL", "must be a list of texts"),
        (["A", "B", "C"], "must have at most 2 entries"),
        (["A", ""], "has an entry that must have 1 to"),
    ],
)
def test_a_list_of_texts_says_what_is_wrong_with_it(value: object, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        ListOf(Text(), max_items=2).named("tickers").check(value)


def test_a_list_of_texts_keeps_its_order_and_may_be_empty() -> None:
    field = ListOf(Text()).named("tickers")
    assert field.check(("B", "A", "B")) == ("B", "A", "B")
    assert field.check([]) == ()
