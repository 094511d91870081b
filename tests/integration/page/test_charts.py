"""Pictures of the summary: shares that add up, and bars that can be read off their axis."""

import re
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.browser import screenshot
from tests.integration.page.conftest import SCHEMES, Dashboard
from tests.integration.page.samples import NOW, stamp
from tests.integration.page.server import SENTIMENTS, Api

COUNTS = [
    *product((0, 1, 2, 7, 33, 50, 99, 100, 101, 9_998), repeat=3),
    (600_000, 598_765, 1_235),
    (10**12, 1, 1),
]
SHARES = """async counts => {
  const { shares } = await import("./charts.js");
  return counts.map(each => shares(each));
}"""
STEPS = """async counts => {
  const { steps } = await import("./charts.js");
  return counts.map(each => steps(each));
}"""


def test_shares_add_up(api: Api, page: Page) -> None:
    page.goto(api.url)
    for counts, shown in zip(COUNTS, page.evaluate(SHARES, COUNTS), strict=True):
        exact = [Fraction(100 * count, sum(counts) or 1) for count in counts]
        few = [text == "< 1 %" for text in shown]
        whole = [
            0 if less else int(text.removesuffix(" %"))
            for text, less in zip(shown, few, strict=True)
        ]
        assert few == [0 < part < 1 for part in exact], counts
        for percent, part, less in zip(whole, exact, few, strict=True):
            assert less or abs(percent - part) < 1, (counts, shown)
            assert (percent == 100) <= (part == 100), (counts, shown)
        if sum(counts):
            # Each "less than one" is more than nothing: together they are what is missing.
            assert sum(whole) <= 100 <= sum(whole) + sum(few), (counts, shown)
            assert (sum(whole) == 100) is not any(few), (counts, shown)


def test_ticks_are_round_and_reach_the_count(api: Api, page: Page) -> None:
    page.goto(api.url)
    counts = [*range(1, 1_200), 12_345, 999_999, 5_000_000]
    for count, ticks in zip(counts, page.evaluate(STEPS, counts), strict=True):
        step = ticks[1]
        assert ticks == [step * number for number in range(len(ticks))], count
        assert ticks[-2] < count <= ticks[-1], count
        assert 2 <= len(ticks) <= 5, count
        assert re.fullmatch("[125]0*", str(step)), count


def hours(*counts: int) -> list[dict[str, Any]]:
    """One hour for each count: the last of them positive, the rest negative."""
    moments = [NOW.replace(minute=0).timestamp() + 3600 * at for at in range(len(counts))]
    texts = [stamp(NOW.fromtimestamp(moment, NOW.tzinfo)) for moment in moments]
    return [
        {"hour": text, **dict.fromkeys(SENTIMENTS, 0), "positive": 1, "negative": count - 1}
        for text, count in zip(texts, counts, strict=True)
    ]


# Of each picture: the tick at its top, and the height of each bar in ticks, as it is drawn.
PLOTS = """[...document.querySelectorAll(".trend-plot")].map(plot => {
  const ticks = [...plot.querySelectorAll(".trend-tick")].map(({ textContent }) => +textContent);
  const { height, top } = plot.getBoundingClientRect();
  const bars = [...plot.querySelectorAll(".trend-hour")].map(bar => {
    const rects = [...bar.querySelectorAll(".shape")].map(each => each.getBoundingClientRect());
    return rects.reduce((sum, each) => sum + each.height, 0) / height * ticks.at(-1);
  });
  const cut = [...plot.querySelectorAll(".trend-hour")]
    .map(bar => !!bar.querySelector(".trend-cut"));
  return { ticks, bars, cut };
})"""


def test_bars_are_as_tall_as_their_counts(dashboard: Dashboard, api: Api) -> None:
    counts = (3, 1, 7, 12, 4, 9)
    api.counts = {"hours": hours(*counts)}
    page = dashboard.open()
    (plot,) = page.evaluate(PLOTS)
    assert plot["ticks"] == [0, 5, 10, 15]
    assert plot["bars"] == pytest.approx(counts, abs=0.05)
    assert not any(plot["cut"])


@pytest.mark.parametrize("width", [390, 1440])
def test_one_tall_bar_does_not_flatten_the_others(
    dashboard: Dashboard, api: Api, width: int
) -> None:
    counts = (*(3, 1, 7, 4, 6, 5) * 4, 412)
    api.counts = {"hours": hours(*counts)}
    page = dashboard.open(viewport={"width": width, "height": 900})
    whole, enlarged = page.evaluate(PLOTS)
    # All in proportion, from zero; below it the same bars, from zero, on another scale.
    assert whole["ticks"] == [0, 200, 400, 600]
    assert whole["bars"] == pytest.approx(counts, abs=2)
    assert not any(whole["cut"])
    assert enlarged["ticks"] == [0, 2, 4, 6, 8]
    assert enlarged["bars"] == pytest.approx(counts, abs=0.1)
    assert enlarged["cut"] == [count == 412 for count in counts]
    expect(page.locator(".trend-note")).to_have_text("Enlarged: 0 to 8, taller bars are cut")
    # What is cut ends with the picture.
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.trend-bars')).overflow")
        == "hidden"
    )
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        screenshot(page, f"tall-bar-{width}-{scheme}")
