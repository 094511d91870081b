"""Every fault at every call, then the repetition, and the same end."""

from datetime import timedelta
from typing import Any

import pytest

from lambdas.portal.content.files import Place, RequestedFile
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    Content,
    ContentRegistry,
)
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.ids import uuid7
from tablewright.testing import Database, survives_every_fault
from tests.integration.portal.content.content_world import NEW, NOW, OLA, PDF, World, file_of, later

ONE = "/content/c1"
# Uploads in the order in which they were asked for.
KEYS = [Place("c1", uuid7(NOW + timedelta(seconds=n), bytes(10))).key for n in range(3)]


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


def sent(world: World, method: str, path: str, body: Any) -> Any:
    """Send a request; one that may be repeated is, by whoever sends it."""
    answer = world(method, path, body, user=OLA)
    if answer.status == 503:
        raise Unavailable("as the caller sees it")
    assert answer.status < 300, answer.text
    return answer.json


def prepared(world: World, *keys: str, recorded: str | None = None, **fields: Any) -> Caller:
    """A world with one content in it, and these objects, of which one is its file."""
    world.empty()
    world.wait(minutes=1)  # uploads were asked for before
    world.start()
    if fields:
        moment = {"last_updated": NOW, "created_at": NOW}
        content = {**NEW, "tags": [], "owner_user_id": "ola", "version": "4", **moment, **fields}
        asked = RequestedFile(**file_of(), user_id="ola", approved=True)
        for number, key in enumerate(keys):
            world.bucket.objects[key] = {
                "ContentType": asked.content_type,
                "ContentLength": asked.size_bytes,
                "ChecksumSHA256": asked.checksum,
                "Metadata": {"asked": asked.to_text()},
                "LastModified": NOW + timedelta(minutes=number),
            }
        if recorded:
            found = world.files.uploaded(recorded)
            assert found
            content |= found[1]
        world.store.put(ContentRegistry.create_content, Content(**content))
    return world.edge


def stored(world: World) -> tuple[list[Any], list[str]]:
    return world.items(), sorted(world.bucket.objects)


STEPS = {
    "create": ({}, ("POST", "/content", NEW), 1),
    "edit": (
        {"status": APPROVED},
        ("PATCH", ONE, {"title": "New", "expiry_date": later(days=9), "version": "4"}),
        3,
    ),
    "approve": (
        {"status": DRAFT},
        ("POST", f"{ONE}/status", {"status": APPROVED, "version": "4"}),
        3,
    ),
    "approve, to wait": (
        {"status": DRAFT, "effective_date": later(days=1)},
        ("POST", f"{ONE}/status", {"status": APPROVED, "version": "4"}),
        3,
    ),
    "deprecate": (
        {"status": APPROVED, "expiry_date": later(days=9), "due_at": later(days=9)},
        ("POST", f"{ONE}/status", {"status": DEPRECATED, "version": "4"}),
        3,
    ),
    "expire": (
        {"status": APPROVED, "recorded": KEYS[1]},
        ("POST", f"{ONE}/status", {"status": EXPIRED, "version": "4"}),
        3,
    ),
    "expire for good": (
        {"status": DEPRECATED, "expiry_policy": HARD, "recorded": KEYS[1]},
        ("POST", f"{ONE}/status", {"status": EXPIRED, "version": "4"}),
        6,
    ),
    "revise what was withdrawn": (
        {"status": EXPIRED, "expiry_policy": HARD, "recorded": KEYS[1]},
        ("POST", f"{ONE}/status", {"status": DRAFT, "version": "4"}),
        6,
    ),
    "delete": (
        {"status": APPROVED, "recorded": KEYS[1]},
        ("DELETE", ONE, {"version": "4"}),
        5,
    ),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_request_ends_the_same_whatever_fails(world: World, step: str) -> None:
    fields, request, calls = STEPS[step]
    answers: list[Any] = []
    objects = KEYS[:2] if "recorded" in fields else []

    def fresh() -> Caller:
        answers.clear()
        return prepared(world, *objects, **fields)

    def work(edge: Caller) -> None:
        world.start(edge)
        answers.append(sent(world, *request))

    def outcome() -> Any:
        return stored(world), answers[-1]

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= calls
    items, keys = stored(world)
    versions = {"create": ["1"], "delete": []}.get(step, ["5"])
    assert [item["version"]["S"] for item in items] == versions
    assert keys == (objects if step == "expire" else [])


@pytest.mark.parametrize("told", [[0, 1, 2], [2, 1, 0], [1, 2]])
def test_uploads_end_the_same_whatever_fails_and_whatever_their_order(
    world: World, told: list[int]
) -> None:
    def fresh() -> Caller:
        return prepared(world, *KEYS, status=APPROVED)

    def work(edge: Caller) -> None:
        world.start(edge)
        for number in told:
            world.tell(KEYS[number])

    def outcome() -> Any:
        ((item,), keys) = stored(world)
        assert (item["s3_key"]["S"], keys) == (KEYS[2], [KEYS[2]])
        assert item["size_bytes"] == {"N": str(len(PDF))}
        assert item["uploaded_at"]["S"] == later(minutes=2)
        # A write for each file that the content has had, and no other.
        had = {(0, 1, 2): 3, (2, 1, 0): 1, (1, 2): 2}[tuple(told)]
        assert item["version"] == {"S": str(4 + had)}
        return {n: v for n, v in item.items() if "last_updated" not in n}

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 9


def test_cleaning_ends_the_same_whatever_fails(world: World) -> None:
    gone = KEYS[0].replace("c1", "c0")

    def fresh() -> Caller:
        return prepared(world, *KEYS, gone, status=APPROVED, recorded=KEYS[1])

    def work(edge: Caller) -> None:
        world.start(edge)
        world.uploads.clean(NOW + timedelta(days=8))

    assert len(survives_every_fault(work, lambda: stored(world), fresh=fresh)) == 6
    assert stored(world)[1] == [KEYS[1]]
