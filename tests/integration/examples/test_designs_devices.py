"""Reports of devices in the order of time, and page views in shards, counted once each."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from examples.designs.clickstream import Clickstream, Hour, View, count, spread, view
from examples.designs.device_log import DeviceLog, Entry, State, entry
from tablewright.model.time_ids import milliseconds
from tablewright.runtime import Counters, EpochCache, Store
from tablewright.testing import Database
from tests.integration.conftest import TODAY

HOUR = timedelta(hours=1)


def report(device: str, state: State, hours: int, **more: Any) -> Entry:
    values: dict[str, Any] = {"temperature": Decimal(hours - 5), "battery": Decimal("0.5"), **more}
    return entry(device, state, TODAY + hours * HOUR, **values)


LOG = [
    report("d1", "NORMAL", 0, operator="liz"),
    report("d1", "WARNING1", 1, operator="liz", supervisor="sue"),
    report("d1", "WARNING2", 2, operator="eliza", supervisor="sue"),
    report("d1", "WARNING1", 26, operator="liz", supervisor="sue"),
    report("d10", "WARNING1", 3, supervisor="sue"),
    report("d2", "WARNING1", 4, operator="liz", supervisor="susan"),
    *(report(f"x{n}", "NORMAL", 5 + n) for n in range(10)),
]
PAST = report("d1", "WARNING1", -90 * 24)


@pytest.fixture
def log(dynamodb: Database) -> Store:
    store = dynamodb.store(DeviceLog)
    assert store.put_many(DeviceLog.report_many, [*LOG, PAST]) == 17
    return store


def test_reports_of_a_device_come_newest_first_of_one_state_too(log: Store) -> None:
    assert list(log.each(DeviceLog.of_device, device="d1")) == [LOG[3], LOG[2], LOG[1], LOG[0]]
    warned = {"device": "d1", "state": "WARNING1"}
    assert list(log.each(DeviceLog.in_state, warned)) == [LOG[3], LOG[1]]
    assert list(log.each(DeviceLog.in_state, warned, before=TODAY + 26 * HOUR)) == [LOG[1]]
    assert list(log.each(DeviceLog.in_state, warned, since=TODAY + 2 * HOUR)) == [LOG[3]]
    latest = log.put(DeviceLog.report, report("d1", "NORMAL", 30))
    assert log.first(DeviceLog.of_device, device="d1") == latest


def test_a_report_of_the_same_moment_and_state_takes_the_place_of_the_first(log: Store) -> None:
    assert log.replace(DeviceLog.report, report("d1", "NORMAL", 0, operator="bob")) == LOG[0]
    assert log.replace(DeviceLog.report, report("d1", "WARNING3", 0)) is None
    assert log.count(DeviceLog.of_operator, operator="liz") == 3


def test_reports_of_an_operator_between_two_dates(log: Store) -> None:
    found = log.each(
        DeviceLog.of_operator, operator="liz", since=TODAY + HOUR, until=TODAY + 9 * HOUR
    )
    assert list(found) == [LOG[1], LOG[5]]
    cold = log.each(
        DeviceLog.of_operator,
        operator="liz",
        where=Entry.temperature.between(Decimal(-4), Decimal(0)) | (Entry.battery < Decimal("0.1")),
    )
    assert list(cold) == [LOG[1], LOG[5]]


def test_what_is_escalated_in_one_state_and_on_one_date(log: Store) -> None:
    of_sue = {"supervisor": "sue"}
    assert list(log.each(DeviceLog.escalated, of_sue)) == [LOG[1], LOG[4], LOG[3], LOG[2]]
    first = {**of_sue, "state": "WARNING1"}
    assert list(log.each(DeviceLog.escalated, first)) == [LOG[1], LOG[4], LOG[3]]
    on_day = log.each(DeviceLog.escalated, first, begins_with="2026-11-17")
    assert list(on_day) == [LOG[1], LOG[4]]
    log.update(DeviceLog.change, LOG[4], Entry.supervisor.remove())
    assert list(log.each(DeviceLog.escalated, of_sue)) == [LOG[1], LOG[3], LOG[2]]


@pytest.mark.parametrize("limit", [1, 4, 50])
def test_reports_of_days_are_read_in_order_over_all_shards(log: Store, limit: int) -> None:
    found: list[tuple[str, datetime]] = []
    cursor = None
    while True:
        page = log.query(
            DeviceLog.of_day,
            along=("day", ["2026-11-17", "2026-11-18"]),
            limit=limit,
            cursor=cursor,
            caller="me",
        )
        found += [(one.device, one.at) for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [(one.device, one.at) for one in sorted(LOG, key=lambda one: one.at)]


def test_a_day_is_read_from_one_moment_to_another(log: Store) -> None:
    found = log.each(
        DeviceLog.of_day, day=date(2026, 11, 17), after=TODAY + 3 * HOUR, until=TODAY + 6 * HOUR
    )
    assert [one.device for one in found] == ["d2", "x0", "x1"]


@pytest.mark.parametrize("segments", [1, 4])
def test_everything_that_has_not_expired_is_exported(log: Store, segments: int) -> None:
    found = list(log.scan(DeviceLog.export, segments=segments))
    assert sorted(found, key=lambda one: one.at) == sorted(LOG, key=lambda one: one.at)
    of_d1 = log.scan(DeviceLog.export, where=Entry.device.begins_with("d1"), segments=segments)
    assert {one.device for one in of_d1} == {"d1", "d10"}
    page, following = log.scan_page(DeviceLog.export, segment=0, segments=segments)
    assert following is None
    assert {one.device for one in page} <= {one.device for one in LOG}


SITE = "example.com"


class Clock:
    """A clock that stands still, and is put forward."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> float:
        return self.now.timestamp()


