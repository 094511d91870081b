"""Financial news: it comes by itself, each piece once, whatever happens on the way."""

import json
import re
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.browser import NARROW
from tests.integration.page.conftest import Dashboard, asks, in_sight
from tests.integration.page.samples import news
from tests.integration.page.server import NEWS, Api

EVENTS = "news/events"
BUSY = "The table is busy; repeating the same request is safe."
HOSTILE = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"


def shows(page: Page, *numbers: int) -> None:
    """Exactly these, from top to bottom."""
    rows = page.locator("#news > li")
    expect(rows).to_have_count(len(numbers))
    texts = [re.compile(rf"\({number}\)\.") for number in numbers]
    expect(rows).to_have_text(texts)


def ids(api: Api) -> list[str | None]:
    """After what the page asked, in each of its requests."""
    return [each.headers.get("last-event-id") for each in api.requests(NEWS)]


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


def test_nothing_is_lost_or_repeated_over_many_answers(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    for number in range(1, 6):
        # What comes between two requests is there with the next one.
        api.feed.publish(news(2 * number))
        asks(page, EVENTS)
        shows(page, *reversed(range(2, 2 * number + 1, 2)))
    assert ids(api) == [None, *(f"after={at}" for at in range(5))]


def test_an_answer_without_news_changes_nothing(dashboard: Dashboard, api: Api) -> None:
    api.feed.hold_seconds = 0.01
    api.feed.items = [news(1)]
    page = dashboard.open()
    for _ in range(3):
        asks(page, EVENTS)
    api.feed.publish(news(2))
    asks(page, EVENTS)
    shows(page, 2, 1)
    assert ids(api)[:4] == [None, *["after=1"] * 3]


# In its id, in its data, and with nothing missing but the blank line.
@pytest.mark.parametrize("at", [7, 200, -1])
@pytest.mark.parametrize("how", ["ended", "broken"])
def test_an_event_that_was_cut_off_comes_again_and_is_shown_once(
    dashboard: Dashboard, api: Api, at: int, how: Literal["ended", "broken"]
) -> None:
    api.feed.items = [news(1)]
    page = dashboard.open()
    asks(page, EVENTS)
    api.feed.cut = (at, how)
    api.feed.publish(news(2), news(3))
    asks(page, EVENTS)
    shows(page, 3, 2, 1)
    expect(page.locator("#news-trouble")).to_be_hidden()
    assert ids(api) == [None, "after=1", "after=1"]


@pytest.mark.parametrize("how", ["ended", "broken"])
def test_a_first_answer_that_was_cut_off_is_asked_for_again(
    dashboard: Dashboard, api: Api, how: Literal["ended", "broken"]
) -> None:
    api.feed.items = [news(1)]
    api.feed.cut = (50, how)
    page = dashboard.open(ready=False)
    expect(page.locator("#news-trouble:visible, #news-empty:visible")).to_have_count(1)
    asks(page, EVENTS)
    shows(page, 1)
    assert ids(api) == [None, None]


def test_an_answer_that_goes_on_is_read_as_it_comes(dashboard: Dashboard, api: Api) -> None:
    api.feed.streams = True
    page = dashboard.open()
    for number in range(1, 4):
        api.feed.publish(news(number))
        shows(page, *reversed(range(1, number + 1)))
    assert ids(api) == [None]


def test_after_an_answer_that_went_on_the_next_one_does(dashboard: Dashboard, api: Api) -> None:
    api.feed.streams = True
    page = dashboard.open()
    api.feed.publish(news(1))
    shows(page, 1)
    api.feed.cut = (100, "broken")
    api.feed.publish(news(2))
    trouble = page.locator("#news-trouble")
    expect(trouble).to_contain_text("The API's answer broke off.")
    asks(page, EVENTS)
    shows(page, 2, 1)
    expect(trouble).to_be_hidden()
    api.feed.publish(news(3))
    shows(page, 3, 2, 1)
    assert ids(api) == [None, "after=1"]


def test_earlier_failures_do_not_count_once_it_has_gone_well(
    dashboard: Dashboard, api: Api
) -> None:
    api.feed.streams = True
    api.fail(503, BUSY, NEWS)
    page = dashboard.open(ready=False)
    expect(page.locator("#news-trouble")).to_be_visible()
    for _ in range(3):
        asks(page, EVENTS)
    api.problem = None
    asks(page, EVENTS)
    api.feed.publish(news(1))
    shows(page, 1)
    api.feed.cut = (100, "broken")
    api.feed.publish(news(2))
    expect(page.locator("#news-trouble")).to_be_visible()
    page.clock.run_for(2_000)
    shows(page, 2, 1)


def test_a_stream_that_is_quiet_again_is_no_longer_in_trouble(
    dashboard: Dashboard, api: Api
) -> None:
    api.feed.streams = True
    api.fail(503, BUSY, NEWS)
    page = dashboard.open(ready=False)
    trouble = page.locator("#news-trouble")
    expect(trouble).to_be_visible()
    api.problem = None
    asks(page, EVENTS)
    expect(trouble).to_be_hidden()


# A network puts pieces together and splits them as it likes, so the page's end of it does.
SPLIT = """size => {
  const ask = window.fetch;
  window.fetch = async (url, ...given) => {
    const answer = await ask(url, ...given);
    if (!url.startsWith("news/")) return answer;
    const pieces = new TransformStream({
      transform(bytes, out) {
        for (let at = 0; at < bytes.length; at += size) out.enqueue(bytes.slice(at, at + size));
      },
    });
    return new Response(answer.body.pipeThrough(pieces), answer);
  };
}"""


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_pieces_may_split_lines_and_characters(
    dashboard: Dashboard, api: Api, end: str, size: int
) -> None:
    title = "Zürich 📈 +5 %: „bœufs“ dépassent l'année"
    api.feed.line_end = end
    page = dashboard.open()
    page.evaluate(SPLIT, size)
    for number in (1, 2):
        api.feed.publish(news(number, metadata={"title": title}))
        asks(page, EVENTS)
        shows(page, *reversed(range(1, number + 1)))
    expect(page.locator("#news > li .item-text:first-child")).to_have_text([title, title])
    assert ids(api) == [None, "after=0", "after=1"]


def test_a_byte_order_mark_is_no_part_of_the_first_line(dashboard: Dashboard) -> None:
    body = f"\ufeffevent: news\ndata: {json.dumps({'items': [news(1)]})}\n\n"

    def marked(route: Route) -> None:
        route.fulfill(body=body.encode(), content_type="text/event-stream")

    page = dashboard.open(ready=False)
    page.route("**/news/events", marked)
    page.reload()
    shows(page, 1)


def test_the_api_says_how_long_to_wait(dashboard: Dashboard) -> None:
    page = dashboard.open(ready=False)
    page.route("**/news/events", lambda route: route.fulfill(body="retry: 9000\n\n"))
    page.reload()
    expect(page.get_by_text("No financial news yet")).to_be_visible()
    page.clock.run_for(8_000)
    count = f"asked.filter(each => each === '{EVENTS}').length"
    assert page.evaluate(count) == 1
    asks(page, EVENTS)


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


def test_an_id_that_has_expired_starts_over(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1), news(2)]
    page = dashboard.open()
    shows(page, 2, 1)
    api.feed.expired.add("after=2")
    api.feed.items = [news(2), news(3), news(4)]
    asks(page, EVENTS)
    shows(page, 4, 3, 2)
    expect(page.locator("#news-trouble")).to_be_hidden()
    assert [each.status for each in api.requests(NEWS)] == [200, 400, 200]
    assert ids(api) == [None, "after=2", None]


