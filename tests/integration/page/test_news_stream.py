"""News comes each piece once, whatever happens to the answers that bring it."""

import json
from typing import Literal

import pytest
from playwright.sync_api import Route, expect

from tests.integration.page.conftest import Dashboard, asks, in_sight
from tests.integration.page.panel import EVENTS, ids, shows
from tests.integration.page.samples import news
from tests.integration.page.server import NEWS, Api

BUSY = "The table is busy; repeating the same request is safe."


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


# Trouble that is over in a second is seen by whoever looks away, too. It is marked on the page,
# where a locator waits for it: the page's policy forbids the eval by which wait_for_function asks.
WATCH_TROUBLE = """() => {
  const trouble = document.getElementById("news-trouble");
  new MutationObserver(() => {
    if (!trouble.hidden) document.documentElement.dataset.troubled = "";
  }).observe(trouble, { attributes: true });
}"""


def test_earlier_failures_do_not_count_once_it_has_gone_well(
    dashboard: Dashboard, api: Api
) -> None:
    api.feed.streams = True
    api.fail(503, BUSY, NEWS)
    page = dashboard.open(ready=False)
    expect(page.locator("#news-trouble")).to_be_visible()
    for _ in range(3):
        # Answered, too: one that is under way when the problem is gone would not fail.
        with page.expect_response(f"**/{EVENTS}*"):
            asks(page, EVENTS)
    api.problem = None
    asks(page, EVENTS)
    api.feed.publish(news(1))
    shows(page, 1)
    page.evaluate(WATCH_TROUBLE)
    api.feed.cut = (100, "broken")
    api.feed.publish(news(2))
    expect(page.locator("html[data-troubled]")).to_have_count(1)
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
