"""Dashboard: counts, summed over days."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.forms.metrics.aggregation import MOST_DAYS_BACK, MetricsAggregationManager
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.runtime.meter import Meter
from tablewright.runtime.store.records import Records
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.metrics.streaming import Stream
from tests.integration.forms.sharding.traffic import NIGHT, Traffic

STREAMED = True

NOW = datetime(2099, 3, 5, 12, tzinfo=UTC)
TODAY = NOW.date()


def day(at: date, tenant: str = "acme", **counts: Any) -> DailyMetrics:
    return DailyMetrics(**{"tenant_id": tenant, "date": at.isoformat(), **counts})


def keep(forms: FormTable, *days: DailyMetrics) -> None:
    forms.database.write(
        [Records(Forms.__design__, DailyMetrics.__entity__).to_item(one) for one in days]
    )


def dashboard(forms: FormTable, now: datetime = NOW) -> MetricsAggregationManager:
    return MetricsAggregationManager(forms.store(), now=lambda: now)


def test_the_sums_of_what_was_counted(forms: FormTable) -> None:
    forms.clock.moment = NOW
    traffic = Traffic(forms.store())
    made = traffic.send(60)
    traffic.deliver(made[0], "RETRYING", "RETRYING", "SUCCEEDED")
    traffic.deliver(made[33], "SUCCEEDED", destination="archive")
    traffic.deliver(made[36], "FAILED")
    Stream(forms).deliver()
    assert dashboard(forms).get_dashboard_metrics("acme", 7) == {
        "total_submissions": 20,
        "daily_breakdown": {"2099-03-04": 10, "2099-03-05": 10},
        "form_statistics": {"contact": 10, "newsletter": 10},
        "domain_statistics": {"example.com": 20},
        "bytes_sent": 20 * 67,
        "bytes_stored": 20 * 67,
        "compression_ratio": Decimal(1),
        "deliveries": 2,
        "errors": 3,
        "error_rate": Decimal("0.6"),
        "destinations": {
            "archive": {
                "deliveries": 1,
                "errors": 0,
                "given_up": 0,
                "error_rate": Decimal(0),
            },
            "crm": {"deliveries": 1, "errors": 3, "given_up": 1, "error_rate": Decimal("0.75")},
        },
        "period": "2099-02-26 to 2099-03-05",
    }


def test_a_tenant_that_sent_nothing_has_no_rate_of_errors(forms: FormTable) -> None:
    shown = dashboard(forms).get_dashboard_metrics("nobody")
    assert shown["total_submissions"] == 0
    assert shown["error_rate"] is shown["compression_ratio"] is None
    assert shown["daily_breakdown"] == shown["destinations"] == {}


def test_days_outside_the_period_and_other_tenants_are_left_out(forms: FormTable) -> None:
    keep(
        forms,
        *(day(TODAY - timedelta(days=n), submission_count=1) for n in (-1, 0, 30, 31)),
        day(TODAY, "acme-2", submission_count=100),
    )
    shown = dashboard(forms).get_dashboard_metrics("acme")
    assert list(shown["daily_breakdown"]) == ["2099-02-03", "2099-03-05"]
    assert shown["total_submissions"] == 2


def test_months_of_days_that_do_not_fit_one_page_are_summed_whole(forms: FormTable) -> None:
    """A year of 400 forms is more than the megabyte that one query reads."""
    forms_of_a_day = {f"form-with-a-rather-long-name-{n:03}": Decimal(1) for n in range(400)}
    keep(
        forms,
        *(
            day(TODAY - timedelta(days=n), submission_count=400, form_stats=forms_of_a_day)
            for n in range(MOST_DAYS_BACK + 10)
        ),
    )
    meter = Meter(forms.database.caller)
    shown = MetricsAggregationManager(forms.store(meter), now=lambda: NOW).get_dashboard_metrics(
        "acme", MOST_DAYS_BACK
    )
    assert meter.calls > 1
    assert shown["total_submissions"] == 400 * (MOST_DAYS_BACK + 1)
    assert len(shown["daily_breakdown"]) == MOST_DAYS_BACK + 1
    assert set(shown["form_statistics"].values()) == {MOST_DAYS_BACK + 1}
    assert len(shown["form_statistics"]) == 400


@pytest.mark.parametrize("days_back", [-1, MOST_DAYS_BACK + 1, True])
def test_a_period_that_cannot_be_shown_is_refused(forms: FormTable, days_back: int) -> None:
    with pytest.raises(InvalidValue, match="days_back must be a number of days from 0 to 366"):
        dashboard(forms).get_dashboard_metrics("acme", days_back)


def test_a_corrected_outcome_leaves_no_trace_on_the_day_before(forms: FormTable) -> None:
    keep(
        forms,
        day(TODAY - timedelta(days=1), error_count=0, destination_errors={"old": Decimal(0)}),
        day(TODAY, delivery_count=1, destination_stats={"crm": Decimal(1)}),
    )
    assert list(dashboard(forms).get_dashboard_metrics("acme")["destinations"]) == ["crm"]


def test_all_tenants_of_a_day_are_listed_in_order_page_by_page(forms: FormTable) -> None:
    tenants = [f"tenant-{number:03}" for number in range(23)]
    keep(
        forms,
        *(day(TODAY, one, submission_count=n) for n, one in enumerate(tenants)),
        day(NIGHT.date(), "yesterday", submission_count=1),
        day(TODAY, "only-errors", error_count=2),
    )
    found: list[DailyMetrics] = []
    cursor = None
    for _ in range(10):
        page = dashboard(forms).get_tenants_of_day(
            "2099-03-05", limit=10, cursor=cursor, caller="operator"
        )
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert [one["tenant_id"] for one in found] == ["only-errors", *tenants]
    assert [one["submission_count"] for one in found] == [0, *range(23)]
    assert found[0]["error_count"] == 2


def test_a_day_that_is_none_is_refused(forms: FormTable) -> None:
    with pytest.raises(InvalidRecord, match="date"):
        dashboard(forms).get_tenants_of_day("yesterday")
