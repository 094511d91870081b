"""Counts of the last days. They were counted when things happened; nothing is counted here."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from tablewright.designs.forms import FORMS
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store

DAYS_BACK = 30
MOST_DAYS_BACK = 366


class Dashboard:
    """Reads the counts as of a moment."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._today = now.astimezone(UTC).date()

    def metrics(self, tenant_id: str, days_back: int = DAYS_BACK) -> dict[str, Any]:
        """What a tenant got today and on so many days before."""
        since = self._today - timedelta(days=days_back)
        by_day: dict[str, int] = {}
        by_form: Counter[str] = Counter()
        where = {"tenant_id": tenant_id}
        for day in self._store.each(
            FORMS.daily_metrics, where, since=since.isoformat(), until=self._today.isoformat()
        ):
            by_day[day["date"]] = int(day.get("submission_count", 0))
            by_form.update({form: int(n) for form, n in day.get("form_stats", {}).items()})
        return {
            "total_submissions": sum(by_day.values()),
            "daily_breakdown": by_day,
            "form_statistics": dict(by_form),
            "period": f"{since} to {self._today}",
        }

    def tenants(self, date: str, **paging: Any) -> Page:
        """The counts of all tenants on a day, in order of the tenants."""
        return self._store.query(FORMS.day_of_tenants, {"date": date}, **paging)
