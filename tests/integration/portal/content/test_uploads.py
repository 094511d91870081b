"""Files of content: uploaded as asked for, recorded once they have arrived, and removed."""

import json
from datetime import timedelta
from typing import Any

import pytest

from lambdas.portal.content.files import DOWNLOAD_SECONDS, UPLOAD_SECONDS, Place
from lambdas.portal.content.uploads import ABANDONED
from lambdas.portal.handlers import clean_files, complete_uploads
from tablewright.catalog.portal.content import (
    APPROVED,
    DRAFT,
    EXPIRED,
    HARD,
    MAX_FILE_BYTES,
    SOFT,
    ContentRegistry,
)
from tablewright.testing import Database
from tests.integration.http import Context, Hurried
from tests.integration.portal.content.content_world import (
    OLA,
    PDF,
    RON,
    World,
    conforms,
    file_of,
    later,
    problem,
)

FILE = "/content/c1/file"


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(dynamodb, monkeypatch)
    made.make()
    return made


def test_an_address_is_signed_for_one_file_and_for_minutes(world: World) -> None:
    asked = world.ask()
    assert conforms(asked, "Upload")
    assert asked.json["expires_at"] == later(seconds=UPLOAD_SECONDS)
    assert "no-store" in str(asked.headers["cache-control"])
    (signed,) = world.bucket.signed.values()
    assert signed["Key"] == f"content/c1/{asked.json['upload_id']}"
    assert (signed["ContentType"], signed["ContentLength"]) == ("application/pdf", len(PDF))
    assert signed["ChecksumSHA256"] == asked.json["headers"]["x-amz-checksum-sha256"]
    assert world.bucket.put(asked.json, PDF + b"!", world.now) is None
    assert world.bucket.put(asked.json, PDF[::-1], world.now) is None
    assert world.read()["version"] == "1"


def test_a_file_that_has_arrived_is_recorded_in_one_write(world: World) -> None:
    key = world.send(name="Überblick ✓ 2025.pdf")
    before = world.read()
    world.wait(seconds=20)
    assert world.tell(key) == ["recorded"]
    recorded = world.read()
    changed = {name: value for name, value in recorded.items() if before.get(name) != value}
    assert changed.pop("last_updated")
    assert changed == {
        "version": "2",
        "s3_uri": f"s3://files/{key}",
        "s3_bucket": "files",
        "s3_key": key,
        "file_name": "Überblick ✓ 2025.pdf",
        "content_type": "application/pdf",
        "size_bytes": len(PDF),
        "uploaded_at": later(),
    }
    assert world.tell(key, key) == ["recorded", "recorded"]
    assert world.read() == recorded


def test_a_file_is_downloaded_under_its_name_by_whoever_may_read_it(world: World) -> None:
    problem(world("GET", FILE), 404)
    world.upload(name="Überblick.pdf")
    problem(world("GET", FILE, user=RON), 404)
    world.bring(APPROVED)
    got = world("GET", FILE, user=RON)
    assert conforms(got, "Download")
    assert got.json["expires_at"] == later(seconds=DOWNLOAD_SECONDS)
    assert "no-store" in str(got.headers["cache-control"])
    signed = world.bucket.signed[got.json["url"]]
    assert signed["Key"] == world.read()["s3_key"]
    assert signed["ResponseContentDisposition"].endswith("filename*=UTF-8''%C3%9Cberblick.pdf")


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"file_name": ""}, {"/file_name"}),
        ({"file_name": "a\nb"}, {"/file_name"}),
        ({"file_name": "../a"}, {"/file_name"}),
        ({"file_name": " "}, {"/file_name"}),
        ({"content_type": "pdf"}, {"/content_type"}),
        ({"content_type": "text/html; charset=utf-8"}, {"/content_type"}),
        ({"content_type": "application/pdf\r\nx: y"}, {"/content_type"}),
        ({"size_bytes": 0}, {"/size_bytes"}),
        ({"size_bytes": MAX_FILE_BYTES + 1}, {"/size_bytes"}),
        ({"size_bytes": 1.5}, {"/size_bytes"}),
        ({"size_bytes": "10", "sha256": "0" * 63}, {"/size_bytes", "/sha256"}),
        ({"sha256": "G" * 64}, {"/sha256"}),
        ({"sha256": None, "file_name": None}, {"/sha256", "/file_name"}),
        ({"version": "1"}, {"/version"}),
    ],
)
def test_a_file_that_cannot_be_is_refused(
    world: World, changes: dict[str, Any], wrong: set[str]
) -> None:
    refused = world("POST", FILE, {**file_of(), **changes})
    assert problem(refused, 400).keys() == wrong
    assert world.bucket.signed == {}


