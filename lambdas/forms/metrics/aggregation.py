"""Pre-aggregated metrics of tenants: counted once for each event, read by the day."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lambdas.forms.metrics.events import Events
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.model import InvalidValue
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters

DAYS_BACK = 30
MOST_DAYS_BACK = 366
_RATE = Decimal("0.0001")
_TALLIES = (
    "form_stats",
    "domain_stats",
    "destination_stats",
    "destination_errors",
    "destination_failures",
)


class MetricsAggregationManager:
    """Counts submissions and deliveries by day and hour, and reads the counts for the dashboard.

    Example::

        metrics = MetricsAggregationManager(store)
        metrics.get_dashboard_metrics("acme", days_back=7)["total_submissions"]
    """

    def __init__(
        self, store: Store, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._now = now
        self._days, self._hours = (
            Counters(Forms, pattern, store.table_name, store.caller)
            for pattern in (Forms.count_daily, Forms.count_hourly)
        )

    def update_submission_metrics(self, events: Sequence[Events]) -> None:
        """Add events of any tenants to their days, then to their hours. An event that was counted
        before changes nothing."""
        self._days.add(event.day for event in events)
        self._hours.add(event.hour for event in events)

    def get_dashboard_metrics(self, tenant_id: str, days_back: int = DAYS_BACK) -> dict[str, Any]:
        """Return the sums of today and the `days_back` days before it, in UTC."""
        if isinstance(days_back, bool) or not 0 <= days_back <= MOST_DAYS_BACK:
            raise InvalidValue("days_back", f"must be a number of days from 0 to {MOST_DAYS_BACK}")
        end = self._now().astimezone(UTC).date()
        start = end - timedelta(days=days_back)
        days = self._store.each(
            Forms.daily_metrics,
            {"tenant_id": tenant_id},
            since=start.isoformat(),
            until=end.isoformat(),
        )
        return {**summary(days), "period": f"{start} to {end}"}

    def get_tenants_of_day(self, date: str, **paging: Any) -> Page[DailyMetrics]:
        """Return the counts of all tenants on a day, in order of the tenants."""
        page = self._store.query(Forms.day_of_tenants, {"date": date}, **paging)
        return Page([_whole(one) for one in page.items], page.cursor)


def summary(days: Iterable[DailyMetrics]) -> dict[str, Any]:
    """The sums of days, and what each of them had."""
    breakdown: dict[str, int] = {}
    deliveries = errors = sent = stored = 0
    tallies: dict[str, Counter[str]] = {name: Counter() for name in _TALLIES}
    for day in days:
        breakdown[day.date] = int(day.submission_count or 0)
        deliveries += int(day.delivery_count or 0)
        errors += int(day.error_count or 0)
        sent += int(day.bytes_sent or 0)
        stored += int(day.bytes_stored or 0)
        for name, total in tallies.items():
            total.update({one: int(number) for one, number in day.get(name, {}).items()})
    return {
        "total_submissions": sum(breakdown.values()),
        "daily_breakdown": breakdown,
        "form_statistics": _present(tallies["form_stats"]),
        "domain_statistics": _present(tallies["domain_stats"]),
        "bytes_sent": sent,
        "bytes_stored": stored,
        "compression_ratio": (Decimal(stored) / sent).quantize(_RATE) if sent else None,
        "deliveries": deliveries,
        "errors": errors,
        "error_rate": error_rate(deliveries, errors),
        "destinations": _destinations(tallies),
    }


def error_rate(deliveries: int, errors: int) -> Decimal | None:
    """The part of all attempts that did not succeed; nothing where there were none.

    >>> error_rate(116, 4)
    Decimal('0.0333')
    """
    attempts = deliveries + errors
    return (Decimal(errors) / attempts).quantize(_RATE) if attempts else None


def _destinations(tallies: Mapping[str, Counter[str]]) -> dict[str, Any]:
    succeeded, failed = tallies["destination_stats"], tallies["destination_errors"]
    return {
        id: {
            "deliveries": succeeded[id],
            "errors": failed[id],
            "given_up": tallies["destination_failures"][id],
            "error_rate": error_rate(succeeded[id], failed[id]),
        }
        for id in sorted({*_present(succeeded), *_present(failed)})
    }


def _present(counter: Counter[str]) -> dict[str, int]:
    # An outcome that was corrected on another day leaves a zero where it was counted first.
    return {name: counter[name] for name in sorted(counter) if counter[name]}


def _whole(day: DailyMetrics) -> DailyMetrics:
    counts = ("submission_count", "delivery_count", "error_count")
    return DailyMetrics(**{**dict.fromkeys(counts, Decimal()), **day})
