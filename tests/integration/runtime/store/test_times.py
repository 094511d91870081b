"""Times as numbers, and moments finer than what is stored, which are refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright.model import (
    Entity,
    EpochTimestamp,
    Expiry,
    Field,
    Get,
    Index,
    InvalidRecord,
    InvalidValue,
    Key,
    Put,
    Query,
    Reversed,
    Table,
    Text,
    Timestamp,
    Update,
    Upsert,
)
from tablewright.model.validation.design import check
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.conftest import TODAY

SECOND = timedelta(seconds=1)


class Visit(Entity, key=Key("USER#{user}", "{at}"), expires=Expiry("until")):
    user: Field[str] = Text()
    at: Field[datetime] = EpochTimestamp(resolution="ms")
    seen: Field[datetime] = Timestamp(resolution="s")
    until: Field[datetime | None] = EpochTimestamp(default=None)


class Visits(Table, pk="PK", sk="at", ttl="until"):
    """Visits, by times that are numbers."""

    by_seen = Index(
        pk="PK", sk=("seen", "at"), keys={Visit: Key("USER#{user}", ("{seen}", "{at}"))}
    )
    put = Put(Visit)
    get = Get(Visit)
    change = Update(Visit)
    touch = Upsert(Visit)
    between = Query(Visit, range=Visit.at)
    by_second = Query(Visit, by_seen, range=Visit.seen)


def visit(number: int, until: datetime | None = None) -> Visit:
    at = TODAY + number * SECOND
    return Visit(user="ann", at=at + timedelta(milliseconds=5), seen=at, until=until)


class Tick(Entity, key=Key("TICK#{name}", "{at}")):
    name: Field[str] = Text()
    at: Field[datetime] = Timestamp()
    backwards = Reversed(at)


class Ticks(Table, pk="PK", sk="SK"):
    """Moments, to the microsecond."""

    by_newest = Index(pk="NPK", sk="NSK", keys={Tick: Key("TICK#{name}", "{backwards}")})
    put = Put(Tick)
    get = Get(Tick)
    ticks = Query(Tick, range=Tick.at)
    newest = Query(Tick, by_newest)


ALL = [visit(number) for number in range(5)]


@pytest.fixture
def visits(dynamodb: Database) -> Store:
    check(Visits)
    store = dynamodb.store(Visits)
    for one in ALL:
        store.put(Visits.put, one)
    return store


def test_a_moment_is_a_number_and_comes_back_as_a_moment(visits: Store, dynamodb: Database) -> None:
    assert visits.get(Visits.get, user="ann", at=ALL[1].at) == ALL[1]
    assert dynamodb.items()[0]["at"] == {"N": str(int(TODAY.timestamp()) * 1000 + 5)}
    found = visits.each(Visits.between, user="ann", after=ALL[1].at, until=ALL[3].at)
    assert list(found) == ALL[2:4]
    assert list(visits.each(Visits.between, user="ann", where=Visit.at > ALL[2].at)) == ALL[3:]


def test_what_is_the_time_to_live_itself_is_written_once(visits: Store, dynamodb: Database) -> None:
    visits.put(Visits.put, visit(7, until=TODAY + SECOND))
    visits.put(Visits.put, visit(8, until=TODAY))
    assert visits.get(Visits.get, user="ann", at=visit(7).at) is not None
    assert visits.get(Visits.get, user="ann", at=visit(8).at) is None
    stored = {one["until"]["N"] for one in dynamodb.items() if "until" in one}
    assert stored == {str(int((TODAY + n * SECOND).timestamp())) for n in range(2)}
    ends = Visit.until.set(TODAY)
    visits.update(Visits.change, visit(1), ends)
    assert visits.get(Visits.get, user="ann", at=visit(1).at) is None
    key = {"user": "ann", "at": visit(9).at}
    made = visits.upsert(Visits.touch, key, Visit.seen.set(TODAY), {"until": TODAY + SECOND})
    assert visits.get(Visits.get, key) == made


@pytest.mark.parametrize("bound", ["since", "after", "until", "before"])
def test_a_bound_finer_than_what_is_stored_is_refused(visits: Store, bound: str) -> None:
    fine: dict[str, Any] = {bound: TODAY + 1.5 * SECOND}
    with pytest.raises(InvalidValue, match=rf'{bound} .*truncate_time\(moment, "s"\)'):
        visits.first(Visits.by_second, {"user": "ann"}, **fine)
    with pytest.raises(InvalidRecord, match="truncate_time"):
        visits.first(Visits.between, user="ann", where=Visit.seen > fine[bound])


def test_every_microsecond_is_a_key_of_its_own(dynamodb: Database) -> None:
    check(Ticks)
    store = dynamodb.store(Ticks)
    moments = [datetime(2026, 1, 31, 12, 0, 0, n, tzinfo=UTC) for n in range(3)]
    for moment in moments:
        store.put(Ticks.put, Tick(name="a", at=moment))
    at_last = [store.get(Ticks.get, name="a", at=moment) for moment in moments]
    assert [one and one.at for one in at_last] == moments
    newest = store.each(Ticks.newest, name="a")
    assert [one.at for one in newest] == moments[::-1]
    since = store.each(Ticks.ticks, name="a", since=moments[1])
    assert [one.at for one in since] == moments[1:]


def test_a_moment_of_another_zone_is_the_same_moment(visits: Store) -> None:
    zone = ALL[1].at.astimezone(UTC).astimezone()
    assert visits.get(Visits.get, user="ann", at=zone) == ALL[1]
