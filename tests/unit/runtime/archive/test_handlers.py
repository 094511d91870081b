"""An archive's functions as Lambda runs them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright.runtime.archive import resources
from tablewright.runtime.archive.handlers import compact_days, take_items
from tablewright.runtime.archive.objects import DAYS, Objects
from tests.unit.runtime.archive.archive_world import (
    BUCKET,
    DAY,
    PLAN,
    WRITTEN,
    World,
    note,
    removal,
    removals,
)

NEXT_DAY = "2026-02-01"
ALL = {"until": "2099-01-01T00:00:00+00:00"}


class Context:
    invoked_function_arn = "arn:compact"

    def __init__(self, left: int = 900_000) -> None:
        self._left = left

    def get_remaining_time_in_millis(self) -> int:
        return self._left


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    world.cloud.now = lambda: datetime.now(UTC)
    for module in (compact_days, take_items):
        monkeypatch.setattr(module, "plan", lambda: PLAN)
        monkeypatch.setattr(module, "objects", lambda: Objects(world.edge, BUCKET))
    monkeypatch.setattr(compact_days, "client", lambda service: world.edge)
    take_items.handler({"Records": removals(range(3))}, Context())
    other = note(7, at=WRITTEN.replace(month=2, day=1))
    take_items.handler({"Records": [removal(other, 7)]}, Context())
    return world


def test_every_day_of_which_something_came_in_is_compacted(world: World) -> None:
    assert compact_days.handler(ALL, Context()) == {"days": 2, "compacted": 2}
    assert (len(world.items(DAY)), len(world.items(NEXT_DAY))) == (3, 1)
    assert compact_days.handler(ALL, Context()) == {"days": 0, "compacted": 0}


def test_by_the_clock_what_came_in_today_is_left_for_the_night(world: World) -> None:
    assert compact_days.handler({}, Context()) == {"days": 2, "compacted": 2}
    assert world.items(DAY) == []


def test_a_day_that_fails_holds_up_no_other_and_fails_the_run(world: World) -> None:
    broken = f"{DAYS}day={DAY}/symlink.txt"
    line = f"s3://{BUCKET}/files/day={DAY}/{'0' * 40}-gone.parquet\n".encode()
    world.edge.call("PutObject", {"Bucket": BUCKET, "Key": broken, "Body": line})
    with pytest.raises(RuntimeError, match=f"1 days are not compacted, such as {DAY}"):
        compact_days.handler(ALL, Context())
    assert len(world.items(NEXT_DAY)) == 1


def test_a_run_without_time_leaves_the_rest_to_another(world: World) -> None:
    hurried = Context(left=compact_days.RESERVED_MS - 1)
    assert compact_days.handler(ALL, hurried) == {"days": 2, "compacted": 0}
    assert json.loads(world.cloud.invoked.pop()) == ALL


def test_the_functions_are_told_by_their_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCHIVE_PLAN", PLAN.to_json())
    resources.plan.cache_clear()
    told: Any = resources.plan()
    resources.plan.cache_clear()
    assert told == PLAN
