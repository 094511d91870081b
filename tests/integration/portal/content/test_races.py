"""Whoever writes after he has read: of those who come together, one wins, and nothing is lost."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lambdas.http.versions import Version
from lambdas.portal.content.calendar import Calendar
from lambdas.portal.content.files import Place
from lambdas.portal.content.registry import Registry
from lambdas.portal.content.uploads import Uploads
from lambdas.portal.users import User
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    EXPIRED,
    HARD,
    Content,
    ContentRegistry,
)
from tablewright.testing import Database
from tests.integration.portal.at_once import at_once
from tests.integration.portal.content.content_world import BUCKET, NEW, World, later

ADA = User("ada", frozenset({"authors"}))
OLA = User("ola", frozenset({"admins"}))
MANY = 8


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


@pytest.fixture
def registry(world: World) -> Registry:
    return Registry(world.store, world.files)


def outcome(work: Callable[[], Any]) -> str:
    try:
        work()
    except Exception as refused:
        return type(refused).__name__
    return "done"


def outcomes(*work: Callable[[], Any]) -> list[str]:
    return at_once([partial(outcome, one) for one in work])


def version(number: str) -> Version:
    return Version((f'"{number}"',), 412)


def stored(world: World) -> Content | None:
    return world.store.get(ContentRegistry.get_content, content_id="c1")


def test_the_same_content_created_at_once_is_one(world: World, registry: Registry) -> None:
    made = at_once([partial(registry.create_content, NEW, ADA, world.now)] * MANY)
    assert Counter(new for _, new in made) == {True: 1, False: MANY - 1}
    assert len(world.items()) == 1


def test_of_other_contents_with_one_id_one_is_created(world: World, registry: Registry) -> None:
    bodies = [{**NEW, "title": f"Title {number}"} for number in range(MANY)]
    ended = outcomes(*(partial(registry.create_content, body, ADA, world.now) for body in bodies))
    assert Counter(ended) == {"done": 1, "RequestConflict": MANY - 1}
    (winner,) = (body["title"] for body, end in zip(bodies, ended, strict=True) if end == "done")
    assert world.read()["title"] == winner


def test_of_edits_at_once_one_is_made(world: World, registry: Registry) -> None:
    world.make()
    edits = [{"title": f"Title {number}"} for number in range(MANY)]
    work = (
        partial(registry.update_content, "c1", edit, version("1"), ADA, world.now) for edit in edits
    )
    assert Counter(outcomes(*work)) == {"done": 1, "Stale": MANY - 1}
    assert world.read()["version"] == "2"


@pytest.mark.parametrize("round", range(5))
def test_a_deletion_and_an_edit_at_once_are_one_of_the_two(
    world: World, registry: Registry, round: int
) -> None:
    world.make()
    deleted, edited = outcomes(
        partial(registry.delete_content, "c1", version("1"), OLA, world.now),
        partial(registry.update_content, "c1", {"title": "Mine"}, version("1"), ADA, world.now),
    )
    found = stored(world)
    if found is None:
        assert (deleted, edited) == ("done", "NotFound")
    else:
        assert (deleted, edited, found["title"]) == ("Stale", "done", "Mine")


@pytest.mark.parametrize("round", range(5))
def test_a_deletion_and_a_file_that_arrives_leave_both_or_neither(
    world: World, registry: Registry, round: int
) -> None:
    world.make()
    place = Place.of(world.send())
    assert place
    world.wait(seconds=1)
    uploads = Uploads(world.store, world.files)
    outcomes(
        partial(registry.delete_content, "c1", version("1"), OLA, world.now),
        partial(uploads.settle, place, world.now),
    )
    found = stored(world)
    assert set(world.bucket.objects) == ({found["s3_key"]} if found else set())


@pytest.mark.parametrize("round", range(5))
def test_the_calendar_and_a_step_by_hand_at_once_count_one_after_the_other(
    world: World, registry: Registry, round: int
) -> None:
    world.make(expiry_date=later(days=1), expiry_policy=HARD)
    world.upload()
    world.bring(APPROVED)
    world.wait(days=2)
    before = world.read()["version"]
    calendar = Calendar(world.store, world.edge, BUCKET)
    step = partial(registry.set_status, "c1", DEPRECATED, version(before), OLA, world.now)
    _, by_hand = outcomes(partial(calendar.run, world.now), step)
    calendar.run(world.now)
    found = stored(world)
    assert found
    # Expired in the end; a step that was made before it is counted, one that came after refused.
    steps = {"done": 2, "Stale": 1, "RequestConflict": 1}
    assert found["status"] == EXPIRED
    assert int(found["version"]) == int(before) + steps[by_hand]
    assert not {"s3_key", "removing", "due_at"} & found.keys()
    assert world.bucket.objects == {}
