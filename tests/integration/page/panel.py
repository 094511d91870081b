"""What the panel of financial news shows, and what it asked for."""

import re

from playwright.sync_api import Page, expect

from tests.integration.page.server import NEWS, Api

EVENTS = "news/events"


def shows(page: Page, *numbers: int) -> None:
    """Exactly these, from top to bottom."""
    rows = page.locator("#news > li")
    expect(rows).to_have_count(len(numbers))
    texts = [re.compile(rf"\({number}\)\.") for number in numbers]
    expect(rows).to_have_text(texts)


def ids(api: Api) -> list[str | None]:
    """After what the page asked, in each of its requests."""
    return [each.headers.get("last-event-id") for each in api.requests(NEWS)]
