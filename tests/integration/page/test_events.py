"""The reader of server-sent events, as the standard has it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.support.browser import pages
from tests.integration.page.server import Api

READ = """async pieces => {
  const { Parser } = await import("./events.js");
  const parser = new Parser("before");
  const events = pieces.flatMap(piece => [...parser.read(piece)]);
  return { events, id: parser.id, retry: parser.retry };
}"""


@pytest.fixture(scope="module")
def opened(browser: Browser) -> Iterator[Page]:
    """One page for all, which read with a parser of their own."""
    with Api([]) as api, pages(browser) as new_page:
        page = new_page()
        page.goto(api.url)
        yield page


def read(page: Page, *pieces: str) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(READ, pieces)
    return found


@pytest.mark.parametrize(
    ("pieces", "data"),
    [
        (["data: a\n\n"], ["a"]),
        (["data:a\n\ndata:  b\n\n"], ["a", " b"]),
        (["data: a\ndata\ndata: b\n\n"], ["a\n\nb"]),
        (["data:\n\n"], [""]),
        (["data: a:b\n\n"], ["a:b"]),
        (["data: a\u2028b\n\n"], ["a\u2028b"]),
        ([": data: a\nother: b\nevent: c\n\n"], []),
        (["da", "ta: a", "", "\n", "", "\n"], ["a"]),
        (["data: a\r", "\n\r", "\ndata: b\r\r"], ["a", "b"]),
        (["data: a\r", "\r", "data: b\n", "\n"], ["a", "b"]),
        (["data: a\r", "\ndata: b\r", "\n\r", "\n"], ["a\nb"]),
        (["data: a\n"], []),
    ],
)
def test_data_is_complete_with_a_blank_line(
    opened: Page, pieces: list[str], data: list[str]
) -> None:
    events = read(opened, *pieces)["events"]
    assert [each["data"] for each in events] == data


def test_the_type_is_that_of_one_event(opened: Page) -> None:
    events = read(opened, "event: news\ndata: a\n\ndata: b\n\nevent\ndata: c\n\n")["events"]
    assert [each["type"] for each in events] == ["news", "message", "message"]


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("data: a\n\n", "before"),
        ("id: 1\ndata: a\n\ndata: b\n\n", "1"),
        ("id: 1\n\n", "1"),
        ("id\ndata: a\n\n", ""),
        ("id: 1\0\ndata: a\n\n", "before"),
        ("id: 1\ndata: a\n", "before"),
        ("id: 1\n\nid: 2\ndata: a", "1"),
    ],
)
def test_the_id_is_that_of_the_last_event_that_is_complete(
    opened: Page, text: str, id: str
) -> None:
    assert read(opened, text)["id"] == id


@pytest.mark.parametrize(
    ("text", "retry"),
    [("retry: 250\n", 250), ("retry: soon\nretry: -1\nretry\n", None), ("retry: 1", None)],
)
def test_the_time_until_the_next_request_is_a_number(
    opened: Page, text: str, retry: int | None
) -> None:
    assert read(opened, text)["retry"] == retry
