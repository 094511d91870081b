"""From a small phone to a wide screen: nothing is cut off, and people can look at it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import NARROW, WIDE, screenshot
from tests.integration.page.conftest import Dashboard, refreshed
from tests.integration.page.samples import item, news
from tests.integration.page.server import Api

STICKING_OUT = """[...document.querySelectorAll(".card, .legend-entry, .tag-bar, .item")]
  .filter(each => each.scrollWidth > each.clientWidth).map(each => each.outerHTML)"""


def overflow(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


@pytest.mark.parametrize("width", [320, 521, 800, 1100, 1600])
def test_there_is_no_sideways_scrolling(dashboard: Dashboard, api: Api, width: int) -> None:
    unbroken = "x" * 200
    api.items[0] |= {"text_snippet": unbroken, "matched_tags": [unbroken]}
    named = {"title": unbroken, "source_name": unbroken, "source_url": f"https://{unbroken}/"}
    api.feed.items = [news(1, metadata=named, matched_tickers=[unbroken]), *map(news, range(9))]
    filters = f"#sentiment=positive&source_type=newsapi&tag={unbroken}"
    page = dashboard.open(viewport={"width": width, "height": 800})
    assert overflow(page) == 0
    assert page.evaluate(STICKING_OUT) == []
    assert overflow(dashboard.open(filters, viewport={"width": width, "height": 800})) == 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("wide-light", {"viewport": WIDE, "color_scheme": "light"}),
        ("wide-dark", {"viewport": WIDE, "color_scheme": "dark"}),
        ("narrow", {"viewport": NARROW, "device_scale_factor": 2}),
    ],
)
def test_the_dashboard_is_pictured(dashboard: Dashboard, api: Api, name: str, options: Any) -> None:
    api.feed.items = [news(number, minutes_ago=200 / number) for number in range(1, 16)]
    page = dashboard.open(**options)
    assert screenshot(page, name).stat().st_size > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_themes_differ(dashboard: Dashboard, scheme: Any) -> None:
    page = dashboard.open(color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(244, 246, 249)", "dark": "rgb(13, 18, 24)"}[scheme]


def test_other_states_are_pictured(dashboard: Dashboard, api: Api) -> None:
    filtered = dashboard.open("#sentiment=positive&tag=AI")
    screenshot(filtered, "filtered")
    api.fail(503, "The table is busy; repeating the same request is safe.")
    refreshed(filtered)
    expect(filtered.locator("#trouble")).to_be_visible()
    screenshot(filtered, "trouble", whole=False)
    loading = dashboard.open(ready=False)
    expect(loading.locator("#trouble")).to_be_visible()
    screenshot(loading, "nothing-yet", whole=False)
    api.problem, api.items = None, []
    screenshot(dashboard.open(), "empty", whole=False)
    api.items = [item(1)]
    screenshot(dashboard.open("#tag=nobody"), "no-match", whole=False)


def test_a_skeleton_holds_the_place_of_what_is_to_come(dashboard: Dashboard, api: Api) -> None:
    api.silent = True
    page = dashboard.open(ready=False)
    expect(page.locator("#items .bone")).to_have_count(4)
    expect(page.locator("#summary .bone")).to_have_count(4)
    screenshot(page, "skeleton", whole=False)
