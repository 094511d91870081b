"""What the dashboard asks of its table, on the real engine."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.sentiment.dashboard import DashboardReader, ItemList
from tablewright.catalog.sentiment.dashboard import Dashboard, Row, TagRow
from tablewright.catalog.sentiment.items import Item
from tablewright.model.capacity import read_floor
from tablewright.model.fields.time import iso_utc
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import CursorError
from tablewright.runtime.meter import Meter
from tests.integration.sentiment.conftest import World, item
from tests.integration.sentiment.moments import NOW

Listed = list[Row | TagRow]


def page_of(dashboard: DashboardReader, **asked: Any) -> ItemList[Any]:
    """A page of the items with a tag, of a sentiment, or of all."""
    asked = {"caller": "ada", **asked}
    if "tag" in asked:
        return dashboard.get_items_by_tag(**asked)
    if "sentiment" in asked:
        return dashboard.get_items_by_sentiment(**asked)
    return dashboard.get_recent_items(**asked)


def listed(dashboard: DashboardReader, limit: int = 20, **asked: Any) -> Listed:
    """All of a list, page by page."""
    found: Listed = []
    cursor = None
    for _ in range(100):
        page = page_of(dashboard, **asked, limit=limit, cursor=cursor)
        assert len(page) <= limit
        found += page
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


def ids(records: Sequence[Row | TagRow]) -> list[int]:
    return [int(record.source_id[-5:]) for record in records]


def at(hours_ago: float) -> str:
    return iso_utc(NOW - timedelta(hours=hours_ago))


def fill(world: World, count: int, hours: float, **changes: Any) -> list[Item]:
    items = [item(n, ingested_at=at(n * hours), **changes) for n in range(count)]
    world.put(*items)
    world.project()
    return items


def test_recent_items_come_newest_first_over_all_days_each_once(world: World) -> None:
    fill(world, 60, hours=2)
    assert ids(listed(world.dashboard(), limit=7)) == list(range(60))
    (first,) = world.dashboard().get_recent_items(1)
    assert first == _shown(item(0, ingested_at=at(0)))


def test_just_after_midnight_the_list_is_not_empty(world: World) -> None:
    fill(world, 5, hours=1)
    midnight = (NOW + timedelta(days=1)).replace(hour=0, minute=0, second=1)
    assert ids(listed(world.dashboard(now=midnight))) == list(range(5))


def test_a_list_that_is_read_on_over_midnight_goes_on_where_it_was(world: World) -> None:
    fill(world, 30, hours=1)
    page = page_of(world.dashboard(), limit=10)
    tomorrow = NOW + timedelta(days=1)
    rest = page_of(world.dashboard(now=tomorrow), limit=20, cursor=page.cursor)
    assert ids([*page, *rest]) == list(range(30))


def test_items_of_the_same_millisecond_are_paged_exactly(world: World) -> None:
    fill(world, 25, hours=0)
    assert sorted(ids(listed(world.dashboard(), limit=4))) == list(range(25))


def test_what_is_older_than_the_window_is_not_listed(world: World) -> None:
    fill(world, 12, hours=24)
    assert ids(listed(world.dashboard())) == list(range(8))


def test_since_bounds_the_list(world: World) -> None:
    fill(world, 30, hours=2)
    assert ids(listed(world.dashboard(), since=at(12))) == list(range(7))


def test_a_sentiment_is_listed_surest_first(world: World) -> None:
    fill(world, 30, hours=0.1)
    found = listed(world.dashboard(), limit=3, sentiment="positive")
    assert ids(found) == [n for n in range(29, -1, -1) if n % 3 == 0]
    assert {record.sentiment for record in found} == {"positive"}


def test_a_sentiment_goes_on_with_the_day_before(world: World) -> None:
    fill(world, 6, hours=12, sentiment="negative")
    days = [record.ingested_at[:10] for record in listed(world.dashboard(), sentiment="negative")]
    assert days == sorted(days, reverse=True)
    assert len(days) == 6


def test_a_score_of_one_is_above_all_others(world: World) -> None:
    scores = [Decimal(s) for s in ("1", "0.99", "0.9", "0.09", "0")]
    world.put(*(item(n, sentiment="neutral", score=s) for n, s in enumerate(scores)))
    world.project()
    assert [r.score for r in listed(world.dashboard(), sentiment="neutral")] == scores


def test_a_tag_lists_every_item_that_has_it_since_a_time(world: World) -> None:
    tags = [{"AI"}, {"AI", "C#"}, {"music"}]
    items = [item(n, ingested_at=at(n), matched_tags=tags[n % 3]) for n in range(60)]
    world.put(*items)
    world.project()
    assert ids(listed(world.dashboard(), limit=7, tag="AI")) == [n for n in range(60) if n % 3 < 2]
    recent = listed(world.dashboard(), tag="AI", since=at(24))
    assert ids(recent) == [n for n in range(25) if n % 3 < 2]
    assert ids(listed(world.dashboard(), tag="C#")) == [n for n in range(60) if n % 3 == 1]
    assert listed(world.dashboard(), tag="nobody's") == []


def test_a_tag_and_a_sentiment_can_be_asked_together(world: World) -> None:
    fill(world, 30, hours=1)
    both = ids(listed(world.dashboard(), limit=4, tag="AI", sentiment="negative"))
    assert both == [n for n in range(30) if n % 3 == 2]


@pytest.mark.parametrize("asked", [{}, {"tag": "AI"}, {"sentiment": "positive"}])
def test_every_list_can_be_of_one_source(world: World, asked: dict[str, str]) -> None:
    types = ("newsapi", "twitter", "reddit")
    items = [
        item(
            n,
            ingested_at=at(n / 10),
            sentiment="positive",
            source_type=types[n % 3],
            source_id=f"{types[n % 3]}#x-{n:05}",
        )
        for n in range(30)
    ]
    world.put(*items)
    world.project()
    found = ids(listed(world.dashboard(), limit=4, source_type="reddit", **asked))
    assert sorted(found) == [n for n in range(30) if n % 3 == 2]


def test_a_cursor_is_of_its_caller_and_its_question(world: World) -> None:
    fill(world, 30, hours=1)
    page = page_of(world.dashboard(), limit=5)
    for other in ({"caller": "grace"}, {"caller": "ada", "tag": "AI"}):
        with pytest.raises(CursorError):
            page_of(world.dashboard(), **other, limit=5, cursor=page.cursor)


def test_the_summary_counts_sentiments_tags_and_hours(world: World) -> None:
    fill(world, 40, hours=1)
    found = world.dashboard().summary(hours=24, source_type=None)
    assert found["since"] == "2099-03-03T15:00:00.000Z"
    assert found["until"] == "2099-03-04T15:00:00.000Z"
    assert found["distribution"] == {"positive": 8, "neutral": 8, "negative": 8}
    assert found["tags"] == [
        {"tag": "AI", "count": 24},
        {"tag": "europe", "count": 24},
        {"tag": "regulation", "count": 24},
    ]
    assert len(found["hours"]) == 24
    assert found["hours"][-1] == {
        "hour": "2099-03-04T14:00:00.000Z", "positive": 1, "neutral": 0, "negative": 0,
    }  # fmt: skip
    whole = world.dashboard().summary(hours=168, source_type=None)
    assert sum(whole["distribution"].values()) == 40
    assert world.dashboard().summary(hours=24, source_type="reddit")["tags"] == []


def test_an_empty_dashboard_is_all_zeros(world: World) -> None:
    found = world.dashboard().summary(hours=2, source_type=None)
    assert found["distribution"] == {"positive": 0, "neutral": 0, "negative": 0}
    assert [hour["positive"] for hour in found["hours"]] == [0, 0]
    assert listed(world.dashboard()) == []


def test_a_page_of_a_day_of_two_thousand_items_costs_what_its_rows_weigh(world: World) -> None:
    """Two thousand items of five tags each in one day: twelve thousand rows, none in the way."""
    tags = {"AI", "climate", "economy", "health", "sport"}
    moments = (iso_utc(NOW - timedelta(seconds=n)) for n in range(2_000))
    items = [item(n, ingested_at=at, matched_tags=tags) for n, at in enumerate(moments)]
    world.project_rows(items)
    meter = Meter(world.dynamo)
    page = world.dashboard(meter).get_recent_items(20)
    assert page == [_shown(one) for one in items[:20]]
    sizes = [item_bytes(Dashboard.__design__.attributes(Row.__entity__, record)) for record in page]
    assert meter.read_units == read_floor(sizes)


def _shown(one: Item) -> Row:
    hidden = ("metadata", "model_version", "status")
    shown = {name: value for name, value in one.items() if name not in hidden}
    return Row(**shown, day=one.ingested_at[:10], timestamp=one.ingested_at)
