"""Refreshing: cheap when nothing changed, patient when it fails, silent when nobody looks."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.integration.page.conftest import Dashboard, in_sight, refreshed
from tests.integration.page.samples import NOW, item, stamp
from tests.integration.page.server import Api

BUSY = "The table is busy; repeating the same request is safe."


def test_what_has_not_changed_is_not_sent_again(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    refreshed(page)
    assert [each.status for each in api.requests("/items")] == [200, 304]
    assert [each.status for each in api.requests("/summary")] == [200, 304]
    expect(page.locator("#items > li")).to_have_count(20)
    expect(page.locator("#live-text")).to_have_text("Live, updated just now")


def test_the_page_says_how_old_its_answers_can_be(dashboard: Dashboard, api: Api) -> None:
    api.stale_seconds = 300
    page = dashboard.open()
    expect(page.locator("#staleness")).to_contain_text("can be 5 minutes old")


def test_a_failure_keeps_what_was_seen_and_says_so(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.fail(503, BUSY)
    refreshed(page)
    trouble = page.get_by_role("alert").filter(has_text="The last refresh failed.")
    expect(trouble).to_contain_text(BUSY)
    expect(trouble).to_contain_text("What you see is from 15:30.")
    expect(page.locator("#live")).to_have_attribute("data-level", "late")
    expect(page.locator("#items > li")).to_have_count(20)
    api.problem = None
    with page.expect_response("**/items?*"):
        page.get_by_role("button", name="Try now").click()
    expect(trouble).to_be_hidden()


def test_half_a_refresh_is_shown(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.route("**/summary?*", lambda route: route.fulfill(status=500, json={"detail": "No."}))
    api.items.append(item(500))
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(21)
    expect(page.locator("#trouble")).to_contain_text("No.")


def test_a_failure_is_followed_by_a_longer_wait(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.fail(503, BUSY)
    refreshed(page)
    expect(page.locator("#trouble")).to_be_visible()
    asked = len(api.requests("/items"))
    page.clock.run_for(7_900)
    assert len(api.requests("/items")) == asked
    with page.expect_response("**/items?*"):
        page.clock.run_for(2_200)


def test_waits_double_up_to_a_minute(dashboard: Dashboard) -> None:
    waits = """async random => {
      const { backoff } = await import("./refresh.js");
      return [0, 1, 2, 3, 4, 50].map(failures => backoff(5000, failures, random));
    }"""
    page = dashboard.open()
    assert page.evaluate(waits, 1) == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]
    assert page.evaluate(waits, 0) == [5_000, 8_000, 16_000, 32_000, 48_000, 48_000]


def test_the_api_may_ask_for_a_longer_wait(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.fail(503, BUSY, **{"Retry-After": "50"})
    refreshed(page)
    expect(page.locator("#trouble")).to_be_visible()
    asked = len(api.requests("/items"))
    page.clock.run_for(48_000)
    assert len(api.requests("/items")) == asked
    refreshed(page)


def test_a_refused_request_is_not_repeated(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.fail(400, "tag is not valid.")
    refreshed(page)
    expect(page.locator("#trouble")).to_contain_text("tag is not valid.")
    asked = len(api.requests("/items"))
    page.clock.run_for(300_000)
    assert len(api.requests("/items")) == asked


def test_the_first_failure_leaves_a_way_on(dashboard: Dashboard, api: Api) -> None:
    api.fail(500, "The error was logged.")
    page = dashboard.open(ready=False)
    expect(page.locator("#trouble")).to_contain_text("The error was logged.")
    api.problem = None
    page.get_by_role("button", name="Try now").click()
    expect(page.locator("#items > li")).to_have_count(20)


@pytest.mark.parametrize(
    ("seconds", "level", "words"),
    [
        (10, "live", "Live, updated 10 seconds ago"),
        (40, "late", "Late, updated 40 seconds ago"),
        (125, "lost", "Not live, updated 2 minutes ago"),
    ],
)
def test_the_indicator_tells_how_old_the_last_answer_is(
    dashboard: Dashboard, api: Api, seconds: int, level: str, words: str
) -> None:
    page = dashboard.open()
    api.silent = True
    page.clock.run_for(seconds * 1000)
    expect(page.locator("#live")).to_have_attribute("data-level", level)
    expect(page.locator("#live-text")).to_have_text(words)


def test_only_turns_for_better_or_worse_are_spoken(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    spoken = page.locator("#announcer")
    for _ in range(3):
        refreshed(page)
    expect(spoken).to_have_text("")
    api.fail(503, BUSY)
    page.clock.run_for(90_000)
    expect(spoken).to_have_text("The dashboard is no longer up to date.")
    api.problem = None
    page.get_by_role("button", name="Try now").click()
    expect(spoken).to_have_text("The dashboard is live again.")


def test_without_a_network_the_page_says_so_and_recovers(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.context.set_offline(True)
    expect(page.locator("#live")).to_have_attribute("data-level", "offline")
    page.clock.run_for(5_000)
    expect(page.locator("#trouble")).to_contain_text("You are offline.")
    expect(page.locator("#items > li")).to_have_count(20)
    asked = len(api.requests("/items"))
    with page.expect_response("**/items?*"):
        page.context.set_offline(False)
    expect(page.locator("#live")).to_have_attribute("data-level", "live")
    expect(page.locator("#trouble")).to_be_hidden()
    assert len(api.requests("/items")) == asked + 1


def test_nothing_is_asked_while_nobody_looks(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    in_sight(page, False)
    asked = len(api.requests("/items"))
    page.clock.run_for(600_000)
    assert len(api.requests("/items")) == asked
    with page.expect_response("**/items?*"):
        in_sight(page, True)
    expect(page.locator("#live-text")).to_have_text("Live, updated just now")


def test_settings_that_cannot_be_had_are_asked_for_again(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.route("**/config.json", lambda route: route.fulfill(status=500), times=1)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("status 500")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#items > li")).to_have_count(20)


def test_a_day_at_the_page_does_not_pile_up_rows(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    for round in range(14):
        at = stamp(NOW + timedelta(seconds=round))
        numbers = range(1000 + round * 18, 1018 + round * 18)
        api.items += [item(number, ingested_at=at) for number in numbers]
        refreshed(page)
    newest = page.locator("#items time").first
    expect(newest).to_have_attribute("datetime", "2025-11-16T14:30:13.000Z")
    assert page.locator("#items > li").count() <= 240
