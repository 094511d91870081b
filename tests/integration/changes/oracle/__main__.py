"""Random changes with fresh seeds for an hour: `make changes-night`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tablewright.testing import Database, DynamoDbLocal
from tests.integration.changes.oracle.scale import complete_through_kills
from tests.integration.changes.oracle.test_live_changes import change
from tests.unit.changes.oracle.changes import random_pair
from tests.unit.changes.oracle.test_random_pairs import examine

# On the engine, then in memory; an engine grows slow with every stream that it has had.
ON_ENGINE, IN_MEMORY = 60, 300


def main(seconds: float, first: int, items: int) -> int:
    """Run until the time is over; gives the number of problems."""
    problems: list[str] = []
    end = time.monotonic() + seconds
    with DynamoDbLocal() as engine:
        complete_through_kills(Database(engine), items=items, kills=20)
    print(f"{items:,} items were completed exactly through 20 kills", flush=True)
    while time.monotonic() < end:
        last = first + ON_ENGINE
        with DynamoDbLocal() as engine, TemporaryDirectory() as folder:
            database = Database(engine)
            for seed in range(first, last):
                for is_copied in (False, True):
                    pair = random_pair(Random(seed), is_additive=not is_copied)
                    place = Path(folder)
                    ending, some = change(database, pair, seed, place, is_copied=is_copied)
                    unfinished = ending.startswith("unfinished")
                    problems += [*some, *([f"seed {seed}: {ending}"] if unfinished else [])]
        wrong, alarms, outcomes = examine(range(first, first + IN_MEMORY))
        problems += wrong
        print(f"seeds {first} to {last} on the engine, to {first + IN_MEMORY} in memory:",
              dict(outcomes), f"{len(alarms)} safe and not compatible", flush=True)  # fmt: skip
        first += IN_MEMORY
        print(*problems, sep="\n", flush=True)
    return len(problems)


if __name__ == "__main__":
    night = float(os.environ.get("SECONDS_TO_RUN", "3600"))
    begin = int(os.environ.get("SEED", time.time_ns() // 10**9))
    sys.exit(bool(main(night, begin, int(os.environ.get("ITEMS", "200000")))))
