"""Items that were stored and never analysed are asked for again, and nothing else is."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from threading import Barrier, Lock
from typing import Any

import pytest

from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.sentiment_model import MODEL_VERSION, Model
from tablewright.catalog.news.design import PARKED, News, NewsItem
from tablewright.catalog.sentiment.items import ANALYZED
from tablewright.model.capacity import read_floor
from tablewright.model.sizes import item_bytes
from tablewright.runtime.errors import AccessDenied, StoreError, Throttled, Unavailable
from tablewright.runtime.healing.healing import Healed
from tablewright.runtime.meter import Meter
from tablewright.testing import survives_every_fault
from tests.integration.healing.conftest import NOW, World, news

HOUR = timedelta(hours=1)
LIMIT = 256 * 1024
NEWS = "financial-news"


class Failing:
    """Passes calls on, but for those of an operation that have one of the given numbers."""

    def __init__(
        self, world: World, calls: dict[str, set[int]], error: StoreError | None = None
    ) -> None:
        self._world = world
        self._calls = calls
        self._error = error or Unavailable("injected")
        self._lock = Lock()
        self._made: Counter[str] = Counter()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self._made[operation] += 1
            number = self._made[operation]
        if number in self._calls.get(operation, ()):
            raise self._error
        return self._world.call(operation, params)


def ids(*numbers: int) -> list[str]:
    return [f"tiingo:{number:06}" for number in numbers]


def analysed(number: int, **changes: Any) -> NewsItem:
    return news(number, status=ANALYZED, sentiment="neutral", score=Decimal("0.5"), **changes)


def test_what_waits_for_an_hour_is_asked_for_again_oldest_first(world: World) -> None:
    world.put(*(news(n) for n in (3, 1, 2)), analysed(4), news(5, age=timedelta(minutes=59)))
    assert world.heal() == Healed(found=3, republished=3, failed=0, parked=0)
    assert world.inbox.ids == ids(1, 2, 3)
    assert world.inbox.messages[0] == {
        "source_id": "tiingo:000001",
        "source_type": "tiingo",
        "text_for_analysis": "Company 1 reports earnings.",
        "model_version": MODEL_VERSION,
        "matched_tickers": ["XYZ"],
        "timestamp": "2099-03-04T10:00:01Z",
    }


def test_the_threshold_is_exact(world: World) -> None:
    world.put(news(0, age=HOUR), news(1, age=HOUR, timestamp="2099-03-04T10:59:59Z"))
    assert world.heal(NOW).republished == 1
    assert world.inbox.ids == ids(1)
    assert world.heal(NOW + timedelta(milliseconds=1)).republished == 1
    assert world.inbox.ids == ids(1, 0)


def test_an_item_that_was_analysed_meanwhile_is_left_alone(world: World) -> None:
    """Between the look at the index and the publishing."""
    world.put(news(1), news(2))

    class Meanwhile:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and "tiingo:000001" in str(params["Key"]):
                world.put(analysed(1))
            return world.call(operation, params)

    assert world.heal(caller=Meanwhile()).republished == 1
    assert world.inbox.ids == ids(2)
    assert "heal_attempts" not in world.items()["tiingo:000001"]


def test_a_hundred_a_run_whatever_lies_between(world: World) -> None:
    world.put(*(analysed(n) if n % 2 else news(n) for n in range(500)))
    assert [world.heal().republished for _ in range(4)] == [100, 100, 50, 0]
    assert world.inbox.ids == ids(*range(0, 500, 2))


def test_thousands_are_healed_over_runs_and_none_is_missed(world: World) -> None:
    world.put(*(news(n) for n in range(2_000)))
    runs = [world.heal(batch=1000).republished for _ in range(3)]
    assert runs == [1000, 1000, 0]
    assert sorted(world.inbox.ids) == ids(*range(2_000))


def test_a_run_costs_what_its_keys_and_items_weigh(world: World) -> None:
    world.put(*(news(n) for n in range(3_000)))
    meter = Meter(world)
    world.heal(caller=meter)
    design, entity = News.__design__, NewsItem.__entity__
    stored = design.attributes(entity, news(0))
    key = design.projected(entity, stored, design.indexes["by_status"])
    assert key is not None
    keys, items = [item_bytes(key)] * 100, [item_bytes(stored)] * 100
    assert meter.read_units == read_floor(keys) + sum(read_floor([size]) for size in items)
    assert (int(meter.read_units), int(meter.write_units)) == (51, 200)


def test_an_item_is_asked_for_again_only_after_a_pause_that_grows(world: World) -> None:
    world.put(news(1))
    asked = [hour for hour in range(40) if world.heal(NOW + hour * HOUR).republished]
    assert asked == [0, 1, 3, 7, 15]


def test_what_is_never_done_is_parked(world: World) -> None:
    world.put(news(1))
    outcomes = [world.heal(NOW + hour * HOUR) for hour in range(40)]
    assert sum(one.republished for one in outcomes) == 5
    assert [hour for hour, one in enumerate(outcomes) if one.parked] == [31]
    item = world.items()["tiingo:000001"]
    assert (item.status, item.heal_attempts) == (PARKED, Decimal(5))
    assert item.parked_at == "2099-03-05T19:00:00.000Z"


def test_what_is_parked_takes_no_place_of_what_is_asked_for(world: World) -> None:
    world.put(*(news(n, heal_attempts=5) for n in range(100)), *(news(n) for n in range(100, 300)))
    assert world.heal() == Healed(found=200, republished=100, failed=0, parked=100)
    assert world.heal() == Healed(found=100, republished=100, failed=0, parked=0)


def test_two_runs_at_once_do_not_both_ask(world: World) -> None:
    world.put(*(news(n) for n in range(100)))
    together = Barrier(4)

    def run(_: int) -> Healed:
        together.wait()
        return world.heal()

    with ThreadPoolExecutor(4) as runs:
        outcomes = list(runs.map(run, range(4)))
    assert sorted(world.inbox.ids) == ids(*range(100))
    assert sum(one.republished for one in outcomes) == 100


def test_what_is_not_taken_is_no_attempt_and_is_asked_for_after_its_pause(world: World) -> None:
    world.put(*(news(n) for n in range(25)))
    world.inbox.refuses = set(ids(3, 17))
    assert world.heal()[:4] == (25, 23, 2, 0)
    assert {id for id, one in world.items().items() if "heal_attempts" not in one} == set(
        ids(3, 17)
    )
    world.inbox.refuses = set()
    assert world.heal(NOW + timedelta(minutes=59)).found == 0
    analyse(world)
    assert world.heal(NOW + HOUR) == Healed(found=2, republished=2, failed=0, parked=0)
    assert sorted(world.inbox.ids) == ids(*range(25))


def test_a_publish_that_fails_stops_no_other(world: World) -> None:
    world.put(*(news(n) for n in range(100)))
    failing = Failing(world, {"PublishBatch": {3}})
    healed = world.heal(caller=failing)
    assert healed == Healed(100, 90, 10, 0, reasons=("injected",))
    untouched = {id for id, one in world.items().items() if "heal_attempts" not in one}
    assert untouched == set(ids(*range(20, 30)))
    analyse(world)
    assert world.heal(NOW + HOUR).republished == 10
    assert sorted(world.inbox.ids) == ids(*range(100))


def test_a_claim_that_fails_stops_no_other(world: World) -> None:
    world.put(*(news(n) for n in range(20)))
    healed = world.heal(caller=Failing(world, {"UpdateItem": {5}}))
    assert (healed.republished, healed.failed, healed.reasons) == (19, 1, ("injected",))
    assert world.heal().republished == 1
    assert sorted(world.inbox.ids) == ids(*range(20))


@pytest.mark.parametrize("error", [Unavailable("gone"), Throttled("slower"), AccessDenied("no")])
def test_a_topic_that_is_down_for_two_days_parks_nothing(world: World, error: StoreError) -> None:
    # More than one message has room for.
    world.put(*(news(n) for n in range(12)))
    down = Failing(world, {"PublishBatch": set(range(10_000))}, error)
    runs = [world.heal(NOW + hour * HOUR, caller=down) for hour in range(48)]
    assert {(run.found, run.republished, run.failed, run.parked) for run in runs} == {
        (12, 0, 12, 0)
    }
    assert world.heal(NOW + 48 * HOUR).republished == 12
    assert sorted(world.inbox.ids) == ids(*range(12))


def test_a_request_that_is_too_large_is_parked_and_stops_no_other(world: World) -> None:
    world.put(*(news(n) for n in range(100)))
    healed = world.heal(weight=lambda item: LIMIT if item.source_id == ids(0)[0] else 0)
    assert (healed.republished, healed.failed, healed.parked) == (99, 0, 1)
    assert "bytes" in healed.reasons[0]
    assert sorted(world.inbox.ids) == ids(*range(1, 100))
    assert [item.source_id for item in world.parked()] == ids(0)


def test_an_item_without_a_possible_request_is_parked_and_stops_no_other(world: World) -> None:
    world.put(*(news(n) for n in range(3)))
    weights = {ids(0)[0]: 0, ids(2)[0]: 0}
    healed = world.heal(weight=lambda item: weights[item.source_id])
    assert (healed.found, healed.republished, healed.failed, healed.parked) == (3, 2, 0, 1)
    (id,) = ids(1)
    assert healed.reasons == (f"no request can be made of {id}: KeyError('{id}')",)
    assert sorted(world.inbox.ids) == ids(0, 2)
    assert [item.source_id for item in world.parked()] == ids(1)


def test_a_malformed_item_fails_and_stops_no_other(world: World) -> None:
    """Another program stored a source that this one does not know."""
    world.put(*(news(n) for n in range(3)))
    world.database.client().update_item(
        TableName=NEWS,
        Key={"source_id": {"S": ids(1)[0]}},
        UpdateExpression="SET source_type = :other",
        ExpressionAttributeValues={":other": {"S": "other"}},
    )
    healed = world.heal()
    assert (healed.found, healed.republished, healed.failed, healed.parked) == (3, 2, 1, 0)
    (reason,) = healed.reasons
    assert ids(1)[0] in reason
    assert "source_type" in reason
    assert sorted(world.inbox.ids) == ids(0, 2)


def test_keys_that_the_table_leaves_unprocessed_are_read_after_all(world: World) -> None:
    world.put(*(news(n) for n in range(30)))

    class Sparing:
        """Answers a third of what a batch asks for, until little is left."""

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation != "BatchGetItem" or len(params["RequestItems"][NEWS]["Keys"]) < 5:
                return world.call(operation, params)
            asked = params["RequestItems"][NEWS]
            some = len(asked["Keys"]) // 3
            now, later = asked["Keys"][:some], asked["Keys"][some:]
            answer = world.call(
                operation, {**params, "RequestItems": {NEWS: {**asked, "Keys": now}}}
            )
            return {**answer, "UnprocessedKeys": {NEWS: {**asked, "Keys": later}}}

    assert world.heal(caller=Sparing()).republished == 30
    assert world.inbox.ids == ids(*range(30))


def test_everything_is_analysed_in_the_end_whatever_fails_on_the_way(world: World) -> None:
    """And nothing is asked for twice within its pause."""

    def fresh() -> Any:
        world.inbox.messages.clear()
        world.put(*(news(n) for n in range(4)))
        return world

    def work(caller: Any) -> None:
        world.heal(caller=caller)

    def outcome() -> Any:
        asked = list(world.inbox.ids)
        assert len(asked) == len(set(asked))
        for hour in range(1, 4):
            analyse(world)
            world.heal(NOW + hour * HOUR)
        # Those that were asked for by a run that died are asked for once more, an hour later.
        assert len(world.inbox.ids) == 4
        return {id: item.status for id, item in world.items().items()}

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 7


def analyse(world: World) -> None:
    """Do what the requests so far ask for."""
    analysis = Analysis([world.store()], Model(), now=lambda: NOW)
    for message in world.inbox.messages:
        analysis.carry_out(Request.parse(json.dumps(message)))
