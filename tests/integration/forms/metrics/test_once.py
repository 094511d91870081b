"""Counts are exact, however often a change is delivered, by whom, and whoever dies on the way."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tablewright.runtime.aws import Caller
from tablewright.testing import Crash, survives_every_fault
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.metrics.streaming import Json, Stream
from tests.integration.forms.sharding.traffic import NIGHT, Traffic

STREAMED = True

WORKERS = 8
TIMES = 3


@pytest.fixture
def stream(forms: FormTable) -> Stream:
    forms.clock.moment = NIGHT + timedelta(days=1)
    return Stream(forms)


@pytest.fixture
def traffic(forms: FormTable, stream: Stream) -> Traffic:
    """Three tenants around midnight, with deliveries that fail and succeed."""
    sent = Traffic(forms.store())
    outcomes = (("SUCCEEDED",), ("RETRYING", "SUCCEEDED"), ("RETRYING", "FAILED"), ())
    for number, made in enumerate(sent.send(72)):
        sent.deliver(made, *outcomes[number % len(outcomes)])
    return sent


def batches(records: list[Json], size: int) -> list[list[Json]]:
    return [records[start : start + size] for start in range(0, len(records), size)]


def test_a_batch_that_is_repeated_bisected_and_redriven_counts_once(
    stream: Stream, traffic: Traffic
) -> None:
    records = stream.records()
    assert stream.deliver(records) == []
    once = stream.database.items()
    assert stream.counts() == traffic.expected
    for size in (len(records), len(records) // 2, 7, 1):
        for batch in batches(records, size):
            stream.deliver(batch)
    stream.redrive(records)
    assert stream.database.items() == once


def test_the_order_of_batches_does_not_matter(stream: Stream, traffic: Traffic) -> None:
    parts = batches(stream.records(), 5)
    for batch in random.Random(1).sample(parts, len(parts)):
        stream.deliver(batch[::-1])
    assert stream.counts() == traffic.expected


def test_reading_the_stream_again_finds_the_same_events(stream: Stream, traffic: Traffic) -> None:
    stream.deliver()
    once = stream.database.items()
    stream.deliver(stream.records())
    assert stream.database.items() == once


def test_a_fault_at_any_call_and_the_retry_count_everything_once(
    stream: Stream, traffic: Traffic
) -> None:
    parts = batches(stream.records(), 100)

    def fresh() -> Caller:
        stream.forget()
        return stream.dynamo

    def work(caller: Caller) -> None:
        for batch in parts:
            stream.deliver(batch, caller)

    calls = survives_every_fault(work, stream.counts, fresh=fresh)
    assert len(calls) >= 4 * len(parts)
    assert stream.counts() == traffic.expected


def test_eight_workers_that_deliver_everything_three_times_and_die_count_once(
    stream: Stream, traffic: Traffic
) -> None:
    """Each worker gets all records, cut into batches and put in order as no other has them."""
    records = stream.records()
    died: list[int] = []

    def deliver(worker: int) -> None:
        chance = random.Random(worker)
        dynamo = stream.database.caller
        parts = batches(records, 20 + worker)
        for batch in chance.sample(parts, len(parts)):
            for time in range(TIMES):
                dying = Dying(dynamo, at=chance.randrange(5), after=chance.random() < 0.5)
                try:
                    stream.deliver(batch, dying)
                except Crash:
                    died.append(time)
                    stream.deliver(batch, dynamo)

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(deliver, range(WORKERS)))
    assert stream.counts() == traffic.expected
    assert set(died) == set(range(TIMES))


@pytest.mark.parametrize("count", [1, WORKERS])
@pytest.mark.parametrize("after", [False, True])
def test_workers_that_die_at_every_call_in_turn_count_once(
    stream: Stream, traffic: Traffic, after: bool, count: int
) -> None:
    records = stream.records()

    def deliver(worker: int) -> int:
        dynamo = stream.database.caller
        for at in range(1000):
            try:
                stream.deliver(records, Dying(dynamo, at, after=after))
            except Crash:
                continue
            return at
        raise AssertionError("a delivery never ends")

    with ThreadPoolExecutor(count) as workers:
        deaths = list(workers.map(deliver, range(count)))
    assert stream.counts() == traffic.expected
    # One alone looks at the marks of day and hour, and counts the hour when the day is done. Among
    # many, others may have done the counting, but nobody knows without a look at the marks.
    assert min(deaths) >= (3 if count == 1 else 1)


class Dying:
    """The process dies at a call, before or after its effect."""

    def __init__(self, caller: Caller, at: int, *, after: bool) -> None:
        self._caller = caller
        self._left = at
        self._after = after

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self._left -= 1
        if self._left == -1 and not self._after:
            raise Crash
        answer = self._caller.call(operation, params)
        if self._left == -1:
            raise Crash
        return answer
