"""Epochs: to which shard an id belongs, and which shards a range of time can be in."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model import Epoch, EpochList, Epochs, EpochShards, InvalidValue
from tablewright.model.fields.time import iso_utc
from tablewright.model.sharding.epochs import UNDIVIDED, read_epochs
from tablewright.model.time_ids import made_at, milliseconds, moment_of
from tablewright.runtime.ids import uuid7

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
LATEST = milliseconds(BEGIN + timedelta(days=400))
SHARDS = EpochShards(by="id", whose="tenant", dated="at")

days = st.integers(0, 365).map(lambda n: BEGIN + timedelta(days=n))
histories = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 60)), max_size=6)


def epochs_of(history: list[tuple[int, int]]) -> Epochs:
    """One epoch after the other, each so many days after the last."""
    found, day = [], BEGIN
    for count, gap in history:
        day += timedelta(days=gap)
        found.append(Epoch(iso_utc(day), count))
    return Epochs(found)


class Known:
    """Epochs that everybody has."""

    def __init__(self, epochs: Epochs) -> None:
        self.epochs = epochs

    def latest(self) -> int:
        return LATEST

    def known(self, whose: str, upto: int) -> Epochs:
        return self.epochs


def shard(id: str, epochs: Epochs) -> str:
    return SHARDS.place({"id": id, "tenant": "a", "at": moment_of(id)}, Known(epochs))


@given(histories, days, st.integers(1, 20), st.integers(1, 60))
def test_another_epoch_changes_no_earlier_id(
    history: list[tuple[int, int]], day: datetime, count: int, gap: int
) -> None:
    before, after = epochs_of(history), epochs_of([*history, (count, gap)])
    id = uuid7(day)
    if moment_of(id) < after.epochs[-1].since:
        assert shard(id, before) == shard(id, after)
    assert int(shard(id, after)) < after.count_at(made_at(id))


@given(histories, days, days, days)
def test_a_range_visits_the_shards_of_the_epochs_it_overlaps_and_no_others(
    history: list[tuple[int, int]], one: datetime, two: datetime, made: datetime
) -> None:
    since, until = sorted((one, two))
    epochs = epochs_of(history)
    visited = SHARDS.among({"tenant": "a"}, iso_utc(since), iso_utc(until), Known(epochs))
    overlapping = {
        epochs.count_at(milliseconds(since + timedelta(days=n)))
        for n in range((until - since).days + 1)
    }
    assert visited == [str(number) for number in range(max(overlapping))]
    if since <= made <= until:
        assert shard(uuid7(made), epochs) in visited


def test_a_range_without_ends_visits_what_can_hold_anything_by_now() -> None:
    later = iso_utc(BEGIN + timedelta(days=500))
    epochs = Epochs([Epoch(iso_utc(BEGIN), 10), Epoch(iso_utc(BEGIN + timedelta(1)), 4)])
    known = Known(Epochs([*epochs, Epoch(later, 50)]))
    asked = {"tenant": "a"}
    assert len(SHARDS.among(asked, None, None, known)) == 10
    assert len(SHARDS.among(asked, iso_utc(BEGIN + timedelta(2)), None, known)) == 4
    assert len(SHARDS.among(asked, None, "2024-12-31T00:00:00.000Z", known)) == 1
    assert len(SHARDS.among(asked, later, None, known)) == 4


def test_a_tenant_without_epochs_has_one_shard() -> None:
    assert SHARDS.place({"id": uuid7(BEGIN), "tenant": "a"}, UNDIVIDED) == "0"
    assert SHARDS.among({"tenant": "a"}, None, None, UNDIVIDED) == ["0"]


def test_an_id_of_the_future_has_no_shard_yet() -> None:
    with pytest.raises(InvalidValue, match="id must not have been made in the future"):
        shard(uuid7(BEGIN + timedelta(days=401)), Epochs())


def test_a_date_that_is_not_the_id_s_own_is_refused() -> None:
    texts = {"id": uuid7(BEGIN), "tenant": "a", "at": "2025-01-01T00:00:00.001Z"}
    with pytest.raises(InvalidValue, match=r"at must be the moment of id, 2025-01-01T0"):
        SHARDS.place(texts, UNDIVIDED)


def test_an_epoch_follows_the_last_and_does_not_begin_too_early() -> None:
    epochs = Epochs([Epoch("2025-02-01T00:00:00.000Z", 4)])
    early = "2025-01-15T00:00:00.000Z"
    for since in ("2025-02-01T00:00:00.000Z", "2025-01-20T00:00:00.000Z"):
        with pytest.raises(ValueError, match="must begin after the one before it"):
            epochs.followed_by(Epoch(since, 10), earliest=early)
    with pytest.raises(ValueError, match="cannot begin before 2025-03-01"):
        epochs.followed_by(
            Epoch("2025-02-02T00:00:00.000Z", 10), earliest="2025-03-01T00:00:00.000Z"
        )
    for count in (0, 101):
        with pytest.raises(ValueError, match="1 to 100 shards"):
            epochs.followed_by(Epoch("2025-02-02T00:00:00.000Z", count), earliest=early)


@given(histories)
def test_epochs_are_stored_and_read_back(history: list[tuple[int, int]]) -> None:
    epochs = epochs_of(history)
    field = EpochList("epochs")
    stored = field.check(epochs)
    assert read_epochs(stored) == epochs
    assert field.check(stored) == stored


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("4", "must be a list of epochs"),
        ([{"from": "2025-02-01T00:00:00.000Z"}], "a 'from' and a 'count'"),
        ([{"from": "2025-02-01", "count": 4}], "has an epoch whose from must be a UTC time"),
        ([{"from": "2025-02-01T00:00:00.000Z", "count": Decimal("1.5")}], "a whole number"),
        ([{"from": "2025-02-01T00:00:00.000Z", "count": True}], "must be a number"),
        ([{"from": "2025-02-01T00:00:00.000Z", "count": Decimal("1E+999")}], "a whole number"),
        ([{"from": "2025-02-01T00:00:00.000Z", "count": 0}], "1 to 100 shards"),
        ([{"from": "2025-02-01T00:00:00.000Z", "count": 4}] * 2, "must begin after the one before"),
    ],
)
def test_a_list_that_is_no_history_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        EpochList("epochs").check(value)
