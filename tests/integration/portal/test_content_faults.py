"""Every fault at every call, then the repetition, and the same end."""

from typing import Any

import pytest

from tablewright.designs.content_registry import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
)
from tablewright.runtime.dynamo import Caller
from tablewright.runtime.errors import Unavailable
from tests.faults import survives_every_fault
from tests.integration.conftest import Database
from tests.integration.portal.contents import NEW, OLA, PDF, World, later

ONE = "/content/c1"


@pytest.fixture
def world(database: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(database, monkeypatch)


def sent(world: World, method: str, path: str, body: Any, **more: Any) -> Any:
    """Send a request; one that may be repeated is, by whoever sends it."""
    answer = world(method, path, body, **more)
    if answer.status == 503:
        raise Unavailable("as the caller sees it")
    assert answer.status < 300, answer.text
    return answer.json


def test_creating_editing_moving_and_deleting_end_the_same_whatever_fails(world: World) -> None:
    answers: dict[str, Any] = {}

    def fresh() -> Caller:
        world.empty()
        answers.clear()
        return world.edge

    def step(name: str, method: str, path: str, body: Any) -> None:
        # What was answered is not asked again, as a client would not.
        if name not in answers:
            answers[name] = sent(world, method, path, body, user=OLA)

    def work(edge: Caller) -> None:
        world.start(edge)
        for id in ("c1", "gone"):
            step(f"make {id}", "POST", "/content", {**NEW, "content_id": id})
        step("edit", "PATCH", ONE, {"title": "New", "expiry_date": later(days=9), "version": "1"})
        for version, status in enumerate((APPROVED, DEPRECATED, EXPIRED, DRAFT), 2):
            body = {"status": status, "version": str(version)}
            step(f"move {version}", "POST", f"{ONE}/status", body)
        step("delete", "DELETE", "/content/gone", {"version": "1"})

    def outcome() -> Any:
        (item,) = world.items()
        assert item["version"] == {"S": "6"}
        return item, dict(answers)

    assert survives_every_fault(fresh, work, outcome) >= 20


@pytest.mark.parametrize("policy", [None, HARD])
def test_an_upload_and_its_replacement_end_the_same_whatever_fails(
    world: World, policy: str | None
) -> None:
    """Told of in the order of asking and the other way round, with content that expires at last."""
    keys: list[str] = []
    fields: dict[str, Any] = {"expiry_policy": policy} if policy else {}

    def fresh() -> Caller:
        world.empty()
        world.start()
        world.make(**fields)
        keys[:] = [world.send(b"one", "1.pdf")]
        for name in ("2.pdf", "3.pdf"):
            world.wait(seconds=1)
            keys.append(world.send(name.encode(), name))
        world.bring(APPROVED)
        return world.edge

    def work(edge: Caller) -> None:
        world.start(edge)
        for key in (keys[0], keys[2], keys[1]):
            world.tell(key)
        sent(world, "POST", f"{ONE}/status", {"status": EXPIRED, "version": "4"}, user=OLA)

    def outcome() -> Any:
        (item,) = world.items()
        kept = [] if policy == HARD else [keys[2]]
        assert list(world.bucket.objects) == kept
        assert ("s3_key" in item) == bool(kept)
        assert not kept or item["s3_key"] == {"S": keys[2]}
        assert item["version"] == {"S": "5"}
        own = ("s3_key", "s3_uri")
        return {name: value for name, value in item.items() if name not in own}

    assert survives_every_fault(fresh, work, outcome) >= 14


def test_cleaning_and_deleting_with_files_end_the_same_whatever_fails(world: World) -> None:
    kept: list[str] = []

    def fresh() -> Caller:
        world.empty()
        world.start()
        for id in ("c1", "c2"):
            world.make(id)
        kept[:] = [world.upload()]
        world.send(b"abandoned")
        for body in (b"one", PDF):
            world.send(body, content_id="c2")
        world.bucket.objects |= {kept[0].replace("c1", "c0"): {}}
        return world.edge

    def work(edge: Caller) -> None:
        world.start(edge)
        sent(world, "DELETE", "/content/c2", {"version": "1"})
        world.wait(days=8)
        world.completion.clean(world.now)

    def outcome() -> Any:
        assert list(world.bucket.objects) == kept
        (item,) = world.items()
        return item["content_id"], item["version"]

    assert survives_every_fault(fresh, work, outcome) >= 9
