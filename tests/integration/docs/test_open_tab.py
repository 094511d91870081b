"""What an open page costs is in the documents as it is worked out."""

from docs.open_tab import PAGE, REFRESH_SECONDS, lines
from stacks.sentiment import dashboard_page
from toolchain.paths import ROOT


def test_the_document_has_the_costs_of_an_open_page() -> None:
    assert "\n".join(lines()) in (ROOT / "docs" / "sentiment.md").read_text()


def test_the_page_asks_as_often_as_is_worked_out() -> None:
    assert dashboard_page.REFRESH_SECONDS == REFRESH_SECONDS


def test_an_open_page_costs_less_than_five_dollars_a_month() -> None:
    assert sum(one.dollars for one in PAGE) < 5
