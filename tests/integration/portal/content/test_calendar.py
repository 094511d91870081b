"""What dates ask for is done once, however often the calendar runs and wherever it dies."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from lambdas.portal.content.calendar import CalendarRun, Position
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    SOFT,
    Content,
)
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.testing import Database, survives_every_fault
from tests.integration.portal.fan_out.fan_out_world import (
    CONTENT_TABLE,
    NOW,
    OWNER,
    Edge,
    FanOutWorld,
)

LONG_AGO, PAST, FUTURE = (NOW + timedelta(seconds=s) for s in (-86_400, -3600, 1))
FILE: Record = {
    "s3_uri": "s3://files/content/c/1",
    "s3_bucket": "files",
    "s3_key": "content/c/1",
    "file_name": "a.pdf",
    "content_type": "application/pdf",
    "size_bytes": 3,
    "uploaded_at": PAST,
}
WAITING: Record = {"approved_by": "ann", "approved_at": PAST, "effective_date": PAST}
ALL_AT_ONCE: Record = {
    **WAITING,
    **FILE,
    "review_due_date": PAST,
    "expiry_date": NOW,
    "expiry_policy": HARD,
}


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


def run(room: FanOutWorld, caller: Caller | None = None, **settings: Any) -> CalendarRun:
    return room.calendar(caller, **settings).run(NOW)


def differences(before: Content, after: Content) -> Record:
    names = before.keys() | after.keys()
    return {n: after.get(n) for n in names if before.get(n) != after.get(n)}


def test_approved_content_takes_effect_on_its_date(room: FanOutWorld) -> None:
    before = room.write(**WAITING)
    assert run(room) == CalendarRun(looked_at=1, steps=1)
    changed = differences(before, room.read())
    assert changed == {"status": APPROVED, "version": "2", "due_at": None}
    room.subscribe("ada")
    room.publish()
    room.drain()
    assert room.told() == [("ada", "Version 2 was approved.")]


def test_a_draft_that_nobody_approved_does_not(room: FanOutWorld) -> None:
    room.write(effective_date=PAST)
    assert run(room) == CalendarRun()
    assert room.read().status == DRAFT


def test_a_review_that_is_due_is_noted_and_nothing_else(room: FanOutWorld) -> None:
    before = room.write(status=APPROVED, review_due_date=PAST, expiry_date=FUTURE)
    assert run(room) == CalendarRun(looked_at=1, steps=1)
    changed = differences(before, room.read())
    assert changed == {"review_told": iso_utc(PAST), "due_at": iso_utc(FUTURE)}
    assert run(room) == CalendarRun()


def test_another_review_date_is_told_again(room: FanOutWorld) -> None:
    room.write(status=APPROVED, review_due_date=PAST)
    run(room)
    room.change(room.read(), review_due_date=iso_utc(NOW))
    run(room)
    room.publish()
    room.drain()
    assert room.told() == [(OWNER, "Its review was due on 2025-01-26.")] * 2
    assert {one.type for one in room.notifications()} == {"warning"}
    assert {one.created_at for one in room.notifications()} == {iso_utc(PAST), iso_utc(NOW)}


@pytest.mark.parametrize("status", [APPROVED, DEPRECATED])
@pytest.mark.parametrize("policy", [None, SOFT])
def test_soft_expiry_leaves_the_file(room: FanOutWorld, status: str, policy: str | None) -> None:
    room.cloud.objects = {"content/c/1"}
    before = room.write(status=status, expiry_date=NOW, expiry_policy=policy, **FILE)
    assert run(room) == CalendarRun(looked_at=1, steps=1)
    assert differences(before, room.read()) == {"status": EXPIRED, "version": "2", "due_at": None}
    assert room.cloud.objects == {"content/c/1"}


def test_hard_expiry_removes_the_file_and_its_object(room: FanOutWorld) -> None:
    room.cloud.objects = {"content/c/1", "content/c/2"}
    before = room.write(status=APPROVED, expiry_date=PAST, expiry_policy=HARD, **FILE)
    assert run(room) == CalendarRun(looked_at=1, steps=2)
    changed = differences(before, room.read())
    assert changed == {
        **dict.fromkeys(FILE),
        "status": EXPIRED,
        "version": "2",
        "due_at": None,
    }
    assert room.cloud.objects == {"content/c/2"}


def test_what_is_not_due_is_not_read(room: FanOutWorld) -> None:
    for number in range(40):
        room.write(f"later-{number}", status=APPROVED, expiry_date=FUTURE)
    room.write("now", status=APPROVED, expiry_date=NOW)
    read: list[int] = []

    class Counting:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            answer = room.edge.call(operation, params)
            if operation == "Query":
                read.append(len(answer["Items"]))
            return answer

    assert run(room, Counting()) == CalendarRun(looked_at=1, steps=1)
    assert read == [1]


def test_the_owner_is_told_once_of_each(room: FanOutWorld) -> None:
    room.cloud.objects = {"content/c/1"}
    room.write(**ALL_AT_ONCE)
    for _ in range(3):
        run(room)
        room.publish()
        room.drain()
    assert room.told() == [
        (OWNER, "It expired on 2025-01-26."),
        (OWNER, "Its review was due on 2025-01-26."),
    ]
    assert {one.type for one in room.notifications()} == {"warning"}
    assert room.read().version == "3"


def test_every_fault_at_every_call_and_the_next_run_end_the_same(room: FanOutWorld) -> None:
    def fresh() -> Caller:
        room.clear_content()
        room.cloud.objects = {"content/c/1"}
        room.write("a", **ALL_AT_ONCE)
        room.write("b", status=APPROVED, review_due_date=PAST, expiry_date=FUTURE)
        return room.edge

    def work(caller: Caller) -> None:
        if run(room, caller, page=1).failed:
            raise Unavailable("the next run finds them again")

    def outcome() -> Any:
        return room.items(CONTENT_TABLE), room.cloud.objects

    calls = survives_every_fault(work, outcome, fresh=fresh)
    assert len(calls) >= 15
    items, objects = outcome()
    assert [item["status"]["S"] for item in items] == [EXPIRED, APPROVED]
    assert [item["version"]["S"] for item in items] == ["3", "1"]
    assert objects == set()
    assert room.due() == ["b"]


def test_four_runs_at_once_do_everything_once(room: FanOutWorld) -> None:
    for number in range(12):
        key = f"content/c/{number}"
        room.cloud.objects.add(key)
        room.write(f"c{number}", **{**ALL_AT_ONCE, "s3_key": key})
    callers = [Edge(room.database.caller, room.cloud) for _ in range(4)]
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(lambda caller: run(room, caller, page=5), callers))
    assert [one.failed for one in done] == [0] * 4
    assert {room.read(f"c{number}").version for number in range(12)} == {"3"}
    assert {room.read(f"c{number}").status for number in range(12)} == {EXPIRED}
    assert room.due() == []
    assert room.cloud.objects == set()
    room.publish()
    room.drain()
    assert len(room.told()) == 24


class Meanwhile:
    """Somebody is quicker than the first write of the calendar."""

    def __init__(self, room: FanOutWorld, change: Any) -> None:
        self._room = room
        self._change = change

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and self._change:
            change, self._change = self._change, None
            change()
        return self._room.edge.call(operation, params)


def test_an_expiry_that_was_put_off_in_the_meantime_does_not_happen(room: FanOutWorld) -> None:
    room.cloud.objects = {"content/c/1"}
    made = room.write(status=APPROVED, expiry_date=PAST, expiry_policy=HARD, **FILE)
    caller = Meanwhile(room, lambda: room.change(made, expiry_date=iso_utc(FUTURE)))
    assert run(room, caller) == CalendarRun(looked_at=1)
    assert (room.read().status, room.read().s3_key) == (APPROVED, "content/c/1")
    assert room.cloud.objects == {"content/c/1"}
    room.publish()
    room.drain()
    assert room.told() == []


def test_content_that_is_deleted_in_the_meantime_is_let_go(room: FanOutWorld) -> None:
    room.write(status=APPROVED, expiry_date=PAST)
    assert run(room, Meanwhile(room, room.clear_content)) == CalendarRun(looked_at=1)
    assert room.items(CONTENT_TABLE) == []


def test_content_that_was_changed_behind_the_calendar_leaves_what_is_due(room: FanOutWorld) -> None:
    """Whoever read it before its review was told writes that the review is still to be told."""
    before = room.write(status=APPROVED, review_due_date=PAST)
    run(room)
    room.change(before, title="Better")
    assert room.due() == ["c1"]
    assert run(room) == CalendarRun(looked_at=1, steps=1)
    assert room.due() == []
    assert (room.read().version, room.read().title) == ("2", "Better")


def test_runs_that_are_out_of_time_go_on_where_the_last_one_ended(room: FanOutWorld) -> None:
    for number in range(5):
        room.write(f"c{number}", status=APPROVED, expiry_date=PAST)
    after, positions = None, []
    for _ in range(3):
        done = room.calendar(page=2).run(NOW, after=after, in_time=lambda: False)
        after = done.after
        positions.append(after and after.content_id)
    assert positions == ["c1", "c3", None]
    assert room.due() == []


def test_content_that_fails_stands_in_nobodys_way(room: FanOutWorld) -> None:
    for number in range(4):
        key = f"content/c/{number}"
        room.write(f"c{number}", **{**ALL_AT_ONCE, "s3_key": key, "created_at": LONG_AGO})
    failed: list[str] = []

    class Stuck:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "DeleteObject" and params["Key"] == "content/c/0":
                raise Unavailable("injected")
            return room.edge.call(operation, params)

    calendar = room.calendar(
        Stuck(), page=1, failed=lambda content_id, _: failed.append(content_id)
    )
    done = calendar.run(NOW, in_time=lambda: False)
    assert (done.failed, done.after) == (1, Position(iso_utc(PAST), "c0"))
    done = calendar.run(NOW, after=done.after)
    assert (done.looked_at, done.failed) == (3, 0)
    assert failed == ["c0"]
    assert room.due() == ["c0"]
    assert run(room) == CalendarRun(looked_at=1, steps=1)
    assert room.due() == []
