"""The work of one page is bounded, and goes by what is read rather than by what is found."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from tablewright.runtime import deadline
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.deadline import invocation
from tablewright.runtime.store import page_limits as effort
from tablewright.runtime.store.reader import Page
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import Order, Orders, order

DRESS = {"tenant": "carousel-labs", "kind": "dress"}
RARE = {"state": "SENT"}
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


def one(number: int) -> Order:
    """Of all orders two are of another state, the last but nine and the last."""
    state = "SENT" if number in (MANY - 10, MANY - 1) else "OPEN"
    day = f"2025-{1 + number // 100:02}-{1 + number % 28:02}"
    return order(number, day=day, state=state, kind="dress")


@pytest.fixture
def filled(dynamodb: Database) -> Database:
    dynamodb.store(Orders).put_many(Orders.load, [one(n) for n in range(MANY)])
    return dynamodb


def test_a_small_page_of_a_rare_state_asks_about_as_seldom_as_a_large_one(
    filled: Database,
) -> None:
    asked: dict[int, Counter[str]] = {}
    for limit in (1, 100):
        counted = Counted(filled.caller)
        page = filled.store(Orders, counted).query(Orders.of_kind, DRESS, where=RARE, limit=limit)
        assert (page.items, page.examined) == ([], 1000)
        assert page.cursor is not None
        asked[limit] = counted.calls
    assert asked[100]["BatchGetItem"] == 10
    assert asked[1]["BatchGetItem"] <= 14
    assert asked[1]["Query"] <= 60
    assert asked[100]["Query"] <= 60


@pytest.mark.parametrize(
    ("state", "limit"), [("SENT", 1), ("SENT", 2), ("SENT", 7), ("OPEN", 7), ("OPEN", 100)]
)
def test_filtered_pages_of_any_size_list_every_record_once(
    filled: Database, state: str, limit: int
) -> None:
    """Also when a read brings more than the page has room for."""
    store = filled.store(Orders)
    found: list[Order] = []
    cursor = None
    while True:
        page: Page[Order] = store.query(
            Orders.of_kind, DRESS, where={"state": state}, limit=limit, cursor=cursor
        )
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    expected = sorted(
        (one(n) for n in range(MANY) if one(n)["state"] == state),
        key=lambda record: str(record["order_id"]),
    )
    ids = [record["order_id"] for record in found]
    assert sorted(ids) == [record["order_id"] for record in expected]
    dates = [record["day"] for record in found]
    assert dates == sorted(dates)


def test_a_filter_that_finds_much_reads_little(filled: Database) -> None:
    counted = Counted(filled.caller)
    store = filled.store(Orders, counted)
    page = store.query(Orders.of_kind, DRESS, where={"state": "OPEN"}, limit=1)
    assert page.examined == 1
    assert counted.calls["BatchGetItem"] == 1


def test_a_page_that_has_asked_often_is_given_out_short(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "CALLS_PER_PAGE", 15)
    counted = Counted(filled.caller)
    page = filled.store(Orders, counted).query(Orders.of_kind, DRESS, where=RARE, limit=1)
    assert page.cursor is not None
    assert 0 < page.examined < 1000
    assert counted.calls.total() < 30


def test_a_page_that_is_out_of_time_is_given_out_short(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Context:
        def get_remaining_time_in_millis(self) -> float:
            return 11_000

    # Passes by looks at it, not by the speed of the machine.
    clock = SimpleNamespace(monotonic=partial(next, count(0, 0.1)))
    monkeypatch.setattr(deadline, "time", clock)
    store = filled.store(Orders, Boto3Client(filled.client()))
    with invocation(Context()):
        page = store.query(Orders.of_kind, DRESS, where=RARE, limit=1)
    assert page.cursor is not None
    assert 0 < page.examined < 1000
    rest = store.query(Orders.of_kind, DRESS, where=RARE, limit=100, cursor=page.cursor)
    assert rest.examined > 0


def test_a_whole_list_of_small_reads_asks_seldom_where_most_is_passed_over(
    filled: Database,
) -> None:
    counted = Counted(filled.caller)
    found = filled.store(Orders, counted).each(Orders.of_kind, DRESS, where=RARE, at_once=1)
    assert len(list(found)) == 2
    assert counted.calls["BatchGetItem"] <= 16
    assert counted.calls["Query"] <= 60


def test_a_filter_that_dynamodb_looks_at_ends_a_page_when_it_found_nothing(
    filled: Database,
) -> None:
    """A read that finds nothing counts for what it looked at, not for one entry."""
    nowhere = {"tenant": "carousel-labs", "customer": "customer_1"}
    store = filled.store(Orders)
    pages: list[Page[Order]] = []
    cursor = None
    while not pages or cursor:
        page = store.query(
            Orders.of_customer,
            nowhere,
            where=Order.note == "lost",
            examine=40,
            limit=10,
            cursor=cursor,
        )
        pages.append(page)
        cursor = page.cursor
    assert sum(page.examined for page in pages) == len(range(1, MANY, 7))
    assert max(page.examined for page in pages) <= 50
