"""Financial news: the panel, its rows, and how it behaves to whoever reads it."""

import pytest
from playwright.sync_api import expect

from tests.e2e.support.browser import NARROW
from tests.integration.page.conftest import Dashboard, asks
from tests.integration.page.panel import EVENTS, ids, shows
from tests.integration.page.samples import news
from tests.integration.page.server import NEWS, Api

HOSTILE = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"


def test_news_appears_by_itself_with_the_latest_on_top(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1), news(2)]
    page = dashboard.open()
    shows(page, 2, 1)
    asks(page, EVENTS)
    api.feed.publish(news(3), news(4))
    shows(page, 4, 3, 2, 1)
    assert ids(api) == [None, "after=2"]


def test_a_row_says_mood_title_text_origin_tickers_score_and_age(
    dashboard: Dashboard, api: Api
) -> None:
    named = {"title": "Record", "source_name": "Wire", "source_url": "https://www.wire.example/1"}
    api.feed.items = [
        news(
            1,
            minutes_ago=3,
            sentiment="negative",
            score=0.7,
            text_for_analysis="Record\nMore to come.",
            matched_tickers=["ABC", "BRK.B"],
            metadata=named,
        )
    ]
    row = dashboard.open().locator("#news > li")
    expect(row).to_contain_text("Negative")
    expect(row.locator(".item-text")).to_have_text(["Record", "More to come."])
    expect(row.locator(".origin")).to_contain_text("Wire · wire.example")
    expect(row.locator(".ticker")).to_have_text(["Ticker ABC", "Ticker BRK.B"])
    expect(row.get_by_role("button")).to_have_count(0)
    expect(row).to_contain_text("0.70")
    expect(row.locator("time")).to_have_text("3 minutes ago")
    link = row.get_by_role("link")
    expect(link).to_have_attribute("href", "https://www.wire.example/1")
    expect(link).to_have_attribute("rel", "noopener noreferrer")


def test_without_metadata_there_is_a_row(dashboard: Dashboard, api: Api) -> None:
    bare = news(1, source_type="tiingo", text_for_analysis="Only this.", matched_tickers=[])
    del bare["metadata"]
    api.feed.items = [bare]
    row = dashboard.open().locator("#news > li")
    expect(row.locator(".item-text")).to_have_text("Only this.")
    expect(row.locator(".origin")).to_have_text("Tiingo")
    expect(row.get_by_role("link")).to_have_count(0)


def test_what_was_analysed_late_is_on_top_and_as_old_as_it_is(
    dashboard: Dashboard, api: Api
) -> None:
    api.feed.items = [news(1, minutes_ago=5)]
    page = dashboard.open()
    asks(page, EVENTS)
    api.feed.publish(news(2, minutes_ago=3000))
    shows(page, 2, 1)
    expect(page.locator("#news time")).to_have_text(["2 days ago", "5 minutes ago"])


def test_ages_grow_while_nothing_comes(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1, minutes_ago=3)]
    page = dashboard.open()
    page.clock.run_for(2 * 60_000)
    expect(page.locator("#news time")).to_have_text("5 minutes ago")


def test_the_first_one_takes_the_place_of_the_empty_state(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    expect(page.get_by_text("No financial news yet")).to_be_visible()
    asks(page, EVENTS)
    api.feed.publish(news(1))
    shows(page, 1)
    expect(page.locator("#news-empty")).to_be_hidden()


def test_bones_hold_the_place_of_what_is_to_come(dashboard: Dashboard, api: Api) -> None:
    api.silent = True
    page = dashboard.open(ready=False)
    expect(page.locator("#news .bone")).to_have_count(3)
    expect(page.locator("#news")).to_have_attribute("aria-busy", "true")


def test_the_sentiment_starts_the_news_over_and_other_filters_do_not(
    dashboard: Dashboard, api: Api
) -> None:
    moods = ("positive", "negative", "positive", "neutral")
    api.feed.items = [news(at, sentiment=mood) for at, mood in enumerate(moods, 1)]
    page = dashboard.open()
    shows(page, 4, 3, 2, 1)
    with page.expect_response("**/items?*"):
        page.locator("#tags").get_by_role("button", name="climate").click()
    assert len(api.requests(NEWS)) == 1
    page.get_by_role("button", name="Positive 30").click()
    shows(page, 3, 1)
    asks(page, EVENTS)
    api.feed.publish(news(5, sentiment="negative"), news(6, sentiment="positive"))
    shows(page, 6, 3, 1)
    page.keyboard.press("Escape")
    shows(page, 6, 5, 4, 3, 2, 1)
    assert [each.query for each in api.requests(NEWS)] == [
        {},
        {"sentiment": "positive"},
        {"sentiment": "positive"},
        {},
    ]
    assert ids(api) == [None, None, "after=4", None]


def test_without_news_of_a_sentiment_that_is_said(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1, sentiment="positive")]
    page = dashboard.open("#sentiment=negative")
    expect(page.get_by_text("No negative financial news yet")).to_be_visible()


