"""The page in a browser, in front of an API whose items and failures the test decides on."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.browser import NewPage, browser, new_page, page
from tests.integration.page.samples import NOW, day
from tests.integration.page.server import CLIENT_ID, TOKEN, Api

__all__ = ["browser", "new_page", "page"]

DEADLINE_SECONDS = 90.0
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Notes what the page asks for, at the moment it does.
_NOTE = """
  window.asked = [];
  const ask = window.fetch;
  window.fetch = (url, ...given) => {
    asked.push(url.split("?")[0]);
    return ask(url, ...given);
  };
"""
# Headless pages are always in sight, so the page is told otherwise.
_SIGHT = """seen => {
  Object.defineProperty(document, "hidden", { configurable: true, value: !seen });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def api() -> Iterator[Api]:
    with Api(day()) as started:
        yield started


class Dashboard:
    """Pages on which somebody is signed in, at a time that only the test moves on."""

    def __init__(self, api: Api, new_page: NewPage) -> None:
        self._api = api
        self._new_page = new_page

    def open(self, hash: str = "", *, ready: bool = True, **options: Any) -> Page:
        page = self._new_page(**options)
        page.clock.install(time=NOW - timedelta(seconds=1))
        page.clock.pause_at(NOW)
        expires = int((NOW.timestamp() + 3600) * 1000)
        tokens = json.dumps({"id": TOKEN, "refresh": None, "expires": expires})
        kept = f"sessionStorage.setItem('sign-in {CLIENT_ID}', JSON.stringify({tokens}));"
        page.add_init_script(kept + _NOTE)
        page.goto(self._api.url + hash)
        if ready:
            expect(page.locator("#items")).to_have_attribute("aria-busy", "false")
            expect(page.locator("#news")).to_have_attribute("aria-busy", "false")
            expect(page.locator("#summary")).to_have_attribute("aria-busy", "false")
        return page


def asks(page: Page, path: str) -> None:
    """Time passes until the page has asked for this once more."""
    count = "path => asked.filter(each => each === path).length"
    before = page.evaluate(count, path)
    deadline = time.monotonic() + DEADLINE_SECONDS
    # In steps: the page may still be busy with the last answers, and its timer not set. And no
    # further: its time limits for requests run on the same clock.
    while page.evaluate(count, path) == before:
        assert time.monotonic() < deadline, f"the page does not ask for {path}"
        page.clock.run_for(500)


def refreshed(page: Page) -> None:
    """Time passes until the page has asked again and has its answers."""
    with page.expect_response("**/items?*"), page.expect_response("**/summary?*"):
        asks(page, "items")


def in_sight(page: Page, seen: bool) -> None:
    page.evaluate(_SIGHT, seen)


@pytest.fixture
def dashboard(api: Api, new_page: NewPage) -> Dashboard:
    return Dashboard(api, new_page)