def test_of_two_uploads_the_later_one_stays_however_they_arrive(world: World) -> None:
    first = world.send(b"one", "1.pdf")
    world.wait(seconds=1)
    second = world.send(b"two", "2.pdf")
    assert world.tell(second, first) == ["recorded", "unwanted"]
    assert world.read()["file_name"] == "2.pdf"
    assert set(world.bucket.objects) == {second}
    world.wait(seconds=1)
    third = world.upload(b"three", "3.pdf")
    assert world.tell(second) == ["unwanted"]
    assert set(world.bucket.objects) == {third}
    assert (world.read()["s3_key"], world.read()["version"]) == (third, "3")


def test_what_is_not_what_was_asked_for_is_removed(world: World) -> None:
    before = world.read()
    spoiled: list[dict[str, Any]] = [
        {"ContentLength": 5},
        {"ContentType": "text/html"},
        {"ChecksumSHA256": "AAAA"},
        {"ChecksumSHA256": None},
        {"Metadata": {}},
        {"Metadata": {"asked": "e30="}},
        {"Metadata": {"asked": "%"}},
    ]
    for change in spoiled:
        key = world.send()
        world.bucket.objects[key].update(change)
        assert world.tell(key) == ["refused"]
        assert world.bucket.objects == {}
    assert world.read() == before


def test_objects_that_are_no_uploads_are_left_alone(world: World) -> None:
    key = world.send()
    strange = ["exports/2025.csv", "content/c1", "content/c1/x", f"{key}/x", "content//x"]
    for other in strange:
        world.bucket.objects[other] = dict(world.bucket.objects[key])
    assert world.tell(*strange) == ["ignored"] * len(strange)
    world.wait(days=30)
    world.uploads.clean(world.now)
    assert set(world.bucket.objects) == set(strange)


def test_an_object_that_is_no_longer_there_is_none(world: World) -> None:
    key = world.send()
    world.bucket.objects.clear()
    assert world.tell(key) == ["missing"]
    assert world.read()["version"] == "1"


def test_a_key_is_read_as_s3_writes_it(world: World) -> None:
    world.make("c:2@x~y")
    key = world.send(content_id="c:2@x~y")
    assert world.tell(key.replace(":", "%3A").replace("@", "%40")) == ["recorded"]
    assert world.read("c:2@x~y")["s3_key"] == key


def test_an_upload_for_content_that_is_gone_or_withdrawn_is_removed(world: World) -> None:
    key = world.send()
    world("DELETE", "/content/c1", {"version": "1"})
    assert world.bucket.objects == {}
    world.bucket.objects[key] = {}
    assert world.tell(key) == ["unwanted"]
    assert world.bucket.objects == {}
    assert world.items() == []
    # The id is given again; what was asked for before is not meant.
    world.wait(seconds=1)
    world.make(expiry_policy=HARD)
    world.bucket.objects[key] = {}
    assert world.tell(key) == ["unwanted"]
    late = world.send()
    world.bring(EXPIRED)
    assert world.tell(late) == ["unwanted"]
    assert world.bucket.objects == {}


@pytest.mark.parametrize(("policy", "kept"), [(SOFT, True), (None, True), (HARD, False)])
def test_only_hard_expiry_takes_the_file(world: World, policy: str | None, kept: bool) -> None:
    change = {"expiry_policy": policy} if policy else {"title": "Other"}
    world("PATCH", "/content/c1", {**change, "version": "1"})
    key = world.upload()
    world.bring(EXPIRED)
    assert (key in world.bucket.objects) == kept
    for user in (OLA, RON):
        assert world("GET", FILE, user=user).status == (200 if kept else 404)
    assert world.tell(key) == ["recorded" if kept else "unwanted"]
    assert world.move(DRAFT).status == 200
    assert ("s3_key" in world.read()) == kept


def test_a_file_of_waiting_content_waits_for_an_approval_of_its_own(world: World) -> None:
    world("PATCH", "/content/c1", {"effective_date": later(days=1), "version": "1"})
    world.move(APPROVED)
    key = world.upload()
    found = world.read()
    assert (found["due_at"], found["draft"]["s3_key"]) == (later(days=1), key)
    assert "s3_key" not in found


@pytest.mark.parametrize("content_is", ["deleted", "withdrawn for good"])
def test_a_file_that_is_asked_for_after_a_removal_is_not_removed_with_the_rest(
    world: World, content_is: str
) -> None:
    """Somebody uses the id again, or revises the content, before its objects are cleared."""
    world("PATCH", "/content/c1", {"expiry_policy": HARD, "version": "1"})
    world.bring(APPROVED)
    gone = world.upload(b"old")
    world.move(APPROVED)
    world.wait(seconds=1)
    world.start(Interrupted(world, content_is))
    if content_is == "deleted":
        assert world("DELETE", "/content/c1", {"version": "5"}, user=OLA).status == 204
    else:
        assert world.move(EXPIRED).status == 200
    world.start()
    (kept,) = world.bucket.objects
    assert kept != gone
    assert world.read()["s3_key"] == kept