def test_a_failure_is_told_and_overcome(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1)]
    page = dashboard.open()
    api.fail(503, BUSY, NEWS)
    asks(page, EVENTS)
    trouble = page.get_by_role("status").filter(has_text="The news feed is interrupted.")
    expect(trouble).to_contain_text(BUSY)
    expect(page.locator("#trouble")).to_be_hidden()
    shows(page, 1)
    api.problem = None
    api.feed.publish(news(2))
    asks(page, EVENTS)
    shows(page, 2, 1)
    expect(trouble).to_be_hidden()


def test_a_failure_is_followed_by_a_longer_wait(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.fail(429, BUSY, NEWS, **{"Retry-After": "30"})
    asks(page, EVENTS)
    expect(page.locator("#news-trouble")).to_be_visible()
    page.clock.run_for(29_000)
    assert len(api.requests(NEWS)) == 2
    asks(page, EVENTS)


def test_without_a_network_the_news_waits_for_it(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.context.set_offline(True)
    asks(page, EVENTS)
    expect(page.locator("#news-trouble")).to_contain_text("The API cannot be reached.")
    api.feed.publish(news(1))
    page.context.set_offline(False)
    shows(page, 1)
    expect(page.locator("#news-trouble")).to_be_hidden()


def test_a_refused_request_is_not_repeated_until_somebody_wants_it(
    dashboard: Dashboard, api: Api
) -> None:
    page = dashboard.open()
    api.fail(403, "Not for you.", NEWS)
    asks(page, EVENTS)
    trouble = page.locator("#news-trouble")
    expect(trouble).to_contain_text("The news feed has stopped. Not for you.")
    page.clock.run_for(300_000)
    assert len(api.requests(NEWS)) == 2
    api.problem = None
    api.feed.publish(news(1))
    page.get_by_role("button", name="Reconnect").click()
    shows(page, 1)
    expect(trouble).to_be_hidden()
    expect(page.get_by_role("heading", name="Financial news")).to_be_focused()


def test_the_button_for_the_whole_page_wakes_the_news_as_well(
    dashboard: Dashboard, api: Api
) -> None:
    api.fail(503, BUSY)
    page = dashboard.open(ready=False)
    expect(page.locator("#news-trouble")).to_be_visible()
    api.problem = None
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#news-trouble")).to_be_hidden()
    expect(page.get_by_text("No financial news yet")).to_be_visible()


def test_an_api_without_news_has_no_panel(dashboard: Dashboard, api: Api) -> None:
    api.fail(404, "There is nothing at this address.", NEWS)
    page = dashboard.open(ready=False)
    expect(page.locator("#items > li")).to_have_count(20)
    expect(page.get_by_role("heading", name="Financial news")).to_be_hidden()
    page.clock.run_for(120_000)
    assert len(api.requests(NEWS)) == 1
    wide = "document.querySelector('.items-card').offsetWidth - summary.offsetWidth"
    assert page.evaluate(wide) == 0


def test_a_request_may_be_held_longer_than_others_but_not_for_ever(
    dashboard: Dashboard, api: Api
) -> None:
    page = dashboard.open()
    asks(page, EVENTS)
    page.clock.run_for(35_000)
    api.feed.publish(news(1))
    shows(page, 1)
    expect(page.locator("#news-trouble")).to_be_hidden()
    asks(page, EVENTS)
    page.clock.run_for(41_000)
    expect(page.locator("#news-trouble")).to_contain_text("The API cannot be reached.")
    asks(page, EVENTS)
    api.feed.publish(news(2))
    shows(page, 2, 1)


def test_signing_out_stops_the_news_and_forgets_it(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(1)]
    page = dashboard.open()
    asks(page, EVENTS)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert page.locator("#news > li").count() == 0
    asked = page.evaluate("asked.length")
    api.feed.publish(news(2))
    page.clock.run_for(120_000)
    assert page.evaluate("asked.length") == asked
    assert page.locator("#news > li").count() == 0


def test_an_ended_session_is_noticed_by_the_news_as_well(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.accepts = lambda _: False
    asks(page, EVENTS)
    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    asked = page.evaluate("asked.length")
    page.clock.run_for(120_000)
    assert page.evaluate("asked.length") == asked


def test_nothing_is_asked_while_nobody_looks(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    asks(page, EVENTS)
    in_sight(page, False)
    # What was asked before is still answered.
    api.feed.publish(news(1))
    shows(page, 1)
    page.clock.run_for(600_000)
    api.feed.publish(news(2))
    assert ids(api) == [None, "after=0"]
    in_sight(page, True)
    shows(page, 2, 1)
    assert ids(api) == [None, "after=0", "after=1"]


def test_a_glance_away_does_not_ask_twice(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    asks(page, EVENTS)
    for seen in (False, True) * 3:
        in_sight(page, seen)
    api.feed.publish(news(1))
    shows(page, 1)
    assert ids(api) == [None, "after=0"]


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
    page.locator("#more").focus()
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
