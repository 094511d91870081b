"""The two tables of the sentiment system: every key, name and number of their contract."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.catalog.sentiment.dashboard import (
    COUNTED,
    DASHBOARD,
    HOUR,
    REJECTED,
    ROW,
    TAG_ROW,
)
from tablewright.catalog.sentiment.items import GUARD, ITEM, ITEMS
from tablewright.model import ALL, Entity, InvalidRecord, InvalidValue, Table
from tablewright.model.validation.design import validate

EXAMPLE = ITEM.check(ITEM.example)
SHOWN = ROW.check(ROW.example)
TAGGED = TAG_ROW.check(TAG_ROW.example)
MOMENT = "2025-11-16T14:30:15.000Z"
SOURCE = "newsapi#bbc-news-ai-regulation-2025-11-16"


def key(design: Table, entity: Entity, record: dict[str, Any]) -> tuple[Any, Any]:
    attributes = design.attributes(entity, record)
    return attributes[design.pk], attributes[str(design.sk)]


@pytest.mark.parametrize("design", [ITEMS, DASHBOARD])
def test_the_designs_are_sound(design: Table) -> None:
    assert validate(design) == []


def test_keys_and_indexes_have_the_published_names() -> None:
    assert (ITEMS.pk, ITEMS.sk, ITEMS.stream) == ("source_id", "ingested_at", "NEW_AND_OLD_IMAGES")
    assert (ITEMS.ttl, ITEMS.index_list) == (None, ())
    assert (DASHBOARD.pk, DASHBOARD.sk, DASHBOARD.ttl) == (
        *("day_partition", "ingested_at", "expires_at"),
    )
    assert [(index.name, index.pk, index.sk, index.projects) for index in DASHBOARD.index_list] == [
        ("by_sentiment", "day_partition", "sentiment_score_combined", ALL),
        ("by_tag", "tag", "ingested_at", ALL),
    ]


def test_an_item_is_stored_under_the_published_names() -> None:
    stored = ITEMS.attributes(ITEM, EXAMPLE)
    assert set(stored) == {
        *("source_id", "ingested_at", "source_type", "source_url", "text_snippet", "sentiment"),
        *("score", "model_version", "matched_tags", "metadata", "status"),
    }
    assert (stored["source_id"], stored["ingested_at"]) == (SOURCE, MOMENT)
    assert stored["score"] == Decimal("0.72")
    assert stored["matched_tags"] == {"AI", "regulation", "europe"}


def test_a_row_is_stored_under_the_published_names() -> None:
    stored = DASHBOARD.attributes(ROW, SHOWN)
    assert set(stored) == {
        *("day_partition", "ingested_at", "source_id", "source_type", "sentiment", "score"),
        *("sentiment_score_combined", "matched_tags", "text_snippet", "source_url", "expires_at"),
    }
    assert stored["day_partition"] == "2025-11-16"
    assert stored["ingested_at"] == f"{MOMENT}|{SOURCE}"
    assert stored["sentiment_score_combined"] == "neutral#0.72"


def test_an_item_without_tags_has_no_such_attribute() -> None:
    bare = ITEM.check({**ITEM.example, "matched_tags": []})
    assert "matched_tags" not in ITEMS.attributes(ITEM, bare)


def test_the_guard_stands_in_the_item_s_own_partition_under_another_key() -> None:
    guard = key(ITEMS, GUARD, GUARD.check(GUARD.example))
    assert guard == (SOURCE, "guard")
    assert guard != key(ITEMS, ITEM, EXAMPLE)


def test_a_row_and_its_tag_rows_never_share_a_key() -> None:
    rows = {key(DASHBOARD, ROW, SHOWN)}
    for tag in ("AI", "regulation", "europe", "2025-11-16"):
        rows.add(key(DASHBOARD, TAG_ROW, {**TAGGED, "tag": tag}))
    assert len(rows) == 5
    assert key(DASHBOARD, TAG_ROW, TAGGED)[0] == "tag|AI|2025-11-16"


def test_two_sources_of_the_same_millisecond_are_two_rows() -> None:
    other = {"source_id": "twitter#tweet-456789"}
    assert key(DASHBOARD, ROW, SHOWN) != key(DASHBOARD, ROW, {**SHOWN, **other})
    assert key(DASHBOARD, TAG_ROW, TAGGED) != key(DASHBOARD, TAG_ROW, {**TAGGED, **other})


def test_only_rows_of_a_day_are_in_the_lists_by_day_and_by_sentiment() -> None:
    assert "sentiment_score_combined" not in DASHBOARD.attributes(TAG_ROW, TAGGED)
    assert "tag" not in DASHBOARD.attributes(ROW, SHOWN)
    assert DASHBOARD.attributes(TAG_ROW, TAGGED)["tag"] == "AI"


moments = st.integers(0, 4 * 10**12).map(
    lambda milliseconds: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
)


@given(moments, moments)
def test_rows_sort_by_time_and_above_the_bare_moment_before_them(
    one: datetime, two: datetime
) -> None:
    sources = ("newsapi#z", "reddit#a")
    early, late = (
        {**SHOWN, **ROW.check({"ingested_at": at, "source_id": source}, partial=True)}
        for at, source in zip(sorted((one, two)), sources, strict=True)
    )
    texts = [key(DASHBOARD, ROW, row)[1] for row in (early, late)]
    assert early["ingested_at"] == late["ingested_at"] or texts[0] < texts[1]
    # What a query for "later than" compares with, in the form that was published.
    assert texts[1] > early["ingested_at"]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        ("0.85", "positive#0.85"),
        ("1", "positive#1.00"),
        ("0", "positive#0.00"),
        ("0.999", "positive#1.00"),
        ("0.5", "positive#0.50"),
    ],
)
def test_sentiment_and_score_are_combined_with_two_decimals(score: str, text: str) -> None:
    row = ROW.check({**ROW.example, "sentiment": "positive", "score": Decimal(score)})
    assert DASHBOARD.attributes(ROW, row)["sentiment_score_combined"] == text


def test_rows_expire_seven_days_after_their_item_was_ingested_whenever_they_are_made() -> None:
    ingested = datetime(2025, 11, 16, 14, 30, 15, tzinfo=UTC)
    for entity, record in ((ROW, SHOWN), (TAG_ROW, TAGGED)):
        expires = DASHBOARD.attributes(entity, record)["expires_at"]
        assert expires == ingested.timestamp() + 7 * 86400


def test_counts_outlive_the_rows_and_markers_outlive_the_counts() -> None:
    # Of one hour: the last row that expires, the counts, and the first marker that does.
    hour, last = "2025-11-16T14:00:00.000Z", "2025-11-16T14:59:59.999Z"
    row = {**SHOWN, "ingested_at": last}
    counts = {**HOUR.check(HOUR.example), "hour": hour}
    marker = {**COUNTED.check(COUNTED.example), "second": hour}
    expiry = [
        DASHBOARD.attributes(entity, record)["expires_at"]
        for entity, record in ((ROW, row), (HOUR, counts), (COUNTED, marker))
    ]
    assert expiry[0] < expiry[1] < expiry[2]


def test_hours_of_a_day_are_counted_by_source_in_one_partition() -> None:
    hour = HOUR.check(HOUR.example)
    stored = DASHBOARD.attributes(HOUR, hour)
    assert stored["day_partition"] == "counts|2025-11-16"
    assert stored["ingested_at"] == "2025-11-16T14:00:00.000Z|newsapi"
    assert {name for name in stored if name.startswith("tag:")} == {
        *("tag:AI", "tag:regulation", "tag:europe"),
    }
    assert stored["positive"] == 12


def test_what_was_refused_is_parked_by_day() -> None:
    assert key(DASHBOARD, REJECTED, REJECTED.check(REJECTED.example)) == (
        "rejected|2025-11-16",
        f"newsapi|{'0' * 32}",
    )


ACCEPTED: dict[str, list[Any]] = {
    "source_id": ["newsapi#article-abc123", "twitter#tweet-456789", "a#" + "x" * 254],
    "ingested_at": ["2025-11-16T14:30:00.000Z"],
    "source_type": ["newsapi", "twitter", "reddit"],
    "source_url": ["https://example.com", "https://example.com/a?b=c#d"],
    "text_snippet": ["x" * 200, "Schön 👩‍🚀", " "],
    "sentiment": ["positive", "neutral", "negative"],
    "score": [Decimal(0), Decimal("0.5"), Decimal(1), 1],
    "model_version": ["v1.0.0", "v10.20.30"],
    "matched_tags": [["AI"], ["a", "b", "c", "d", "e"], ["x" * 50], ["climate change"], []],
    "metadata": [{}, {"username": "elonmusk", "retweet_count": 150, "like_count": 500}],
    "status": ["pending", "analyzed"],
}
REFUSED: dict[str, list[Any]] = {
    "source_id": ["invalid format", "newsapi#" + "x" * 300, "newsapi#a\n", "News#1", "#1", "a#", 5],
    "ingested_at": ["2025-11-16T14:30:00Z", "2025-11-16", "now"],
    "source_type": ["facebook", "NEWSAPI", ""],
    "source_url": ["http://example.com", "ftp://example.com", "https://", "https:// x", "x"],
    "text_snippet": ["x" * 201, "", "a\nb", "a\x00", "\ud800"],
    "sentiment": ["happy", "Positive"],
    "score": [Decimal("-0.1"), Decimal("1.5"), 0.5, "0.5", True],
    "model_version": ["1.0.0", "v1.0", "v1.0.0\n", "v1.0.0-rc1"],
    "matched_tags": [["a", "b", "c", "d", "e", "f"], ["x" * 51], [" "], [""], ["a|b"], "AI"],
    "metadata": [[], {"score": 0.5}, {"x": "y" * 5000}],
    "status": ["done", "PENDING"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in ACCEPTED.items() for v in vs])
def test_a_value_of_the_contract_is_accepted(name: str, value: Any) -> None:
    ITEM.check({**ITEM.example, name: value})


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in REFUSED.items() for v in vs])
def test_a_value_outside_the_contract_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidRecord) as refused:
        ITEM.check({**ITEM.example, name: value})
    assert [problem.field for problem in refused.value.problems] == [name]


def test_every_field_of_an_item_is_covered_here() -> None:
    assert ACCEPTED.keys() == REFUSED.keys() == ITEM.by_name.keys()


@pytest.mark.parametrize("missing", ["source_id", "source_type", "sentiment", "score", "status"])
def test_what_is_required_is_asked_for(missing: str) -> None:
    with pytest.raises(InvalidRecord, match=f"{missing} is required"):
        ITEM.check({name: value for name, value in ITEM.example.items() if name != missing})


def test_a_tag_may_not_hold_what_sets_the_parts_of_a_key_apart() -> None:
    with pytest.raises(InvalidValue, match=r"tag must be text without '\|'"):
        TAG_ROW.by_name["tag"].check("a|b")
