"""Sales without a date: a retry stores one sale, also across midnight and side by side."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from lambdas.sales.sales_repository import SalesRepository
from tablewright.runtime.aws import Caller
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.testing import Database
from tests.integration.sales.conftest import sale
from tests.integration.sales.http import PUBLISHED, Http, problem

LATE, EARLY = "2026-02-28T23:59:59.900+00:00", "2026-03-01T00:00:00.050+00:00"


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.text = LATE

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self.text)


class Before:
    """A caller that runs something once, right before the next call of an operation."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.operation = ""
        self.run: Callable[[], Any] = lambda: None
        self.calls: list[str] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        if operation == self.operation:
            self.operation = ""
            self.run()
        return self._caller.call(operation, params)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def caller(sales_database: Database) -> Before:
    return Before(Boto3Client(sales_database.client()))


@pytest.fixture
def http(
    sales_database: Database, monkeypatch: pytest.MonkeyPatch, clock: Clock, caller: Before
) -> Http:
    return Http(sales_database, monkeypatch, caller=caller, now=clock)


def dates(database: Database) -> list[str]:
    return sorted(item["saleDate"]["S"] for item in database.items())


@pytest.mark.parametrize("retried", [LATE, EARLY, "2026-03-01T12:00:00+00:00",
                                     "2026-03-01T23:59:59.999+00:00"])  # fmt: skip
def test_a_retry_until_the_end_of_the_next_day_stores_one_sale(
    http: Http, sales_database: Database, clock: Clock, retried: str
) -> None:
    first = http("POST", "/sales", PUBLISHED)
    clock.text = retried
    again = http("POST", "/sales", PUBLISHED)
    # The season of the two days differs, and follows from the date.
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json
    assert dates(sales_database) == ["2026-02-28"]


def test_a_retry_two_days_later_is_another_sale(
    http: Http, sales_database: Database, clock: Clock
) -> None:
    http("POST", "/sales", PUBLISHED)
    clock.text = "2026-03-02T00:00:00+00:00"
    assert http("POST", "/sales", PUBLISHED).status == 201
    assert dates(sales_database) == ["2026-02-28", "2026-03-02"]


def test_other_values_under_the_ids_of_yesterday_are_a_conflict(
    http: Http, sales_database: Database, clock: Clock
) -> None:
    http("POST", "/sales", PUBLISHED)
    clock.text = EARLY
    refused = http("POST", "/sales", {**PUBLISHED, "price": 5})
    assert problem(refused, 409) == {"/salePrice": "is 99.99 in the stored sale"}
    assert "exists on 2026-02-28" in refused.json["detail"]
    assert dates(sales_database) == ["2026-02-28"]


def test_a_retry_finds_its_sale_beside_another_one_of_yesterday(
    http: Http, sales_database: Database, clock: Clock
) -> None:
    clock.text = EARLY
    first = http("POST", "/sales", PUBLISHED)
    dated_back = {**PUBLISHED, "saleDate": "2026-02-28", "price": 5}
    assert http("POST", "/sales", dated_back).status == 201
    again = http("POST", "/sales", PUBLISHED)
    assert (again.status, again.json) == (200, first.json)
    assert dates(sales_database) == ["2026-02-28", "2026-03-01"]


def test_a_season_that_was_sent_is_that_of_its_retry(http: Http, clock: Clock) -> None:
    assert http("POST", "/sales", {**PUBLISHED, "season": "SPRING"}).status == 201
    clock.text = EARLY
    assert http("POST", "/sales", {**PUBLISHED, "season": "SPRING"}).status == 200


@pytest.mark.parametrize(("first", "other"), [(EARLY, LATE), (LATE, EARLY)])
@pytest.mark.parametrize("operation", ["BatchGetItem", "TransactWriteItems"])
def test_a_request_and_its_retry_on_both_sides_of_midnight_store_one_sale(
    http: Http,
    sales_database: Database,
    clock: Clock,
    caller: Before,
    first: str,
    other: str,
    operation: str,
) -> None:
    """The other request runs from its beginning to its end before a call of the first."""
    answers = []

    def run_other() -> None:
        clock.text = other
        answers.append(http("POST", "/sales", PUBLISHED))

    clock.text = first
    caller.operation, caller.run = operation, run_other
    answers.append(http("POST", "/sales", PUBLISHED))
    assert [answer.status for answer in answers] == [201, 200]
    assert answers[0].json == answers[1].json
    assert len(dates(sales_database)) == 1


def test_a_transaction_is_made_around_midnight_only(
    http: Http, clock: Clock, caller: Before
) -> None:
    moments = {"12:00:00": "PutItem", "23:58:59": "PutItem", "23:59:01": "TransactWriteItems"}
    moments |= {"00:00:59": "TransactWriteItems", "00:01:00": "PutItem"}
    for number, (time, operation) in enumerate(moments.items()):
        clock.text = f"2026-02-28T{time}+00:00"
        caller.calls.clear()
        assert http("POST", "/sales", {**PUBLISHED, "saleId": str(number)}).status == 201
        assert caller.calls == ["BatchGetItem", operation], time


def test_a_dated_sale_is_not_looked_for_on_other_days(
    http: Http, sales_database: Database, caller: Before
) -> None:
    for day in ("2026-02-27", "2026-02-28"):
        assert http("POST", "/sales", {**PUBLISHED, "saleDate": day}).status == 201
    assert caller.calls == ["PutItem", "PutItem"]
    assert dates(sales_database) == ["2026-02-27", "2026-02-28"]


def test_an_undated_sale_has_the_date_of_its_creation(caller: Before) -> None:
    repo = SalesRepository("sales", access=lambda _: caller)
    with pytest.raises(ValueError, match=r"sale_date is 2025-12-29, .* created_at, 2026-01-01"):
        repo.put_sale(sale(created_at="2026-01-01T00:00:00.000Z"), is_dated=False)
    assert caller.calls == []
