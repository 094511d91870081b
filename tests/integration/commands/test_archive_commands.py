"""A table and its archive, compared; and what is archived, read and put back."""

import json
from typing import Any

import pytest

from tablewright.commands.items import read_archive, verify_archive
from tablewright.model.archive import INSERTED
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.archive.reader import ArchiveReader
from tablewright.runtime.archive.rows import exact
from tablewright.runtime.store.records import Item
from tablewright.testing import Database
from tests.unit.runtime.archive.archive_world import (
    BUCKET,
    BY_DYNAMODB,
    DAY,
    PLAN,
    Notes,
    World,
    note,
    removals,
)

LIVE, COPY = "notes", "before"
# Far ahead, because the engine deletes what has expired.
LATER = {"ttl": {"N": "4102444800"}}
ARCHIVE = ("--bucket", BUCKET, "--region", "eu-west-1")


class Room:
    """A table whose items expire into an archive, and a copy from before that."""

    def __init__(self, database: Database, world: World) -> None:
        self.database = database
        self.world = world
        database.table(Notes, stream=True)
        database.table(Notes, COPY)
        expiry = {"Enabled": True, "AttributeName": "ttl"}
        database.client().update_time_to_live(TableName=LIVE, TimeToLiveSpecification=expiry)
        self._seen = 0

    def fill(self, number: int) -> list[Item]:
        items = [{**note(n), **LATER} for n in range(number)]
        for table in (LIVE, COPY):
            self.database.write(items, table)
        return items

    def delete(self, *items: Item, by: Any = BY_DYNAMODB) -> None:
        """Delete items, as DynamoDB does when they expire, and archive what the stream says."""
        for item in items:
            key = {name: item[name] for name in PLAN.key}
            self.database.caller.call("DeleteItem", {"TableName": LIVE, "Key": key})
        self.follow(by)

    def follow(self, by: Any = BY_DYNAMODB) -> None:
        records = self.database.changes(LIVE)[self._seen :]
        self._seen += len(records)
        gone = [{**one, "userIdentity": by} for one in records if one["eventName"] == "REMOVE"]
        others = [one for one in records if one["eventName"] != "REMOVE"]
        for batch in (others, gone, gone[len(gone) // 2 :]):
            if batch:
                self.world.take(batch)

    def verify(self, *options: str) -> int:
        return verify_archive.main([*ARCHIVE, "--table", LIVE, *options])

    def read(self, *options: str) -> int:
        return read_archive.main([*ARCHIVE, *options])


@pytest.fixture
def world() -> World:
    return World(most_rows=5)


@pytest.fixture
def room(
    dynamodb: Database, environment: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> Room:
    archive = ArchiveReader(world.edge, BUCKET)
    for command in (read_archive, verify_archive):
        monkeypatch.setattr(command, "open_archive", lambda options: archive)
    return Room(dynamodb, world)


def told(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """What the command said of which items."""
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    return sorted((one["outcome"], one["key"]["PK"]["S"]) for one in lines)


def test_every_item_is_in_the_table_or_in_the_archive_and_the_same(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    items = room.fill(30)
    room.delete(*items[:12])
    assert room.verify("--copy", COPY) == 0, "what came in counts, before it is compacted"
    room.world.compact()
    capsys.readouterr()
    assert room.verify("--copy", COPY) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "12 items in the archive" in said.err
    assert "18 in the table" in said.err
    assert "12 in the archive, and the same" in said.err
    live = {exact(item) for item in room.database.items(LIVE)}
    archived = {exact(item) for item in room.world.items()}
    assert live.isdisjoint(archived)
    assert live | archived == {exact(item) for item in items}


def test_what_people_deleted_is_missing_and_told(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    items = room.fill(3)
    room.delete(items[0])
    room.delete(items[1], by={"type": "AssumedRole", "principalId": "AROA:ada"})
    room.world.compact()
    assert room.verify("--copy", COPY) == 1
    assert told(capsys) == [("missing", "NOTE#n1")]


def test_what_is_in_both_or_not_the_same_is_told(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    items = room.fill(3)
    room.delete(items[0], items[1])
    room.world.compact()
    room.database.write([items[1]], LIVE)
    room.database.write([{**items[0], "reads": {"N": "99"}}], COPY)
    assert room.verify("--copy", COPY) == 1
    assert told(capsys) == [("differs", "NOTE#n0"), ("twice", "NOTE#n1")]
    assert room.verify() == 1
    assert told(capsys) == [("twice", "NOTE#n1")]


def test_an_archive_of_insertions_has_every_item(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    room.world.plan = PLAN._replace(takes=INSERTED)
    items = room.fill(7)
    room.follow()
    room.world.compact()
    assert room.verify("--inserted") == 0
    room.database.write([{**note(9), **LATER}], LIVE)
    room.database.write([{**items[2], "reads": {"N": "99"}}], LIVE)
    capsys.readouterr()
    assert room.verify("--inserted") == 1
    assert told(capsys) == [("differs", "NOTE#n2"), ("missing", "NOTE#n9")]


def test_days_of_the_archive_are_read_as_they_were(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    room.world.take(removals(range(12)))
    room.world.compact()
    assert room.read("--from", DAY, "--to", DAY) == 0
    assert capsys.readouterr().out.splitlines() == [exact(note(n)) for n in range(12)]
    assert room.read("--to", "2026-01-30") == 0
    assert capsys.readouterr().out == ""


def test_what_is_put_back_stays_and_is_not_archived_twice(room: Room) -> None:
    items = room.fill(4)
    room.delete(*items[:2])
    room.world.compact()
    back = ("--from", DAY, "--into", LIVE, "--until", "2099-12-31")
    assert room.read(*back, "--dry-run") == 0
    assert len(room.database.items(LIVE)) == 2
    for _again in range(2):
        assert room.read(*back) == 0
    found = {item["PK"]["S"]: item for item in room.database.items(LIVE)}
    assert found["NOTE#n0"]["ttl"] == {"N": "4102358400"}
    assert found["NOTE#n0"][RESTORED_FROM]["S"].startswith("archive:")
    assert RESTORED_FROM not in found["NOTE#n3"]
    assert room.verify() == 0
    before = room.world.objects()
    room.delete(items[0])
    room.world.compact()
    assert room.world.objects() == before, "it expired as it was put back"
    assert room.verify("--copy", COPY) == 0


def test_options_that_say_nothing_sound_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (("--from", "yesterday"), ("--into", "table"), ("--until", "2026-02-30")):
        with pytest.raises(SystemExit) as ended:
            read_archive.main([*ARCHIVE, *wrong])
        assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "'yesterday' is no day" in said
    assert "go together" in said
