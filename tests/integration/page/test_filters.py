"""Filters: set from everywhere, kept in the address, asked of the API."""

from playwright.sync_api import Page, expect

from tests.integration.page.conftest import Dashboard, refreshed
from tests.integration.page.server import Api


def chips(page: Page) -> list[str]:
    return page.locator("#chips button").all_inner_texts()


def last_query(api: Api, path: str = "/items") -> dict[str, str]:
    return api.requests(path)[-1].query


def test_a_tag_bar_filters_and_shows_that_it_does(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    bar = page.locator("#tags").get_by_role("button", name="climate")
    expect(bar).to_have_attribute("aria-pressed", "false")
    with page.expect_response("**/items?*"):
        bar.click()
    expect(bar).to_have_attribute("aria-pressed", "true")
    expect(bar).to_be_focused()
    expect(page).to_have_url(api.url + "#tag=climate")
    expect(page.locator("#items")).to_have_attribute("aria-busy", "false")
    assert chips(page) == ["Tag: climate"]
    assert last_query(api) == {"limit": "20", "tag": "climate"}
    pressed = page.locator("#items .tag[aria-pressed=true]")
    expect(pressed).to_have_count(page.locator("#items > li").count())


def test_the_same_tag_again_takes_the_filter_away(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#tag=climate")
    page.locator("#tags").get_by_role("button", name="climate").click()
    expect(page.locator("#chips button")).to_have_count(0)
    expect(page).to_have_url(api.url)
    expect(page.locator("#items > li")).to_have_count(20)


def test_a_tag_in_a_row_filters(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    tag = page.locator("#items .tag").first
    name = tag.inner_text()
    with page.expect_response("**/items?*"):
        tag.click()
    assert last_query(api)["tag"] == name


def test_a_sentiment_lists_the_best_scores_first(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    expect(page.locator("#order")).to_have_text("Newest first")
    with page.expect_response("**/items?*"):
        page.get_by_role("button", name="Negative 11").click()
    expect(page.locator("#order")).to_have_text("Highest score first, day by day")
    expect(page.locator("#items > li")).to_have_count(11)
    assert last_query(api)["sentiment"] == "negative"
    assert set(page.locator("#items .mood").all_inner_texts()) == {"Negative"}


def test_a_sentiment_within_a_tag_comes_newest_first(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#sentiment=positive&tag=climate")
    expect(page.locator("#order")).to_have_text("Newest first")
    times = page.locator("#items time").evaluate_all("all => all.map(each => each.dateTime)")
    assert times == sorted(times, reverse=True)
    assert len(times) > 1


def test_a_list_by_score_has_no_since(dashboard: Dashboard, api: Api) -> None:
    since = "2025-11-16T13:30:00.000Z"
    page = dashboard.open(f"#tag=climate&since={since}")
    expect(page.locator("#since")).to_be_enabled()
    page.get_by_role("button", name="Positive 30").click()
    expect(page.locator("#chips button")).to_have_count(3)
    page.get_by_role("button", name="Remove filter Tag: climate").click()
    expect(page.locator("#chips button")).to_have_text(["Sentiment: positive"])
    expect(page.locator("#since")).to_be_disabled()
    expect(page.locator("#items")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#trouble")).to_be_hidden()
    assert last_query(api) == {"limit": "20", "sentiment": "positive"}


def test_the_source_narrows_list_and_summary(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    with page.expect_response("**/items?*"), page.expect_response("**/summary?*"):
        page.get_by_role("combobox", name="Source").select_option("reddit")
    expect(page.locator("#chips button")).to_have_text(["Source: Reddit"])
    assert last_query(api)["source_type"] == "reddit"
    assert last_query(api, "/summary") == {"hours": "24", "source_type": "reddit"}


def test_since_is_one_moment_that_stays(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    with page.expect_response("**/items?*"):
        page.get_by_role("combobox", name="Items since").select_option("1 hour ago")
    expect(page.locator("#chips button")).to_have_text(["Since: 14:30"])
    expect(page.locator("#since option:checked")).to_have_text("14:30")
    assert last_query(api)["since"] == "2025-11-16T13:30:00.000Z"
    refreshed(page)
    assert last_query(api)["since"] == "2025-11-16T13:30:00.000Z"


def test_the_hours_of_the_summary_can_be_chosen(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    with page.expect_response("**/summary?*"):
        page.get_by_role("combobox", name="Summary of").select_option("the last 6 hours")
    expect(page.locator(".trend-hour")).to_have_count(6)
    expect(page).to_have_url(api.url + "#hours=6")
    assert chips(page) == []


def test_the_address_brings_the_filters_back(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#sentiment=positive&tag=open+source&source_type=newsapi&hours=72")
    assert chips(page) == ["Source: NewsAPI", "Sentiment: positive", "Tag: open source"]
    expect(page.get_by_role("combobox", name="Source")).to_have_value("newsapi")
    expect(page.get_by_role("combobox", name="Summary of")).to_have_value("72")
    wanted = {"sentiment": "positive", "tag": "open source", "source_type": "newsapi"}
    assert last_query(api) == {"limit": "20", **wanted}


def test_what_makes_no_sense_in_the_address_is_left_out(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#sentiment=angry&since=yesterday&source_type=fax&hours=-1&x=1")
    assert chips(page) == []
    assert last_query(api) == {"limit": "20"}
    assert last_query(api, "/summary") == {"hours": "24"}


def test_going_back_in_the_history_goes_back_in_the_filters(dashboard: Dashboard) -> None:
    page = dashboard.open()
    page.locator("#tags").get_by_role("button", name="climate").click()
    expect(page.locator("#chips button")).to_have_text(["Tag: climate"])
    page.get_by_role("button", name="Remove filter Tag: climate").click()
    expect(page.locator("#chips button")).to_have_count(0)
    page.go_back()
    expect(page.locator("#chips button")).to_have_text(["Tag: climate"])
    page.go_back()
    expect(page.locator("#chips button")).to_have_count(0)


def test_a_removed_chip_hands_its_focus_on(dashboard: Dashboard) -> None:
    page = dashboard.open("#sentiment=positive&tag=AI")
    page.get_by_role("button", name="Remove filter Sentiment: positive").click()
    expect(page.get_by_role("button", name="Remove filter Tag: AI")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Source")).to_be_focused()


def test_escape_clears_the_filters(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#sentiment=positive&tag=AI&hours=6")
    page.keyboard.press("Escape")
    expect(page.locator("#chips button")).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The filters are cleared.")
    expect(page).to_have_url(api.url + "#hours=6")
    expect(page.locator("#items > li")).to_have_count(20)


def test_an_answer_for_old_filters_is_not_shown(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open()
    api.silent = True
    with page.expect_request("**/items?limit=20&tag=climate"):
        page.locator("#tags").get_by_role("button", name="climate").click()
    api.silent = False
    with page.expect_response("**/items?limit=20&tag=energy"):
        page.locator("#tags").get_by_role("button", name="energy").click()
    expect(page.locator("#items")).to_have_attribute("aria-busy", "false")
    pressed = page.locator("#items .tag[aria-pressed=true]")
    assert set(pressed.all_inner_texts()) == {"energy"}
