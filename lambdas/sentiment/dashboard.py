"""Dashboard: lists of items and counts of them, from the dashboard's table."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from lambdas.http.requests import DEFAULT_LIMIT
from lambdas.sentiment.contract import ApiEnvironment
from lambdas.sentiment.resources import Resources
from tablewright.catalog.sentiment.dashboard import (
    DAYS_SHOWN,
    Dashboard,
    Hour,
    Rejected,
    Row,
    TagRow,
)
from tablewright.catalog.sentiment.items import SENTIMENTS
from tablewright.model import Entity
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.meter import Meter
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

MAX_HOURS = DAYS_SHOWN * 24
DEFAULT_HOURS = 24
# What is shown of an item: the same in all lists, whichever row it was found by.
_HIDDEN = ("day", "timestamp")
SHOWN = tuple(field for field in Row.__entity__.fields if field.name not in _HIDDEN)
# How old what an accelerator in front of the table has may be.
ACCELERATED_SECONDS = 300

R = TypeVar("R", bound=Entity)


class Dashboards:
    """Opens the dashboard for one request, on a meter of its own."""

    def __init__(
        self,
        table_name: str,
        caller: Caller,
        cursors: Cursors,
        *,
        secrets: Secrets,
        stale_seconds: int = 0,
        show_capacity: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = Store(Dashboard, table_name, caller, cursors=cursors, secrets=secrets)
        self._now = now
        self.stale_seconds = stale_seconds
        self.show_capacity = show_capacity

    @classmethod
    def of(cls, environment: ApiEnvironment) -> "Dashboards":
        resources = Resources.of(environment)
        caller, stale_seconds = resources.dynamodb, 0
        if environment.dax_endpoint:
            from tablewright.runtime.dax import Accelerated

            caller = Accelerated(resources.dynamodb, environment.dax_endpoint)
            stale_seconds = ACCELERATED_SECONDS
        return cls(
            environment.dashboard_table,
            caller,
            resources.cursors(),
            secrets=resources.dashboard_secrets(),
            stale_seconds=stale_seconds,
            show_capacity=bool(environment.show_capacity),
        )

    def open(self) -> tuple["DashboardReader", Meter]:
        meter = Meter(self._store.caller)
        return DashboardReader(self._store.with_client(meter), self._now()), meter


class ItemList(list[R]):
    """Items of a page, and the cursor of the next page, if there is one."""

    def __init__(self, page: Page[R]) -> None:
        super().__init__(page.items)
        self.cursor = page.cursor


class DashboardReader:
    """Reads the dashboard's table as one caller asks.

    `paging` are the `cursor` and the `caller` of a list that is read page by page.
    """

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._now = now
        self._counted: dict[tuple[str | None, int], list[Hour]] = {}

    def get_recent_items(
        self,
        limit: int = DEFAULT_LIMIT,
        *,
        source_type: str | None = None,
        since: str | None = None,
        **paging: Any,
    ) -> ItemList[Row]:
        """Items newest first, day by day."""
        page = self._store.query(
            Dashboard.recent_items,
            along=("day", self._days(since)),
            since=since,
            where=_asked(source_type=source_type),
            limit=limit,
            **paging,
        )
        return ItemList(page)

    def get_items_by_sentiment(
        self,
        sentiment: str,
        limit: int = DEFAULT_LIMIT,
        *,
        source_type: str | None = None,
        **paging: Any,
    ) -> ItemList[Row]:
        """Items of a sentiment, day by day, those of a day by score, highest first."""
        page = self._store.query(
            Dashboard.items_by_sentiment,
            sentiment=sentiment,
            along=("day", self._days(None)),
            where=_asked(source_type=source_type),
            limit=limit,
            **paging,
        )
        return ItemList(page)

    def get_items_by_tag(
        self,
        tag: str,
        limit: int = DEFAULT_LIMIT,
        *,
        sentiment: str | None = None,
        source_type: str | None = None,
        since: str | None = None,
        **paging: Any,
    ) -> ItemList[TagRow]:
        """Items that match a tag, newest first."""
        page = self._store.query(
            Dashboard.items_by_tag,
            tag=tag,
            since=since,
            where=_asked(source_type=source_type, sentiment=sentiment),
            limit=limit,
            **paging,
        )
        return ItemList(page)

    def get_sentiment_distribution(
        self, source_type: str | None = "newsapi", hours: int = DEFAULT_HOURS
    ) -> dict[str, int]:
        """How many items of the last hours have each sentiment; of all sources for None."""
        counts = self._counts(source_type, hours)
        return {s: sum(int(count.get(s) or 0) for count in counts) for s in SENTIMENTS}

    def get_tag_match_counts(
        self, source_type: str | None = "newsapi", hours: int = DEFAULT_HOURS
    ) -> dict[str, int]:
        """How many items of the last hours match each tag, the most frequent tag first."""
        tags: Counter[str] = Counter()
        for count in self._counts(source_type, hours):
            tags.update({tag: int(n) for tag, n in (count.tags or {}).items()})
        ranked = sorted(tags.items(), key=lambda pair: (-pair[1], pair[0]))
        return {tag: count for tag, count in ranked if count > 0}

    def summary(self, *, hours: int, source_type: str | None) -> dict[str, Any]:
        """Sentiments, tags and their course over the last hours, the one that runs included."""
        moments = self._hours(hours)
        by_hour: dict[str, Counter[str]] = {moment: Counter() for moment in moments}
        for count in self._counts(source_type, hours):
            by_hour[count.hour].update({s: int(count.get(s) or 0) for s in SENTIMENTS})
        tags = self.get_tag_match_counts(source_type, hours)
        return {
            "since": moments[0],
            "until": iso_utc(datetime.fromisoformat(moments[-1]) + timedelta(hours=1)),
            "distribution": self.get_sentiment_distribution(source_type, hours),
            "tags": [{"tag": tag, "count": count} for tag, count in tags.items()],
            "hours": [
                {"hour": moment, **{s: counts[s] for s in SENTIMENTS}}
                for moment, counts in by_hour.items()
            ],
        }

    def rejected(self, day: str | None, **paging: Any) -> Page[Rejected]:
        today = self._now.astimezone(UTC).date().isoformat()
        day = today if day is None else day
        return self._store.query(Dashboard.rejected_items, day=day, **paging)

    def _hours(self, number: int) -> list[str]:
        """The last hours, the one that runs included."""
        last = self._now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        return [iso_utc(last - timedelta(hours=n)) for n in reversed(range(number))]

    def _counts(self, source_type: str | None, hours: int) -> list[Hour]:
        """Counts of the last hours, read once for all that one request asks of them."""
        key = (source_type, hours)
        if key not in self._counted:
            self._counted[key] = self._read_counts(source_type, hours)
        return self._counted[key]

    def _read_counts(self, source_type: str | None, hours: int) -> list[Hour]:
        where = _asked(source_type=source_type)
        moments = self._hours(hours)
        first, last = moments[0], moments[-1]

        def of_day(day: str) -> list[Hour]:
            pattern = Dashboard.hourly_counts
            return list(self._store.each(pattern, day=day, since=first, until=last, where=where))

        days = [day for day in self._days(None) if first[:10] <= day <= last[:10]]
        return [count for found in in_parallel(of_day, days) for count in found]

    def _days(self, since: str | None) -> list[str]:
        """The days of the window, newest first: today and the seven before, as hours go."""
        today = self._now.astimezone(UTC).date()
        days = [(today - timedelta(days=n)).isoformat() for n in range(DAYS_SHOWN + 1)]
        within = [day for day in days if since is None or day >= since[:10]]
        return within or days[:1]


def _asked(**values: str | None) -> dict[str, str]:
    """The values that were asked for."""
    return {name: value for name, value in values.items() if value is not None}
