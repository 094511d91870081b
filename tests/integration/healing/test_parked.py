"""What was asked for in vain waits aside, costs no run anything, and can be released."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.news.design import PARKED, NewsItem
from tablewright.catalog.sentiment.items import ANALYZED, PENDING
from tablewright.model.healing import HEALING_FIELDS
from tablewright.runtime.healing.healing import Healed
from tablewright.runtime.meter import Meter
from tablewright.testing import survives_every_fault
from tests.integration.healing.conftest import NOW, World, news

HOUR = timedelta(hours=1)


def parked(number: int) -> NewsItem:
    return news(number, status=PARKED, heal_attempts=5, parked_at=NOW, heal_run="r", heal_after=NOW)


def test_an_item_goes_all_the_way_and_comes_back(either: World) -> None:
    either.put(news(1))
    runs = [either.heal(NOW + hour * HOUR, attempts=2) for hour in range(5)]
    assert [run.republished for run in runs] == [1, 1, 0, 0, 0]
    assert [run.parked for run in runs] == [0, 0, 0, 1, 0]
    (item,) = either.parked()
    assert (item.source_id, item.heal_attempts) == ("tiingo:000001", Decimal(2))
    assert either.parked().count() == 1

    assert either.parked().release(item)
    released = either.items()["tiingo:000001"]
    assert released.status == PENDING
    assert not released.keys() & set(HEALING_FIELDS)
    assert either.parked().count() == 0
    assert either.heal(NOW + 6 * HOUR).republished == 1
    assert len(either.inbox.ids) == 3


def test_those_that_are_parked_are_listed_oldest_first(either: World) -> None:
    either.put(*(parked(n) for n in (2, 1, 3)), news(4))
    numbers = [int(item.source_id.partition(":")[2]) for item in either.parked()]
    assert numbers == [1, 2, 3]


def test_those_that_are_parked_cost_a_run_nothing(either: World) -> None:
    either.put(*(parked(n) for n in range(500)), news(1000))
    meter = Meter(either)
    assert either.heal(caller=meter).republished == 1
    # One key, one item.
    assert meter.read_units == 1


def test_a_thousand_are_counted_from_the_index_alone(either: World) -> None:
    either.put(*(parked(n) for n in range(1000)))
    meter = Meter(either)
    assert either.parked(meter).count() == 1000
    assert meter.read_units < 15


@pytest.mark.parametrize("status", [PENDING, ANALYZED])
def test_only_what_is_parked_is_released(world: World, status: str) -> None:
    found = {"sentiment": "neutral"} if status == ANALYZED else {"heal_attempts": 2}
    world.put(news(1, status=status, **found))
    before = world.items()
    assert not world.parked().release({"source_id": "tiingo:000001"})
    assert not world.parked().release({"source_id": "tiingo:000002"})
    assert world.items() == before


def test_releasing_ends_the_same_whatever_fails_on_the_way(either: World) -> None:
    def fresh() -> Any:
        either.put(parked(1))
        return either

    def work(caller: Any) -> None:
        assert either.parked(caller).release({"source_id": "tiingo:000001"})

    assert len(survives_every_fault(work, either.items, fresh=fresh)) >= 1


def test_both_variants_heal_alike(either: World) -> None:
    done = news(2, status=ANALYZED, sentiment="neutral")
    either.put(news(1), done, news(3, age=timedelta(minutes=5)))
    assert either.heal() == Healed(found=1, republished=1, failed=0, parked=0)
    assert either.inbox.ids == ["tiingo:000001"]
