"""What is shown, saved as files: read by Python's own readers of CSV and JSON."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.integration.page.conftest import Dashboard
from tests.integration.page.samples import item, news
from tests.integration.page.server import Api


def saved(page: Page, name: str, kind: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("button", name=f"Save the {name} shown as {kind.upper()}").click()
    download = started.value
    assert re.fullmatch(rf"{name}-\d{{4}}-\d\d-\d\dT\d\d-\d\d\.{kind}", download.suggested_filename)
    return Path(download.path()).read_bytes().decode("utf-8")


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def test_items_are_saved_as_they_are_shown(dashboard: Dashboard, api: Api) -> None:
    page = dashboard.open("#source_type=reddit")
    shown = page.locator("#items time").evaluate_all("all => all.map(each => each.dateTime)")
    items = json.loads(saved(page, "items", "json"))
    assert [each["ingested_at"] for each in items] == shown
    assert all(each in api.items for each in items)
    rows = rows_of(saved(page, "items", "csv"))
    assert [row["ingested_at"] for row in rows] == shown
    assert [row["matched_tags"] for row in rows] == [
        "; ".join(each.get("matched_tags", [])) for each in items
    ]
    assert [float(row["score"]) for row in rows] == [each["score"] for each in items]


def test_hours_and_news_are_saved(dashboard: Dashboard, api: Api) -> None:
    api.feed.items = [news(number) for number in range(3)]
    page = dashboard.open()
    expect(page.locator("#news > li")).to_have_count(3)
    hours = json.loads(saved(page, "hours", "json"))
    assert sum(hour["positive"] + hour["neutral"] + hour["negative"] for hour in hours) == 60
    assert [row["hour"] for row in rows_of(saved(page, "hours", "csv"))] == [
        h["hour"] for h in hours
    ]
    assert {each["source_id"] for each in json.loads(saved(page, "news", "json"))} == {
        each["source_id"] for each in api.feed.items
    }
    assert len(rows_of(saved(page, "news", "csv"))) == 3


TEXTS = ['say "hi", twice', "two\nlines", "a; b, c", "größer 🚀", "'quoted'", " spaced "]


def test_any_text_comes_back_from_csv(dashboard: Dashboard, api: Api) -> None:
    api.items = [item(number, text_snippet=text) for number, text in enumerate(TEXTS)]
    page = dashboard.open()
    rows = rows_of(saved(page, "items", "csv"))
    assert sorted(row["text_snippet"] for row in rows) == sorted(TEXTS)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x")']
)
def test_no_text_becomes_a_formula(dashboard: Dashboard, api: Api, text: str) -> None:
    api.items = [item(1, text_snippet=text, score=0.5, matched_tags=["=A1"])]
    page = dashboard.open()
    (row,) = rows_of(saved(page, "items", "csv"))
    assert (row["text_snippet"], row["matched_tags"], row["score"]) == (f"'{text}", "'=A1", "0.5")
    (same,) = json.loads(saved(page, "items", "json"))
    assert same["text_snippet"] == text


def test_nothing_shown_is_an_empty_file(dashboard: Dashboard, api: Api) -> None:
    api.items = []
    page = dashboard.open()
    expected: list[Any] = []
    assert json.loads(saved(page, "items", "json")) == expected
    assert rows_of(saved(page, "items", "csv")) == expected
