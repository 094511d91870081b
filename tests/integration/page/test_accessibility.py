"""Everyone can use it: names, roles and contrast by axe, the keyboard, and less motion."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.integration.page.conftest import SCHEMES, Dashboard, refreshed
from tests.integration.page.samples import news
from tests.integration.page.server import Api
from tests.integration.page.test_charts import hours
from tests.integration.page.test_long_list import BOTTOM, in_sight, load, many
from toolchain.paths import NODE_MODULES

AXE = NODE_MODULES / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async rules => {
  const { violations, passes } = await axe.run(document, { runOnly: rules });
  const where = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  return { violations: where, passes: passes.map(({ id }) => id) };
}"""


def audit(page: Page) -> dict[str, Any]:
    page.clock.resume()  # axe waits for timers
    page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(RUN, RULES)
    return found


@pytest.mark.parametrize(
    "state", ["full", "filtered", "enlarged", "long", "empty", "trouble", "sign-in"]
)
def test_axe_finds_nothing(dashboard: Dashboard, api: Api, state: str) -> None:
    api.feed.items = [news(number) for number in range(12)]
    if state == "enlarged":
        api.counts = {"hours": hours(*(3, 1, 2, 4) * 6, 412)}
    if state == "long":
        api.items = many(1_000)
    if state == "empty":
        api.items, api.feed.items = [], []
    if state == "sign-in":
        api.accepts = lambda _: False
    hash = "#tag=AI&sentiment=positive" if state == "filtered" else ""
    # axe's own code is not held to the page's policy.
    page = dashboard.open(hash, ready=state != "sign-in", bypass_csp=True)
    if state == "long":
        load(page, api)
        assert 1 not in in_sight(page, f"{BOTTOM} / 2")
    if state == "trouble":
        api.fail(503, "The table is busy.")
        refreshed(page)
        expect(page.locator("#trouble")).to_be_visible()
    if state == "sign-in":
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found = audit(page)
        assert (scheme, found["violations"]) == (scheme, [])
        assert {"color-contrast", "button-name"} <= set(found["passes"])


def test_axe_would_find_something(dashboard: Dashboard) -> None:
    page = dashboard.open(bypass_csp=True)
    page.evaluate("document.querySelector('#sign-out').textContent = ''")
    assert [rule for rule, _ in audit(page)["violations"]] == ["button-name"]


def test_the_keyboard_reaches_everything_in_order(dashboard: Dashboard) -> None:
    page = dashboard.open("#tag=AI")
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("""() => {
              const { id, className, textContent } = document.activeElement;
              return id || className || textContent;
            }""")
        )
    assert reached[:5] == ["skip", "sign-out", "source-type", "hours", "since"]
    assert reached[5] == "chip"
    assert reached[6:9] == ["legend-entry"] * 3
    assert reached[9:11] == ["file"] * 2
    assert reached[11:17] == ["tag-bar"] * 6
    assert reached[17:19] == ["file"] * 2
    assert set(reached[19:]) >= {"tag"}


def test_the_focus_can_be_seen(dashboard: Dashboard) -> None:
    page = dashboard.open()
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate("""() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
          return [outlineStyle, outlineWidth];
        }""")
        assert outline == ["solid", "3px"]


def test_the_skip_link_leads_to_the_items_and_keeps_the_filters(
    dashboard: Dashboard, api: Api
) -> None:
    page = dashboard.open("#tag=AI")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the items")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Items", exact=True)).to_be_focused()
    expect(page).to_have_url(api.url + "#tag=AI")


def test_the_pictures_have_their_figures_in_text(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    figures = "60 items: 30 positive, 19 neutral, 11 negative"
    expect(page.get_by_role("img", name=figures)).to_be_visible()
    trend = page.get_by_role("img", name="Items per hour by sentiment")
    expect(trend).to_be_visible()
    table = page.get_by_role("table", name="Items per hour by sentiment")
    expect(table.get_by_role("row")).to_have_count(1 + 24)
    cells = table.get_by_role("cell").all_inner_texts()
    assert sum(int(cell) for cell in cells) == 60


def test_nothing_moves_for_who_wants_it_so(dashboard: Dashboard) -> None:
    still = dashboard.open(reduced_motion="reduce")
    moving = dashboard.open(reduced_motion="no-preference")
    animations = "document.getAnimations().length"
    assert (still.evaluate(animations), moving.evaluate(animations)) == (0, 1)