def test_no_more_than_fifty_are_kept(dashboard: Dashboard, api: Api) -> None:
    api.feed.streams = True
    api.feed.items = [news(number) for number in range(30)]
    page = dashboard.open()
    shows(page, *reversed(range(10, 30)))
    api.feed.publish(*(news(number) for number in range(30, 75)))
    shows(page, *reversed(range(25, 75)))


def test_new_ones_are_announced_together_and_not_too_often(dashboard: Dashboard, api: Api) -> None:
    api.feed.streams = True
    api.feed.items = [news(1)]
    page = dashboard.open()
    spoken = page.locator("#announcer")
    page.clock.run_for(2_000)
    expect(spoken).to_have_text("")
    api.feed.publish(news(2), news(3))
    shows(page, 3, 2, 1)
    page.clock.run_for(1_000)
    expect(spoken).to_have_text("2 new financial news items")
    api.feed.publish(news(4))
    shows(page, 4, 3, 2, 1)
    page.clock.run_for(10_000)
    expect(spoken).to_have_text("2 new financial news items")
    page.clock.run_for(10_000)
    expect(spoken).to_have_text("1 new financial news item")


def test_text_from_outside_is_shown_and_never_run(dashboard: Dashboard, api: Api) -> None:
    named = {"title": HOSTILE, "source_name": HOSTILE}
    api.feed.items = [
        news(1, text_for_analysis=HOSTILE * 2, metadata=named, matched_tickers=[HOSTILE])
    ]
    page = dashboard.open()
    expect(page.locator("#news .item-text")).to_have_text([HOSTILE, HOSTILE])
    expect(page.locator("#news .origin")).to_have_text(HOSTILE)
    expect(page.locator("#news .ticker")).to_contain_text(HOSTILE)
    assert page.locator("#news img, #news b").count() == 0
    assert page.title() == "Sentiment dashboard"


@pytest.mark.parametrize("url", ["javascript:document.title='run'", "data:text/html,x", "no url"])
def test_only_web_addresses_become_links(dashboard: Dashboard, api: Api, url: str) -> None:
    api.feed.items = [news(1, metadata={"source_url": url})]
    page = dashboard.open()
    shows(page, 1)
    expect(page.locator("#news a")).to_have_count(0)


def test_new_ones_do_not_move_what_is_being_read(dashboard: Dashboard, api: Api) -> None:
    api.feed.streams = True
    api.feed.items = [news(number) for number in range(1, 16)]
    page = dashboard.open()
    row = page.locator("#news > li").nth(6)
    row.evaluate("row => { news.scrollTop = row.offsetTop + 5 }")
    top = "row => Math.round(row.getBoundingClientRect().top)"
    before = row.evaluate(top)
    api.feed.publish(news(16), news(17))
    shows(page, *reversed(range(1, 18)))
    assert page.locator("#news > li").nth(8).evaluate(top) == before
    assert page.evaluate("scrollY") == 0


def test_the_keyboard_reaches_the_news_and_scrolls_it(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(number, metadata={}) for number in range(1, 16)]
    page = dashboard.open()
    page.locator("#news-files button").last.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("list", name="Financial news")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#news > li").first).not_to_be_in_viewport()


def test_it_is_beside_the_items_where_there_is_room_and_below_where_not(
    dashboard: Dashboard, api: Api
) -> None:
    api.feed.items = [news(number) for number in range(1, 16)]
    for viewport, beside in ((NARROW, False), ({"width": 1100, "height": 700}, True)):
        page = dashboard.open(viewport=viewport)
        items = page.locator(".items-card").first.bounding_box()
        panel = page.locator("#news-card").bounding_box()
        assert items is not None
        assert panel is not None
        assert (panel["y"] == items["y"]) is beside
        assert (panel["y"] > items["y"] + items["height"]) is not beside
