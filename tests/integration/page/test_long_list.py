"""A long list: only the rows around the reader are elements, and nothing else is different."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.integration.page.conftest import Dashboard, refreshed
from tests.integration.page.samples import item
from tests.integration.page.server import Api
from tests.integration.page.test_files import saved

MANY = 100_000
# Of the renderer's CPU. With an element for each of 10,000 rows it takes several times as much.
LONGEST_SECONDS = 1.0
MOST_ELEMENTS = 230
BEGINNING = "scrollY + document.querySelector('#items').getBoundingClientRect().top - 200"
BOTTOM = "document.body.scrollHeight"
FOCUSED_ROW = """Number(document.activeElement.closest("li")?.getAttribute("aria-posinset"))"""
IN_SIGHT = """[...document.querySelectorAll("#items > li")].filter(row => {
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > 60 && top < innerHeight;
}).map(row => Number(row.getAttribute("aria-posinset")))"""


def many(count: int) -> list[dict[str, Any]]:
    """Items of different heights, the newest first."""
    return [
        item(
            number,
            minutes_ago=number / 60,
            source_id=f"reddit#{number}",
            source_type="reddit",
            text_snippet=f"Number {number}. " + "All of it is said here. " * (number * 7 % 8),
        )
        for number in range(count)
    ]


def load(page: Page, api: Api) -> None:
    """All of the items, in one answer after the first page."""
    api.page_size = len(api.items)
    page.get_by_role("button", name="Load more").click()
    expect(page.locator("#more")).to_be_hidden()
    api.page_size = 0


def in_sight(page: Page, to: str) -> list[int]:
    """The numbers of the rows in sight after scrolling there, from top to bottom."""
    # The browser's own event comes with the next frame, when the list has nothing left to do.
    page.evaluate(f"() => {{ scrollTo(0, {to}); dispatchEvent(new Event('scroll')); }}")
    return list(page.evaluate(IN_SIGHT))


def cpu_seconds(page: Page, act: Callable[[], Any]) -> float:
    """What the page computes meanwhile, whatever else the machine does."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    before = spent()
    act()
    return spent() - before


@pytest.mark.parametrize("count", [10_000, MANY])
@pytest.mark.parametrize("width", [390, 1440])
def test_many_rows_do_not_stall_the_page(
    dashboard: Dashboard, api: Api, count: int, width: int
) -> None:
    api.items = many(count)
    page = dashboard.open(viewport={"width": width, "height": 900})
    load(page, api)

    def seen_in_time(to: str) -> list[int]:
        rows: list[int] = []
        assert cpu_seconds(page, lambda: rows.extend(in_sight(page, to))) < LONGEST_SECONDS
        assert page.locator("#items > li").count() < MOST_ELEMENTS
        # Neither a gap nor a row out of its place.
        assert rows == list(range(rows[0], rows[-1] + 1))
        return rows

    middle = seen_in_time(f"{BOTTOM} / 2")
    assert count * 0.45 < middle[0] < count * 0.55
    seen_in_time(BOTTOM)
    # The rows that have come meanwhile are taller than it was thought.
    assert seen_in_time(BOTTOM)[-1] == count
    assert cpu_seconds(page, lambda: refreshed(page)) < LONGEST_SECONDS
    assert seen_in_time(BEGINNING)[0] == 1


def test_every_row_is_passed_on_the_way_down(dashboard: Dashboard, api: Api) -> None:
    api.items = many(600)
    page = dashboard.open(viewport={"width": 1440, "height": 900})
    load(page, api)
    rows = set(in_sight(page, BEGINNING))
    while 600 not in rows:
        rows.update(in_sight(page, "scrollY + 500"))
    assert rows == set(range(1, 601))


def test_new_items_do_not_move_what_is_read_far_below(dashboard: Dashboard, api: Api) -> None:
    api.items = many(5_000)
    page = dashboard.open(viewport={"width": 1440, "height": 900})
    load(page, api)
    number = in_sight(page, f"{BOTTOM} / 2")[2]
    row = page.locator(f"#items > li:has-text('Number {number - 1}. ')")
    before = row.bounding_box()
    api.items = [item(9_000_000 + new) for new in range(3)] + api.items
    refreshed(page)
    expect(row).to_have_attribute("aria-posinset", str(number + 3))
    expect(row).to_have_attribute("aria-setsize", "5003")
    assert row.bounding_box() == before


def test_the_focus_stays_when_its_row_is_scrolled_away(dashboard: Dashboard, api: Api) -> None:
    api.items = many(5_000)
    page = dashboard.open(viewport={"width": 1440, "height": 900})
    load(page, api)
    link = page.locator("#items > li:has-text('Number 4. ')").get_by_role("link")
    link.focus()
    assert in_sight(page, f"{BOTTOM} / 2")[0] > 2_000
    expect(link).to_be_focused()
    # The Tab key goes on from there, to the next row.
    while page.evaluate(FOCUSED_ROW) == 5:
        page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED_ROW) == 6


def test_a_file_has_all_rows(dashboard: Dashboard, api: Api) -> None:
    api.items = many(5_000)
    page = dashboard.open()
    load(page, api)
    assert [each["source_id"] for each in json.loads(saved(page, "items", "json"))] == [
        each["source_id"] for each in api.items
    ]
