"""The work of one page is bounded, and goes by what is read rather than by what is found."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.catalog.sales.design import SALES
from tablewright.model import Record
from tablewright.runtime.deadline import invocation
from tablewright.runtime.store import page_limits as effort
from tablewright.runtime.store.reader import Page
from tests.integration.conftest import Database
from tests.integration.sales.conftest import sale

DRESS = {"tenant": "carousel-labs", "category": "dress"}
RARE = {"season": "FALL"}
MANY = 1100


class Counted:
    """Counts calls by operation; `before` is done first."""

    def __init__(self, caller: Any) -> None:
        self._caller = caller
        self.calls: Counter[str] = Counter()
        self.before: Callable[[], Any] = lambda: None

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls[operation] += 1
        self.before()
        answer: dict[str, Any] = self._caller.call(operation, params)
        return answer


def one(number: int) -> Record:
    """Of all sales two are of another season, the last but nine and the last."""
    season = "FALL" if number in (MANY - 10, MANY - 1) else "WINTER"
    day = f"2025-{1 + number // 100:02}-{1 + number % 28:02}"
    return {**sale(number), "sale_date": day, "season": season, "category": "dress"}


@pytest.fixture
def filled(database: Database) -> Database:
    database.create(SALES)
    database.store(SALES).put_many(SALES.put_sales, [one(n) for n in range(MANY)])
    return database


def test_a_small_page_of_a_rare_season_asks_about_as_seldom_as_a_large_one(
    filled: Database,
) -> None:
    asked: dict[int, Counter[str]] = {}
    for limit in (1, 100):
        counted = Counted(filled.dynamo)
        page = filled.store(SALES, counted).query(
            SALES.category_sales, DRESS, filters=RARE, limit=limit
        )
        assert (page.items, page.examined) == ([], 1000)
        assert page.cursor is not None
        asked[limit] = counted.calls
    assert asked[100]["BatchGetItem"] == 10
    assert asked[1]["BatchGetItem"] <= 14
    assert asked[1]["Query"] <= 60
    assert asked[100]["Query"] <= 60


@pytest.mark.parametrize(
    ("season", "limit"), [("FALL", 1), ("FALL", 2), ("FALL", 7), ("WINTER", 7), ("WINTER", 100)]
)
def test_filtered_pages_of_any_size_list_every_record_once(
    filled: Database, season: str, limit: int
) -> None:
    """Also when a read brings more than the page has room for."""
    store = filled.store(SALES)
    found: list[Record] = []
    cursor = None
    while True:
        page: Page = store.query(
            SALES.category_sales, DRESS, filters={"season": season}, limit=limit, cursor=cursor
        )
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    expected = sorted(
        (one(n) for n in range(MANY) if one(n)["season"] == season),
        key=lambda record: str(record["sale_id"]),
    )
    ids = [record["sale_id"] for record in found]
    assert sorted(ids) == [record["sale_id"] for record in expected]
    dates = [record["sale_date"] for record in found]
    assert dates == sorted(dates)


def test_a_filter_that_finds_much_reads_little(filled: Database) -> None:
    counted = Counted(filled.dynamo)
    store = filled.store(SALES, counted)
    page = store.query(SALES.category_sales, DRESS, filters={"season": "WINTER"}, limit=1)
    assert page.examined == 1
    assert counted.calls["BatchGetItem"] == 1


def test_a_page_that_has_asked_often_is_given_out_short(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "CALLS_PER_PAGE", 15)
    counted = Counted(filled.dynamo)
    page = filled.store(SALES, counted).query(SALES.category_sales, DRESS, filters=RARE, limit=1)
    assert page.cursor is not None
    assert 0 < page.examined < 1000
    assert counted.calls.total() < 30


def test_a_page_that_is_out_of_time_is_given_out_short(filled: Database) -> None:
    class Context:
        def get_remaining_time_in_millis(self) -> float:
            return 11_000

    store = filled.store(SALES)
    with invocation(Context()):
        page = store.query(SALES.category_sales, DRESS, filters=RARE, limit=1)
    assert page.cursor is not None
    assert 0 < page.examined < 1000
    rest = store.query(SALES.category_sales, DRESS, filters=RARE, limit=100, cursor=page.cursor)
    assert rest.examined > 0


def test_a_whole_list_of_small_reads_asks_seldom_where_most_is_passed_over(
    filled: Database,
) -> None:
    counted = Counted(filled.dynamo)
    found = filled.store(SALES, counted).each(SALES.category_sales, DRESS, filters=RARE, at_once=1)
    assert len(list(found)) == 2
    assert counted.calls["BatchGetItem"] <= 16
    assert counted.calls["Query"] <= 60
