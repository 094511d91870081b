"""From a small phone to a wide screen: nothing is cut off, and people can look at it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.browser import NARROW, WIDE, screenshot
from tests.integration.page.conftest import SCHEMES, Dashboard, refreshed
from tests.integration.page.samples import item, news
from tests.integration.page.server import Api

STICKING_OUT = """[...document.querySelectorAll(".card, .legend-entry, .tag-bar, .item")]
  .filter(each => each.scrollWidth > each.clientWidth).map(each => each.outerHTML)"""


def overflow(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


def test_there_is_no_sideways_scrolling(dashboard: Dashboard, api: Api) -> None:
    unbroken = "x" * 200
    api.items[0] |= {"text_snippet": unbroken, "matched_tags": [unbroken]}
    named = {"title": unbroken, "source_name": unbroken, "source_url": f"https://{unbroken}/"}
    api.feed.items = [news(1, metadata=named, matched_tickers=[unbroken]), *map(news, range(9))]
    filters = f"#sentiment=positive&source_type=newsapi&tag={unbroken}"
    page, filtered = dashboard.open(), dashboard.open(filters)
    for width in (320, 521, 800, 1100, 1600):
        for each in (page, filtered):
            each.set_viewport_size({"width": width, "height": 800})
        assert (width, overflow(page), overflow(filtered)) == (width, 0, 0)
        assert (width, page.evaluate(STICKING_OUT)) == (width, [])


# Marks of the hours that end outside the chart.
BEYOND_THE_AXIS = """[...document.querySelectorAll(".trend-axis span")].filter(each => {
  const [inner, outer] = [each, each.parentElement].map(one => one.getBoundingClientRect());
  return inner.width && (inner.right > outer.right + 0.5 || inner.left < outer.left - 0.5);
}).map(each => each.textContent)"""


# Every fourth hour has a mark: in one of these places the last one has, in one the first.
@pytest.mark.parametrize("zone", ["UTC", "Etc/GMT-1", "Etc/GMT-2", "Etc/GMT-3"])
def test_hours_are_marked_within_the_chart(dashboard: Dashboard, zone: str) -> None:
    page = dashboard.open(locale="en-US", timezone_id=zone)
    expect(page.locator(".trend-axis span").first).to_contain_text("M")  # 08:00 AM
    for width in (320, 800, 1100, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert (width, page.evaluate(BEYOND_THE_AXIS)) == (width, [])


# Marks that do not stand under the bar of their hour.
BESIDE_THE_BAR = r"""() => {
const localTime = title => title.textContent.split("(")[0];
return [...document.querySelectorAll(".trend-axis span")].filter(mark => {
  const bar = [...document.querySelectorAll(".trend-hour")].find(
    one => RegExp(`[^:\\d]${mark.textContent}`).test(localTime(one.querySelector("title"))));
  if (!bar || !mark.getBoundingClientRect().width) return false;
  const slot = bar.querySelector(".trend-slot").getBoundingClientRect();
  const [middle, place] = [(slot.left + slot.right) / 2, mark.getBoundingClientRect()];
  return middle < place.left || place.right < middle;
}).map(mark => mark.textContent)}"""


@pytest.mark.parametrize("zone", ["UTC", "Etc/GMT-1", "Etc/GMT-2", "Etc/GMT-3"])
def test_hours_are_marked_under_their_bars(dashboard: Dashboard, zone: str) -> None:
    page = dashboard.open(timezone_id=zone)
    expect(page.locator(".trend-axis span").nth(1)).to_contain_text(":00")
    for width in (390, 800, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert (width, page.evaluate(BESIDE_THE_BAR)) == (width, [])


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


MILLIONS = {
    "distribution": {"positive": 600_000, "neutral": 598_765, "negative": 1_235},
    "tags": [
        {"tag": "AI", "count": 1_200_000},
        {"tag": "a tag of fifty characters, which is the longest one", "count": 600_000},
        {"tag": "economy", "count": 300_000},
        {"tag": "health", "count": 60_000},
        {"tag": "sport", "count": 999},
    ],
}
BARS = """[...document.querySelectorAll(".tag-bar .track")].map(track =>
  [track.getBoundingClientRect(), track.firstChild.getBoundingClientRect().width])
  .map(([{ left, width }, fill]) => [left, width, fill / width])"""
# By how much figures of a column, and of different rows, do not end at the same place.
RAGGED = """Math.max(...[".legend-entry .count", ".legend-entry .share", ".tag-bar .count"]
  .map(column => [...document.querySelectorAll(column)].map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect().right;
  })).map(ends => Math.max(...ends) - Math.min(...ends)))"""
OUTSIDE = """[...document.querySelectorAll(".card")].flatMap(card =>
  [...card.querySelectorAll(".mood, .count, .share, .track")].filter(each => {
    const [inner, outer] = [each.getBoundingClientRect(), card.getBoundingClientRect()];
    return each.checkVisibility() && (inner.right > outer.right || inner.left < outer.left);
  })).map(each => each.outerHTML)"""


@pytest.mark.parametrize("width", [390, 1100, 1440])
def test_a_million_items_are_drawn_to_scale_and_stay_in_their_cards(
    dashboard: Dashboard, api: Api, width: int
) -> None:
    api.counts = MILLIONS
    page = dashboard.open(viewport={"width": width, "height": 900})
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        bars = page.evaluate(BARS)
        assert len({(left, size) for left, size, _ in bars}) == 1
        shares = [share for _, _, share in bars[:4]]
        assert shares == pytest.approx([1, 0.5, 0.25, 0.05], abs=0.001)
        expect(page.locator(".legend-entry .share")).to_have_text(["50 %", "49 %", "< 1 %"])
        assert page.evaluate(RAGGED) < 0.5
        assert page.evaluate(OUTSIDE) == page.evaluate(STICKING_OUT) == []
        assert overflow(page) == 0
        screenshot(page, f"millions-{width}-{scheme}")


# WCAG 2.2, 2.5.8.
SMALL = """[...document.querySelectorAll("a, button, input, select")]
  .filter(each => each.checkVisibility()).map(each => [each, each.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24).map(([each]) => each.outerHTML)"""


@pytest.mark.parametrize("width", [320, 390, 800, 1440])
def test_targets_are_large_enough_to_touch(dashboard: Dashboard, api: Api, width: int) -> None:
    api.feed.items = [news(number) for number in range(12)]
    viewport = {"width": width, "height": 900}
    for hash in ("", "#tag=AI&source_type=reddit"):
        page = dashboard.open(hash, viewport=viewport)
        expect(page.locator("#items a").first).to_be_visible()
        assert page.evaluate(SMALL) == []
    api.accepts = lambda _: False
    page = dashboard.open(ready=False, viewport=viewport)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert page.evaluate(SMALL) == []


# The share of its card's height that the contents of the distribution take.
FILLED = """(() => {
  const box = each => document.querySelector(each).getBoundingClientRect();
  return (box(".legend").bottom - box(".ring").top) / box("#distribution").height;
})()"""


@pytest.mark.parametrize("width", [800, 1440])
def test_the_distribution_fills_its_card(dashboard: Dashboard, width: int) -> None:
    page = dashboard.open(viewport={"width": width, "height": 900})
    assert page.evaluate(FILLED) > 0.85


def test_the_footer_says_nothing_of_capacity(dashboard: Dashboard) -> None:
    page = dashboard.open()
    expect(page.locator("body")).not_to_contain_text("capacity")


def test_the_themes_differ(dashboard: Dashboard) -> None:
    page = dashboard.open()
    grounds = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(244, 246, 249)", "rgb(13, 18, 24)"]


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
