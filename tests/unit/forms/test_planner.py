"""Shards that a tenant is to have, by what it sends."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.forms.sharding.decision import Decision, TenantLoad, decide
from tablewright.catalog.forms.metrics import DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.model import Epoch, Epochs, InvalidValue, Record
from tablewright.model.fields.time import iso_utc
from tablewright.model.sharding.epochs import MOST_EPOCHS, MOST_SHARDS

NOW = datetime(2025, 6, 1, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=100)


def epochs(*counts: int, last: datetime = LONG_AGO) -> Epochs:
    """Epochs a second apart, the last of which began at a moment."""
    starts = (last - timedelta(seconds=n) for n in reversed(range(len(counts))))
    return Epochs(Epoch(iso_utc(at), count) for at, count in zip(starts, counts, strict=True))


def decided(load: TenantLoad, now: Epochs | None = None, **changes: Any) -> Decision:
    strategy = changes.pop("strategy", "volume")
    return decide(load, now or Epochs(), NOW, ShardRules(**changes), strategy=strategy)


@pytest.mark.parametrize(
    ("volume", "wanted"), [(0, 1), (1_000, 1), (1_001, 4), (10_000, 4), (10_001, 10)]
)
def test_the_published_thresholds_decide_by_volume(volume: int, wanted: int) -> None:
    decision = decided(TenantLoad(volume))
    assert (decision.wanted, decision.strategy) == (wanted, "volume")
    assert f"{volume:,} submissions in 30 days ask for {wanted}" in decision.reason


@pytest.mark.parametrize(
    ("per_second", "wanted"), [(1, 1), (62, 1), (63, 2), (625, 10), (626, 11), (6250, 100)]
)
def test_the_busiest_hour_decides_by_rate(per_second: int, wanted: int) -> None:
    """Eight units a submission, five hundred a second and shard."""
    decision = decided(TenantLoad(peak=per_second * 3600))
    assert (decision.wanted, decision.changes) == (wanted, wanted > 1)
    assert decision.strategy == ("rate" if wanted > 1 else "volume")


def test_the_larger_of_both_rules_is_taken() -> None:
    assert decided(TenantLoad(20_000, 70 * 3600)).strategy == "volume"
    assert decided(TenantLoad(20_000, 70 * 3600)).wanted == 10
    assert decided(TenantLoad(20_000, 900 * 3600)).strategy == "rate"
    assert decided(TenantLoad(20_000, 900 * 3600)).wanted == 15


def test_there_are_never_more_than_a_hundred() -> None:
    decision = decided(TenantLoad(10**9, 10**9))
    assert decision.wanted == MOST_SHARDS
    assert decision.reason.endswith("of which there can be 100")
    assert decided(TenantLoad(10**9, 10**9), most=20).wanted == 20


def test_the_load_is_that_of_all_days_and_of_the_busiest_hour() -> None:
    counts: list[Record] = [{"submission_count": 3}, {"error_count": 1}, {"submission_count": 4}]
    days = [
        DailyMetrics(tenant_id="acme", date=f"2025-06-0{day}", **one)
        for day, one in enumerate(counts, 1)
    ]
    counts = [{"submission_count": 2}, {"submission_count": 5}, {"delivery_count": 9}]
    hours = [
        HourlyMetrics(tenant_id="acme", datetime=f"2025-06-01-{hour}", **one)
        for hour, one in enumerate(counts, 10)
    ]
    assert TenantLoad.of(days, hours) == TenantLoad(7, 5, "2025-06-01-11")
    assert TenantLoad.of([], []) == TenantLoad()


def test_growing_does_not_wait() -> None:
    assert decided(TenantLoad(20_000), epochs(4, last=NOW + timedelta(minutes=5))).wanted == 10


@pytest.mark.parametrize(
    ("volume", "wanted"), [(8_000, 4), (8_001, 10), (801, 4), (800, 1), (0, 1)]
)
def test_shrinking_leaves_room_for_a_quarter_more(volume: int, wanted: int) -> None:
    assert decided(TenantLoad(volume), epochs(10)).wanted == wanted


def test_what_would_soon_grow_again_is_kept_and_said_so() -> None:
    decision = decided(TenantLoad(9_000), epochs(10))
    assert not decision.changes
    assert decision.reason.endswith("too close to what needs 10 to shrink")


@pytest.mark.parametrize(("days", "changes"), [(29, False), (30, True)])
def test_shrinking_waits_a_month_after_the_last_change(days: int, changes: bool) -> None:
    decision = decided(TenantLoad(), epochs(4, last=NOW - timedelta(days=days)))
    assert decision.changes is changes
    assert changes or decision.reason.endswith("the last change stands until 2025-06-02")


def test_what_was_set_by_hand_is_not_shrunk_but_grows() -> None:
    assert not decided(TenantLoad(), epochs(4), strategy="manual").changes
    assert decided(TenantLoad(10_001), epochs(4), strategy="manual").wanted == 10


def test_epochs_are_left_for_growing() -> None:
    """From any count there are fewer steps to a hundred than there are epochs left."""
    nearly = epochs(*(1 + n % 2 for n in range(MOST_EPOCHS - MOST_SHARDS)))
    assert nearly.last == 2
    assert not decided(TenantLoad(), nearly).changes
    assert decided(TenantLoad(1_001), nearly).wanted == 4
    assert decided(TenantLoad(), Epochs(nearly.epochs[:-2])).wanted == 1


@given(
    volume=st.integers(0, 10**7),
    peak=st.integers(0, 10**8),
    last=st.integers(1, MOST_SHARDS),
    days=st.integers(-1, 60),
)
def test_a_decision_is_never_too_few_and_a_change_stands_under_the_same_load(
    volume: int, peak: int, last: int, days: int
) -> None:
    load, rules = TenantLoad(volume, peak), ShardRules()
    now = epochs(last, last=NOW - timedelta(days=days))
    decision = decide(load, now, NOW, rules)
    fresh = decide(load, Epochs(), NOW, rules)
    assert fresh.wanted <= decision.wanted <= MOST_SHARDS
    if decision.changes:
        then = epochs(last, decision.wanted, last=NOW - timedelta(days=31))
        assert not decide(load, then, NOW, rules).changes


def test_rules_are_read_from_settings() -> None:
    assert ShardRules.of({}) == ShardRules()
    rules = ShardRules.of({"thresholds": [[100, 2], [5000, 20]], "units_per_submission": 12})
    assert rules.thresholds == ((5000, 20), (100, 2))
    assert decide(TenantLoad(101), Epochs(), NOW, rules).wanted == 2
    assert ShardRules.of({"units_per_submission": Decimal("1.5")}).units_per_submission == Decimal(
        "1.5"
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"threshold": []}, "threshold is no rule"),
        ({"thresholds": []}, "thresholds must be pairs"),
        ({"thresholds": [[1000, 4], [500, 10]]}, "both rising"),
        ({"thresholds": [[1000, 0]]}, "thresholds must be pairs"),
        ({"thresholds": [[1000, 101]]}, "more than 100 shards"),
        ({"thresholds": "1000"}, "thresholds must be pairs"),
        ({"most": 101}, "most must be a number from 1 to 100"),
        ({"most": True}, "most must be"),
        ({"margin": Decimal("0.5")}, "margin must be"),
        ({"units_per_shard": 1001}, "units_per_shard must be"),
        ({"rest_days": Decimal("1.5")}, "rest_days must be"),
    ],
)
def test_rules_that_make_no_sense_are_refused(settings: Any, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        ShardRules.of(settings)
