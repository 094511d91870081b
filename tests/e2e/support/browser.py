"""One headless browser for the whole run; each page has a profile of its own.

A folder's conftest takes the fixtures over:

    from tests.e2e.support.browser import browser, new_page, page

    __all__ = ["browser", "new_page", "page"]
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from toolchain import browser as chromium
from toolchain.browser import BrowserMissing
from toolchain.paths import BUILD

SCREENSHOTS = BUILD / "screenshots"
WIDE = {"width": 1440, "height": 1000}
NARROW = {"width": 320, "height": 720}
DEADLINE_MS = 60_000
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Chromium's own line for every status that is no success: tests of failures cause them.
_EXPECTED = "Failed to load resource"
expect.set_options(timeout=DEADLINE_MS)
_STARTED = pytest.StashKey[Browser]()


class NewPage(Protocol):
    def __call__(self, **options: Any) -> Page:
        """A page in a fresh profile; the options are those of Playwright's contexts."""


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Browser:
    # In the stash, because each conftest that imports this has a session fixture of its own, and
    # Playwright starts once in a process.
    if _STARTED not in pytestconfig.stash:
        try:
            executable = chromium.ensure()
        except BrowserMissing as missing:
            pytest.skip(str(missing))
        driver = sync_playwright().start()
        pytestconfig.add_cleanup(driver.stop)
        started = driver.chromium.launch(executable_path=executable, args=FLAGS)
        pytestconfig.add_cleanup(started.close)
        pytestconfig.stash[_STARTED] = started
    return pytestconfig.stash[_STARTED]


@contextmanager
def pages(browser: Browser) -> Iterator[NewPage]:
    """Opens pages; the test fails when a script of theirs did, or broke their policy."""
    contexts = []
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_EXPECTED):
            errors.append(message.text)

    def opened(**options: Any) -> Page:
        usual = {
            "viewport": WIDE,
            "locale": "en-GB",
            "timezone_id": "Europe/Vienna",
            # What moves is drawn again and again.
            "reduced_motion": "reduce",
        }
        context = browser.new_context(**{**usual, **options})
        context.set_default_timeout(DEADLINE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    with pages(browser) as opened:
        yield opened


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


def screenshot(page: Page, name: str, *, whole: bool = True) -> Path:
    """What the page looks like, for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=path, full_page=whole, animations="disabled")
    return path
