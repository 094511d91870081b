"""The list: what a row says, how it grows, and that it holds still under the reader."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.integration.page.conftest import Dashboard, refreshed
from tests.integration.page.samples import TEXTS, item
from tests.integration.page.server import Api


def test_a_row_says_mood_text_origin_tags_score_and_time(dashboard: Dashboard, api: Api) -> None:
    api.items = [
        item(
            1,
            minutes_ago=3,
            source_type="newsapi",
            sentiment="negative",
            score=0.7,
            text_snippet="Outage",
            source_url="https://www.news.example/1",
            matched_tags=["chips", "AI"],
        )
    ]
    row = dashboard.open().get_by_role("listitem").filter(has_text="Outage")
    expect(row).to_contain_text("Negative")
    expect(row).to_contain_text("0.70")
    expect(row).to_contain_text("NewsAPI")
    expect(row.get_by_role("button")).to_have_text(["AI", "chips"])
    link = row.get_by_role("link")
    expect(link).to_have_attribute("href", "https://www.news.example/1")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(row.locator("time")).to_have_text("3 minutes ago")


def test_times_are_in_the_readers_zone_with_utc_beside(dashboard: Dashboard, api: Api) -> None:
    api.items = [item(1, minutes_ago=30)]
    page = dashboard.open(timezone_id="America/New_York")
    expect(page.locator("#items .at")).to_have_text("09:00")
    title = "16 Nov 2025, 09:00:00 (2025-11-16 14:00:00 UTC)"
    expect(page.locator("#items time")).to_have_attribute("title", title)


def test_times_grow_older_while_the_page_is_open(dashboard: Dashboard, api: Api) -> None:
    api.items = [item(1, minutes_ago=3)]
    page = dashboard.open()
    page.clock.run_for(2 * 60_000)
    expect(page.locator("#items time")).to_have_text("5 minutes ago")


def test_an_item_without_optional_fields_has_a_row(dashboard: Dashboard, api: Api) -> None:
    bare = item(1)
    for name in ("text_snippet", "source_url", "matched_tags"):
        bare.pop(name, None)
    api.items = [bare]
    rows = dashboard.open().locator("#items > li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("No text was kept.")
    expect(rows.get_by_role("link")).to_have_count(0)


def test_load_more_appends_until_there_is_no_more(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    rows = page.locator("#items > li")
    expect(rows).to_have_count(20)
    page.get_by_role("button", name="Load more").click()
    expect(rows).to_have_count(40)
    expect(page.locator("#announcer")).to_have_text("20 more items")
    page.get_by_role("button", name="Load more").click()
    expect(rows).to_have_count(60)
    expect(page.get_by_role("button", name="Load more")).to_be_hidden()
    newest = sorted(api.items, key=lambda each: each["ingested_at"], reverse=True)
    shown = page.locator("#items time").evaluate_all("all => all.map(each => each.dateTime)")
    assert shown == [each["ingested_at"] for each in newest]


def test_a_list_too_old_to_go_on_starts_over(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.get_by_role("button", name="Load more").click()
    expect(page.locator("#items > li")).to_have_count(40)
    api.expired_cursors = True
    page.get_by_role("button", name="Load more").click()
    expect(page.locator("#items > li")).to_have_count(20)
    expect(page.locator("#announcer")).to_contain_text("starts over")


def add(api: Api, *numbers: int, **changes: Any) -> None:
    api.items += [item(number, minutes_ago=0, **changes) for number in numbers]


def test_new_items_are_announced_together(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    add(api, 101, 102, 103)
    refreshed(page)
    expect(page.locator("#announcer")).to_have_text("3 new items")
    add(api, 104)
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(24)
    expect(page.locator("#announcer")).to_have_text("3 new items")
    for _ in range(3):
        refreshed(page)
    expect(page.locator("#announcer")).to_have_text("1 new item")


def test_new_items_leave_the_focus_and_its_place(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    link = page.locator("#items > li").nth(4).get_by_role("link")
    link.focus()
    address = link.get_attribute("href")
    before = link.bounding_box()
    add(api, 101, 102)
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(22)
    focused = page.locator("#items a:focus")
    expect(focused).to_have_attribute("href", str(address))
    assert focused.bounding_box() == before


def test_new_items_do_not_move_what_is_being_read(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open(viewport={"width": 1200, "height": 600})
    row = page.locator("#items > li").nth(10)
    row.evaluate("row => window.scrollTo(0, row.getBoundingClientRect().top - 100)")
    text = row.inner_text()
    before = row.bounding_box()
    add(api, 101, 102)
    refreshed(page)
    moved = page.locator("#items > li").nth(12)
    expect(moved).to_have_text(text, use_inner_text=True)
    assert moved.bounding_box() == before
    page.get_by_role("button", name="2 new, show").click()
    expect(page.locator("#items > li").first).to_be_in_viewport()
    expect(page.locator("#arrived")).to_be_hidden()


def test_a_corrected_item_is_shown_as_it_is_now(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    first = page.locator("#items > li").first
    first.get_by_role("link").focus()
    api.items[0] |= {"sentiment": "neutral", "score": 0.51, "text_snippet": TEXTS["neutral"][0]}
    refreshed(page)
    expect(first).to_contain_text("Neutral")
    expect(first).to_contain_text("0.51")
    expect(first.get_by_role("link")).to_be_focused()


def test_a_removed_item_is_gone_and_later_ones_stay(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    page.get_by_role("button", name="Load more").click()
    expect(page.locator("#items > li")).to_have_count(40)
    del api.items[3]
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(39)
    expect(page.locator("#announcer")).to_have_text("20 more items")


def test_a_flood_leaves_no_gap(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    add(api, *range(200, 230))
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(20)
    for count in (40, 60, 80, 90):
        page.get_by_role("button", name="Load more").click()
        expect(page.locator("#items > li")).to_have_count(count)


@pytest.mark.parametrize(
    ("hash", "title", "clear"),
    [("", "No items yet", False), ("#tag=AI", "Nothing matches these filters", True)],
)
def test_an_empty_list_says_why(
    dashboard: Dashboard, api: Api, hash: str, title: str, clear: bool
) -> None:
    api.items = []
    page = dashboard.open(hash)
    expect(page.get_by_text(title)).to_be_visible()
    expect(page.get_by_role("button", name="Clear the filters")).to_be_visible(visible=clear)


def test_the_first_item_takes_the_place_of_the_empty_state(dashboard: Dashboard, api: Api) -> None:
    api.items = []
    page = dashboard.open()
    add(api, 1)
    refreshed(page)
    expect(page.locator("#items > li")).to_have_count(1)
    expect(page.get_by_text("No items yet")).to_be_hidden()


def test_text_from_outside_is_shown_and_never_run(dashboard: Dashboard, api: Api) -> None:
    hostile = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"
    api.items = [item(1, text_snippet=hostile, matched_tags=[hostile])]
    page = dashboard.open()
    expect(page.locator(".item-text")).to_have_text(hostile)
    expect(page.locator("#items .tag")).to_have_text(hostile)
    assert page.locator("#items img, #items b, #tags img").count() == 0
    assert page.title() == "Sentiment dashboard"


@pytest.mark.parametrize("url", ["javascript:document.title='run'", "data:text/html,x", "no url"])
def test_only_web_addresses_become_links(dashboard: Dashboard, api: Api, url: str) -> None:
    api.items = [item(1, source_url=url)]
    page = dashboard.open()
    expect(page.locator("#items > li")).to_have_count(1)
    expect(page.locator("#items a")).to_have_count(0)


def test_the_page_calls_nobody_but_its_own_api(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    called: list[str] = []
    page.on("request", lambda request: called.append(request.url))
    page.reload()
    expect(page.locator("#items > li")).to_have_count(20)
    assert f"{api.url}dashboard.js" in called
    assert [url for url in called if not url.startswith(api.url)] == []
