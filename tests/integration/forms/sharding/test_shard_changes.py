"""Shards that change under load: several writers, each with what it last read of the epochs."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count
from threading import Event, Lock

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Submission
from tablewright.model.time_ids import milliseconds
from tablewright.runtime.meter import Meter
from tablewright.runtime.sharding.counts import ShardCounts
from tablewright.runtime.sharding.epochs import EpochCache, EpochTiming
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.forms.conftest import ACME, ids, key_of, pages, submission

# Short, so that a test sees several epochs, but for the patience that a busy machine needs.
TIMING = EpochTiming(life=0.5, skew=0.1, patience=2.0)
COUNTS = (4, 10, 4)
WRITERS = 4
STATUS = {**ACME, "status": "PENDING"}
FORM = {**ACME, "form_id": "contact"}


class Load:
    """Writers that write all the time, and what has been stored for certain."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.stop = Event()
        self._numbers = count()
        self._lock = Lock()
        self._stored: list[Submission] = []

    def store(self) -> Store:
        # Each with a cache of its own, as different functions have.
        return self.database.store(Forms, epochs=EpochCache(TIMING))

    def write(self) -> None:
        store = self.store()
        while not self.stop.is_set():
            record = submission(datetime.now(UTC), next(self._numbers))
            store.put(Forms.put_submission, record)
            with self._lock:
                self._stored.append(record)
            time.sleep(0.01)  # leaves some of the machine to those who read

    def stored(self) -> list[Submission]:
        with self._lock:
            return list(self._stored)

    def watch(self) -> int:
        """List all the time; gives how often. What was stored before must be in every list."""
        store = self.store()
        lists = 0
        while not self.stop.is_set():
            for pattern, where in (
                (Forms.submissions, ACME),
                (Forms.submissions_by_status, STATUS),
                (Forms.submissions_by_form, FORM),
            ):
                for descending in (True, False):
                    before = self.stored()
                    found = pages(store, pattern, where, 100, descending=descending)
                    moments = [record["timestamp"] for record in found]
                    assert moments == sorted(moments, reverse=descending)
                    assert len(set(ids(found))) == len(found)
                    assert set(ids(before)) <= set(ids(found))
                    lists += 1
        return lists

    def look_up(self) -> int:
        """Read old and new submissions by their ids all the time, each in one read."""
        store = self.store()
        reads = 0
        while not self.stop.is_set():
            for record in self.stored()[:: max(1, len(self.stored()) // 20)]:
                assert store.get(Forms.get_submission, key_of(record)) == record
                reads += 1
        return reads

    def _wait_for(self, count: int, since: str) -> None:
        """Wait until so many that were made since then are stored."""
        deadline = time.monotonic() + 120
        while sum(one.timestamp >= since for one in self.stored()) < count:
            assert time.monotonic() < deadline, "nobody writes"
            time.sleep(0.05)

    def plan(self) -> list[str]:
        """Change the count again and again, letting each be used by many."""
        counts = ShardCounts(
            self.store(), Forms.get_shards, Forms.begin_shards, Forms.append_shards, timing=TIMING
        )
        self._wait_for(1, since="")
        for number in COUNTS:
            begins = counts.change("acme", number).epochs[-1].since
            # So many that no shard is left out: by chance, one of ten is so once in 10^8 times.
            self._wait_for(20 * number, since=begins)
        return [epoch.since for epoch in counts.of("acme")]


def test_nothing_is_lost_or_doubled_while_shards_change_under_load(dynamodb: Database) -> None:
    dynamodb.table(Forms)
    load = Load(dynamodb)
    with ThreadPoolExecutor(WRITERS + 3) as executor:
        writers = [executor.submit(load.write) for _ in range(WRITERS)]
        watcher, reader = executor.submit(load.watch), executor.submit(load.look_up)
        try:
            starts = load.plan()
        finally:
            load.stop.set()
        for writer in writers:
            writer.result()
        assert watcher.result() > 0
        assert reader.result() > 0

    stored = load.stored()
    items = [item for item in dynamodb.items() if "submission_id" in item]
    assert sorted(item["submission_id"]["S"] for item in items) == sorted(ids(stored))
    # The load lasted through all epochs, and each used its shards.
    used: list[set[str]] = [set() for _ in range(len(COUNTS) + 1)]
    for item in items:
        epoch = sum(start <= item["timestamp"]["S"] for start in starts)
        used[epoch].add(item["PK"]["S"].rsplit("#", 1)[1])
    assert [len(shards) for shards in used] == [1, *COUNTS]

    meter = Meter(dynamodb.caller)
    store = dynamodb.store(Forms, meter, epochs=EpochCache())
    for record in stored:
        assert store.get(Forms.get_submission, key_of(record)) == record
    assert meter.calls == len(stored) + 1
    for pattern, where in (
        (Forms.submissions, ACME),
        (Forms.submissions_by_status, STATUS),
        (Forms.submissions_by_form, FORM),
    ):
        found = pages(store, pattern, where, 33)
        assert sorted(ids(found)) == sorted(ids(stored))
        times = [milliseconds(record["timestamp"]) for record in found]
        assert times == sorted(times, reverse=True)