def views(store: Store, site: str, path: str | None = None) -> list[str]:
    asked = {"site": site, "path": path} if path else {"site": site}
    found = store.each(Clickstream.of_path if path else Clickstream.views, asked)
    return [one.view_id for one in found]


def test_views_are_found_whatever_shards_there_were_when_they_came(dynamodb: Database) -> None:
    clock = Clock()
    begun = clock.now
    store = dynamodb.store(Clickstream, now=lambda: clock.now, epochs=EpochCache(clock=clock))
    early = [view(SITE, begun - n * HOUR, "/tea", "FR") for n in range(1, 4)]
    assert store.create_many(Clickstream.record, early) == [True] * 3
    spread(store, SITE, 4)
    clock.now += timedelta(seconds=600)
    late = [view(SITE, begun + timedelta(seconds=500 + n), "/te", "PT") for n in range(8)]
    other = view("example.co", begun, "/tea", "PT")
    expired = view(SITE, begun - timedelta(days=31), "/tea", "FR")
    stored = [*late, other, expired, early[0]]
    assert store.create_many(Clickstream.record, stored) == [True] * 10 + [False]
    partitions = {item["PK"]["S"] for item in dynamodb.items() if "path" in item}
    assert len([one for one in partitions if one.startswith(f"SITE#{SITE}#")]) > 1
    newest = [one.view_id for one in (*reversed(late), *early)]
    assert views(store, SITE) == newest
    assert views(store, SITE, "/tea") == [one.view_id for one in early]
    assert views(store, "example.co") == [other.view_id]
    for one in (*early, *late):
        assert store.get(Clickstream.view, site=SITE, view_id=one.view_id) == one
    assert store.get(Clickstream.view, site="example.co", view_id=late[0].view_id) is None


def _decimals(**counts: int) -> dict[str, Decimal]:
    return {name: Decimal(count) for name, count in counts.items()}


def test_views_are_counted_by_hour_and_country_once_each(dynamodb: Database) -> None:
    dynamodb.table(Clickstream)
    counters = Counters(Clickstream, Clickstream.count, "clickstream", dynamodb.caller)
    day = datetime(2026, 11, 17, 9, tzinfo=UTC)
    seen: list[View] = [
        *(view(SITE, day + n * timedelta(minutes=20), "/tea", "FR") for n in range(4)),
        view(SITE, day, "/tea", "PT"),
        view("example.co", day, "/tea", "PT"),
    ]
    assert count(counters, seen[:3]) == 3
    assert count(counters, seen) == 3
    assert count(counters, seen) == 0
    store = dynamodb.store(Clickstream)
    hours = list(store.each(Clickstream.hours, site=SITE))
    assert hours == [
        Hour(site=SITE, hour="2026-11-17-09", views=Decimal(4), countries=_decimals(FR=3, PT=1)),
        Hour(site=SITE, hour="2026-11-17-10", views=Decimal(1), countries=_decimals(FR=1)),
    ]
    later = store.each(Clickstream.hours, site=SITE, since="2026-11-17-10")
    assert [one.views for one in later] == [1]


def test_a_view_s_moment_is_that_of_its_id() -> None:
    one = view(SITE, TODAY + timedelta(microseconds=1999), "/tea", "FR")
    assert milliseconds(one.at) == int(one.view_id.replace("-", "")[:12], 16)
