"""What is advised beside capacity, and what is not said at all."""

import tomllib
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tablewright.costs.price_lists import US_EAST_1
from tablewright.recommendations import (
    AlarmUsage,
    Confidence,
    Kind,
    LogGroupUsage,
    Recommendation,
    Rules,
    ShardUsage,
    Size,
    StageUsage,
    TableUsage,
    recommendations,
    setting_lines,
)
from tests.unit.recommendations.months import GB, HOURS, daily, index, stage, table, units

ON_DEMAND = Rules(commitment_years=0)
MAY = Size(day="2026-06-02", stored_bytes=100 * GB)


def advised(usage: StageUsage, rules: Rules = ON_DEMAND) -> list[Recommendation]:
    return recommendations(usage, US_EAST_1, rules)


def one_of(kind: Kind, usage: StageUsage) -> Recommendation:
    (found,) = (one for one in advised(usage) if one.kind is kind)
    return found


def logs(**more: Any) -> LogGroupUsage:
    usual = {"name": "api", "stored_bytes": 1000 * GB, "ingested_bytes": 28 * GB}
    return LogGroupUsage(**{**usual, "retention_days": None, **more})


def sharded(count: int, peak: int, **more: Any) -> TableUsage:
    shards = ShardUsage(setting="SHARDS", count=count, queries=more.pop("queries", 0))
    shards = replace(shards, busiest=more.pop("busiest", None))
    rates = daily(peak, *(0,) * 23)
    return table(reads=units(daily(0)), writes=units(rates, **more), shards=shards)


def test_an_empty_stage_gives_nothing() -> None:
    assert advised(stage()) == []
    assert advised(stage(hours=0)) == []


def test_a_table_that_is_new_is_waited_for() -> None:
    six_days = 6 * 24
    rates = daily(100)
    young = table(reads=units(rates[:six_days]), writes=units(rates[:six_days]))
    assert advised(stage(young)) == []
    (older,) = advised(stage(table(reads=units(rates[:192]), writes=units(rates[:192]))))
    assert older.confidence is Confidence.LOW
    assert not older.safe


def test_requests_that_were_turned_away_make_capacity_uncertain() -> None:
    found = one_of(
        Kind.CAPACITY, stage(table(reads=units(daily(100)), writes=units(daily(100), throttled=7)))
    )
    assert found.confidence is Confidence.LOW
    assert "7 requests were turned away" in found.basis


def test_a_table_that_grows_and_expires_nothing_should() -> None:
    grown = table(stored_bytes=128 * GB, sizes=(MAY,))
    found = one_of(Kind.EXPIRY, stage(grown))
    # A gigabyte a day for 28 days; six months of growth in the mean of the year.
    assert found.saving == Decimal("45.62")
    assert "grows by 30.42 GB a month" in found.reason
    assert "No item expires" in found.reason
    assert "none did" in one_of(Kind.EXPIRY, stage(replace(grown, expires=True))).reason


@pytest.mark.parametrize(
    "other",
    [{"expired_items": 1}, {"sizes": ()}, {"stored_bytes": 100 * GB}],
    ids=["it expires", "nothing to compare with", "it does not grow"],
)
def test_other_tables_need_no_expiry(other: dict[str, Any]) -> None:
    usual = {"stored_bytes": 128 * GB, "sizes": (MAY,)}
    found = advised(stage(table(**{**usual, **other})))
    assert Kind.EXPIRY not in [one.kind for one in found]


@pytest.mark.parametrize(
    ("one", "count"),
    [
        # 800 of the 1000 units of a partition at most.
        (sharded(2, 1700), "3"),
        (sharded(4, 1600, busiest=Decimal("0.75")), "6"),
        (sharded(4, 100, throttled=3), "8"),
    ],
    ids=["too much", "uneven", "turned away"],
)
def test_a_hot_shard_asks_for_more(one: TableUsage, count: str) -> None:
    found = one_of(Kind.MORE_SHARDS, stage(one))
    assert (found.changes[0].setting, found.changes[0].value) == ("SHARDS", count)
    assert found.saving == 0


def test_shards_that_are_not_needed_cost_each_list_a_quarter_of_a_unit() -> None:
    found = one_of(Kind.FEWER_SHARDS, stage(sharded(10, 100, queries=10**8)))
    assert found.changes[0].words.startswith("1 shards, once nothing is in the others")
    # Settings raise shards, and deployments refuse to lower them.
    assert found.changes[0].setting is None
    # Nine of ten of them, for 672 of 730 hours.
    assert found.saving == Decimal("3.06")


def test_shards_that_fit_stay() -> None:
    assert advised(stage(sharded(2, 1600, queries=10**9))) == []


def test_logs_that_are_kept_for_good_are_kept_for_a_year() -> None:
    found = one_of(Kind.LOGS, stage(logs=(logs(),)))
    assert found.saving == (1000 - 365) * Decimal("0.03")
    assert (found.changes[0].setting, found.changes[0].value) == ("log_days", "365")
    # What is deleted does not come back.
    assert not found.safe


def test_logs_that_are_kept_for_a_year_or_have_not_been_for_so_long_are_left() -> None:
    assert advised(stage(logs=(logs(retention_days=365), logs(stored_bytes=300 * GB)))) == []


def test_alarms_on_what_nobody_uses_are_told_together() -> None:
    idle = [AlarmUsage(name=f"a{n}", metrics=3, rang=0, watches_something=False) for n in range(4)]
    busy = [replace(idle[0], rang=1), replace(idle[0], watches_something=True)]
    found = one_of(Kind.ALARMS, stage(alarms=(*idle, *busy)))
    assert found.saving == Decimal("1.20")
    assert found.reason.startswith("4 of 6 alarms")


def test_nothing_is_said_below_the_least_saving() -> None:
    usage = stage(logs=(logs(),), alarms=())
    saving = one_of(Kind.LOGS, usage).saving
    assert len(advised(usage, replace(ON_DEMAND, minimum_saving=saving))) == 1
    assert advised(usage, replace(ON_DEMAND, minimum_saving=saving + 1)) == []


def test_an_index_that_saves_too_little_stays_and_is_planned_for() -> None:
    usage = stage(
        table(
            reads=units(daily(100)),
            writes=units(daily(100)),
            indexes=(index(writes=units([1] * 24 + [0] * (HOURS - 24))),),
        )
    )
    (capacity,) = advised(usage)
    assert capacity.kind is Kind.CAPACITY


def test_settings_are_those_of_safe_advice_unless_all_are_asked_for() -> None:
    usage = stage(
        *(table(name, reads=units(daily(50)), writes=units(daily(20))) for name in ("a", "b")),
        logs=(logs(),),
    )
    found = advised(usage)
    capacity = '"provisioned:1-144@70/1-58@70"'
    line = f'capacity = {{"a" = {capacity}, "b" = {capacity}}}'
    assert setting_lines(found, safe_only=True) == [line]
    lines = setting_lines(found, safe_only=False)
    assert "log_days = 365" in lines
    assert tomllib.loads("\n".join(lines))["capacity"].keys() == {"a", "b"}


@pytest.mark.parametrize(
    "wrong", [{"minimum_saving": Decimal()}, {"commitment_years": 2}, {"hit_rate": Decimal(2)}]
)
def test_rules_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Rules(**wrong)
