"""The two tables of the sentiment system: every key, name and number of their contract."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.catalog.sentiment.dashboard import (
    Counted,
    Dashboard,
    Hour,
    Rejected,
    Row,
    TagRow,
)
from tablewright.catalog.sentiment.items import GUARD_DAYS, Guard, Item, Items, items_table
from tablewright.model import ALL, Entity, InvalidRecord, InvalidValue, Table, replaced
from tablewright.model.validation.design import validate

EXAMPLE = Item(**Item.__entity__.example)
SHOWN = Row(**Row.__entity__.example)
TAGGED = TagRow(**TagRow.__entity__.example)
MOMENT = "2025-11-16T14:30:15.000Z"
SOURCE = "newsapi#bbc-news-ai-regulation-2025-11-16"


def stored(table: type[Table], record: Entity) -> dict[str, Any]:
    return table.__design__.attributes(record.__entity__, record)


def key(table: type[Table], record: Entity) -> tuple[Any, Any]:
    attributes, design = stored(table, record), table.__design__
    return attributes[design.pk], attributes[str(design.sk)]


@pytest.mark.parametrize("table", [Items, Dashboard])
def test_the_designs_are_sound(table: type[Table]) -> None:
    assert validate(table) == []


def test_keys_and_indexes_have_the_published_names() -> None:
    items, dashboard = Items.__design__, Dashboard.__design__
    assert (items.pk, items.sk, items.stream) == ("source_id", "ingested_at", "NEW_AND_OLD_IMAGES")
    assert (items.ttl, items.index_list) == (None, ())
    assert (dashboard.pk, dashboard.sk, dashboard.ttl) == (
        *("day_partition", "ingested_at", "expires_at"),
    )
    assert [(index.name, *index.key.names, index.projects) for index in dashboard.index_list] == [
        ("by_sentiment", "day_partition", "sentiment_score_combined", ALL),
        ("by_tag", "tag", "ingested_at", ALL),
    ]


def test_items_expire_where_days_are_given_and_their_guards_a_year_later() -> None:
    table = items_table(days=30)
    assert validate(table) == []
    design = table.__design__
    assert (design.id, design.ttl) == (Items.__design__.id, "expires_at")
    end = datetime(2025, 12, 16, 14, 30, 15, tzinfo=UTC)
    item = design.attributes(design.entities["Item"], EXAMPLE)
    assert item["expires_at"] == int(end.timestamp())
    guard = Guard(**Guard.__entity__.example)
    later = design.attributes(design.entities["Guard"], guard)["expires_at"]
    assert later == int((end + timedelta(days=GUARD_DAYS)).timestamp())
    assert items_table() is Items
    assert "expires_at" not in stored(Items, EXAMPLE)


def test_an_item_is_stored_under_the_published_names() -> None:
    item = stored(Items, EXAMPLE)
    assert set(item) == {
        *("source_id", "ingested_at", "source_type", "source_url", "text_snippet", "sentiment"),
        *("score", "model_version", "matched_tags", "metadata", "status"),
    }
    assert (item["source_id"], item["ingested_at"]) == (SOURCE, MOMENT)
    assert item["score"] == Decimal("0.72")
    assert item["matched_tags"] == {"AI", "regulation", "europe"}


def test_a_row_is_stored_under_the_published_names() -> None:
    row = stored(Dashboard, SHOWN)
    assert set(row) == {
        *("day_partition", "ingested_at", "source_id", "source_type", "sentiment", "score"),
        *("sentiment_score_combined", "matched_tags", "text_snippet", "source_url", "expires_at"),
        "timestamp",
    }
    assert row["day_partition"] == "2025-11-16"
    assert row["ingested_at"] == f"{MOMENT}|{SOURCE}"
    assert row["timestamp"] == MOMENT
    assert row["sentiment_score_combined"] == "neutral#0.72"


def test_an_item_without_tags_has_no_such_attribute() -> None:
    bare = Item(**{**Item.__entity__.example, "matched_tags": []})
    assert "matched_tags" not in stored(Items, bare)


def test_the_guard_stands_in_the_item_s_own_partition_under_another_key() -> None:
    guard = key(Items, Guard(**Guard.__entity__.example))
    assert guard == (SOURCE, "guard")
    assert guard != key(Items, EXAMPLE)


def test_a_row_and_its_tag_rows_never_share_a_key() -> None:
    rows = {key(Dashboard, SHOWN)}
    for tag in ("AI", "regulation", "europe", "2025-11-16"):
        rows.add(key(Dashboard, replaced(TAGGED, tag=tag)))
    assert len(rows) == 5
    assert key(Dashboard, TAGGED)[0] == "tag|AI|2025-11-16"


def test_two_sources_of_the_same_millisecond_are_two_rows() -> None:
    other = {"source_id": "twitter#tweet-456789"}
    assert key(Dashboard, SHOWN) != key(Dashboard, replaced(SHOWN, **other))
    assert key(Dashboard, TAGGED) != key(Dashboard, replaced(TAGGED, **other))


def test_only_rows_of_a_day_are_in_the_lists_by_day_and_by_sentiment() -> None:
    assert "sentiment_score_combined" not in stored(Dashboard, TAGGED)
    assert "tag" not in stored(Dashboard, SHOWN)
    assert stored(Dashboard, TAGGED)["tag"] == "AI"


moments = st.integers(0, 4 * 10**12).map(
    lambda milliseconds: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
)


@given(moments, moments)
def test_rows_sort_by_time_and_above_the_bare_moment_before_them(
    one: datetime, two: datetime
) -> None:
    sources = ("newsapi#z", "reddit#a")
    early, late = (
        replaced(SHOWN, ingested_at=at, source_id=source)
        for at, source in zip(sorted((one, two)), sources, strict=True)
    )
    texts = [key(Dashboard, row)[1] for row in (early, late)]
    assert early.ingested_at == late.ingested_at or texts[0] < texts[1]
    # What a query for "later than" compares with, in the form that was published.
    assert texts[1] > early.ingested_at


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
    row = replaced(SHOWN, sentiment="positive", score=Decimal(score))
    assert stored(Dashboard, row)["sentiment_score_combined"] == text


def test_rows_expire_seven_days_after_their_item_was_ingested_whenever_they_are_made() -> None:
    ingested = datetime(2025, 11, 16, 14, 30, 15, tzinfo=UTC)
    for record in (SHOWN, TAGGED):
        expires = stored(Dashboard, record)["expires_at"]
        assert expires == ingested.timestamp() + 7 * 86400


def test_counts_outlive_the_rows_and_markers_outlive_the_counts() -> None:
    # Of one hour: the last row that expires, the counts, and the first marker that does.
    hour, last = "2025-11-16T14:00:00.000Z", "2025-11-16T14:59:59.999Z"
    row = replaced(SHOWN, ingested_at=last)
    counts = Hour(**{**Hour.__entity__.example, "hour": hour})
    marker = Counted(**{**Counted.__entity__.example, "second": hour})
    expiry = [stored(Dashboard, record)["expires_at"] for record in (row, counts, marker)]
    assert expiry[0] < expiry[1] < expiry[2]


def test_hours_of_a_day_are_counted_by_source_in_one_partition() -> None:
    hour = stored(Dashboard, Hour(**Hour.__entity__.example))
    assert hour["day_partition"] == "counts|2025-11-16"
    assert hour["ingested_at"] == "2025-11-16T14:00:00.000Z|newsapi"
    assert {name for name in hour if name.startswith("tag:")} == {
        *("tag:AI", "tag:regulation", "tag:europe"),
    }
    assert hour["positive"] == 12


def test_what_was_refused_is_parked_by_day() -> None:
    assert key(Dashboard, Rejected(**Rejected.__entity__.example)) == (
        "rejected|2025-11-16",
        f"newsapi|{'0' * 32}",
    )


ACCEPTED: dict[str, list[Any]] = {
    "source_id": ["newsapi#article-abc123", "twitter#tweet-456789", "a#" + "x" * 254],
    "ingested_at": [
        f"2025-11-16T14:30:00{decimals}Z" for decimals in ("", ".000", ".123456", ".123456789")
    ],
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
    "ingested_at": ["2025-11-16T14:30:00", "2025-13-16T14:30:00Z", "2025-11-16", "now"],
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
    Item(**{**Item.__entity__.example, name: value})


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in REFUSED.items() for v in vs])
def test_a_value_outside_the_contract_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidRecord) as refused:
        Item(**{**Item.__entity__.example, name: value})
    assert [problem.field for problem in refused.value.problems] == [name]


def test_every_field_of_an_item_is_covered_here() -> None:
    assert ACCEPTED.keys() == REFUSED.keys() == Item.__entity__.by_name.keys()


@pytest.mark.parametrize("missing", ["source_id", "source_type", "sentiment", "score"])
def test_what_is_required_is_asked_for(missing: str) -> None:
    with pytest.raises(InvalidRecord, match=f"{missing} is required"):
        Item(**{n: value for n, value in Item.__entity__.example.items() if n != missing})


def test_a_tag_may_not_hold_what_sets_the_parts_of_a_key_apart() -> None:
    with pytest.raises(InvalidValue, match=r"tag must be text without '\|'"):
        TagRow.tag.check("a|b")