class Interrupted:
    """Somebody else is quicker than the first look at a content's objects after a removal."""

    def __init__(self, world: World, content_is: str) -> None:
        self._world = world
        self._edge = world.edge
        self._makes = content_is == "deleted"
        self._done = False

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "ListObjectsV2" and not self._done:
            self._done = True
            self._world.start(self._edge)
            self._world.wait(seconds=1)
            if self._makes:
                self._world.make()
            else:
                self._world.move(DRAFT)
            self._world.upload(b"new")
            self._world.start(self)
        return self._edge.call(operation, params)


def test_a_change_meanwhile_is_not_lost(world: World) -> None:
    key = world.send()
    edge = world.edge

    class Raced:
        """Somebody edits the content just before its file is recorded, more than once."""

        left = 3

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and self.left:
                self.left -= 1
                key = {"content_id": "c1"}
                now = world.database.store(ContentRegistry).get(ContentRegistry.get_content, key)
                assert now
                version = str(int(now["version"]) + 1)
                changes = {"title": f"Edit {self.left}", "version": version}
                world.database.store(ContentRegistry).update(
                    ContentRegistry.update_content, key, changes
                )
            return edge.call(operation, params)

    world.start(Raced())
    assert world.tell(key) == ["recorded"]
    found = world.read()
    assert (found["title"], found["s3_key"], found["version"]) == ("Edit 0", key, "5")


def test_a_run_cleans_what_is_nobodys_and_keeps_the_rest(world: World) -> None:
    world.make("c2")
    world.make("c3", expiry_policy=HARD)
    world.bucket.page = 2  # so that a listing takes several calls
    kept = {world.upload(), world.upload(content_id="c2")}
    world.wait(seconds=1)
    old = world.send(content_id="c2")  # never told of
    hard = world.upload(content_id="c3")
    # As when the calendar lets it expire: nobody has removed its file yet.
    world.store.update(ContentRegistry.update_content, {"content_id": "c3"}, {"status": EXPIRED})
    gone = f"content/c0/{old.rpartition('/')[2]}"
    world.bucket.objects[gone] = {}
    assert set(world.bucket.objects) == {*kept, old, hard, gone}
    abandoned = world.now + ABANDONED + timedelta(hours=1)
    cleaned = world.uploads.clean(abandoned - timedelta(milliseconds=1))
    assert cleaned == (5, 2, None)
    assert set(world.bucket.objects) == {*kept, old}
    assert world.uploads.clean(abandoned) == (3, 1, None)
    assert set(world.bucket.objects) == kept
    assert world.uploads.clean(world.now + timedelta(days=900)) == (2, 0, None)


def test_nobody_records_what_cleaning_is_about_to_remove(world: World) -> None:
    key, before = world.send(), world.read()
    place = Place.of(key)
    assert place
    asked = world.now
    late = asked + ABANDONED
    assert world.uploads.settle(place, late) == "late"
    assert set(world.bucket.objects) == {key}
    assert world.read() == before
    # Who began before is done within the hour.
    assert world.uploads.settle(place, late - timedelta(milliseconds=1)) == "recorded"
    assert world.uploads.clean(late + timedelta(days=9)) == (1, 0, None)
    assert world.read()["s3_key"] == key


def test_a_run_that_is_out_of_time_is_continued_by_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lambdas.portal.content.uploads._AT_ONCE", 2)
    key = world.upload()
    upload_id = key.rpartition("/")[2]
    world.bucket.objects |= {f"content/a{n}/{upload_id}": {} for n in range(7)}
    called: list[Any] = []

    class Functions:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            called.append((operation, params))
            return {}

    made = clean_files.Resources(world.uploads, Functions)
    monkeypatch.setattr(clean_files, "resources", lambda: made)
    event: dict[str, Any] = {"source": "aws.events"}
    runs = []
    while event:
        runs.append(clean_files.handler(event, Hurried()))
        event = {"after": runs[-1]["after"]} if runs[-1]["after"] else {}
    assert [run["removed"] for run in runs] == [2, 2, 2, 1, 0]
    assert [run["looked_at"] for run in runs] == [2, 2, 2, 2, 0]
    assert set(world.bucket.objects) == {key}
    operation, params = called[0]
    assert (operation, params["InvocationType"]) == ("Invoke", "Event")
    assert params["FunctionName"] == Context.invoked_function_arn
    assert [params["Payload"].decode() for _, params in called] == [
        f'{{"after": "{run["after"]}"}}' for run in runs[:-1]
    ]


def test_a_message_that_fails_does_not_take_the_others_with_it(world: World) -> None:
    key = world.send()
    told = {"Records": [{"s3": {"bucket": {"name": "files"}, "object": {"key": key}}}]}
    # S3 tries the queue with a message that tells of nothing.
    bodies = (json.dumps({"Event": "s3:TestEvent"}), "no JSON", json.dumps(told))
    messages = [{"messageId": str(number), "body": body} for number, body in enumerate(bodies)]
    answer = complete_uploads.handler({"Records": messages}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert world.read()["s3_key"] == key
