"""An approval is of what the approver has read: whatever changes it sends the content back."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lambdas.http.versions import Version
from lambdas.portal.content.files import Place
from lambdas.portal.content.registry import Registry
from lambdas.portal.content.uploads import Uploads
from lambdas.portal.users import User
from tablewright.catalog.portal.content import APPROVED, DEPRECATED, DRAFT, ContentRegistry
from tablewright.testing import Database
from tests.integration.http import Answer
from tests.integration.portal.at_once import at_once
from tests.integration.portal.content.content_world import (
    ADA,
    OLA,
    PAM,
    RON,
    World,
    later,
    problem,
)

ONE = "/content/c1"
APPROVAL = {"approved_by", "approved_at"}
CHANGES: list[dict[str, Any]] = [
    {"title": "Other"},
    {"summary": "Other."},
    {"product_suite": "Data"},
    {"product_concept": "Lake"},
    {"audience_role": "Sales engineer"},
    {"lifecycle_stage": "Evaluate"},
    {"tags": ["other"]},
    {"effective_date": later(days=1)},
    {"expiry_date": later(days=9)},
    {"expiry_policy": "hard_expire"},
]


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(dynamodb, monkeypatch)
    made.make()
    return made


def approve(world: World, version: str, user: dict[str, str] = PAM) -> Answer:
    headers = {"if-match": f'"{version}"'}
    return world("POST", f"{ONE}/status", {"status": APPROVED}, user=user, headers=headers)


@pytest.mark.parametrize("status", [APPROVED, DEPRECATED])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_a_change_of_what_was_approved_makes_it_a_draft(
    world: World, status: str, change: dict[str, Any]
) -> None:
    world.bring(status)
    before = world.read()
    changed = world("PATCH", ONE, {**change, "version": before["version"]})
    assert (changed.status, changed.json["status"]) == (200, DRAFT)
    assert not APPROVAL & changed.json.keys()
    (item,) = world.items()
    assert item["status#last_updated#content_id"]["S"].startswith("Draft#")
    problem(world("GET", ONE, user=RON), 404)


@pytest.mark.parametrize("user", [ADA, PAM, OLA], ids=["owner", "approver", "admin"])
def test_whoever_changes_it_it_is_to_be_approved_anew(world: World, user: dict[str, str]) -> None:
    world.bring(APPROVED)
    changed = world("PATCH", ONE, {"title": "Other", "version": "2"}, user=user)
    assert changed.json["status"] == DRAFT
    again = approve(world, "3")
    assert (again.json["status"], again.json["approved_by"]) == (APPROVED, "pam")


def test_when_it_is_to_be_reviewed_is_no_part_of_what_was_approved(world: World) -> None:
    world.bring(APPROVED)
    changed = world("PATCH", ONE, {"review_due_date": later(days=9), "version": "2"})
    assert (changed.json["status"], changed.json["due_at"]) == (APPROVED, later(days=9))
    assert changed.json.keys() >= APPROVAL


def test_what_is_there_already_is_no_change(world: World) -> None:
    world.bring(APPROVED)
    before = world.read()
    same = {"title": before["title"], "review_due_date": later(days=9), "version": "2"}
    assert world("PATCH", ONE, same).json["status"] == APPROVED


def test_a_file_that_arrives_takes_the_approval_back(world: World) -> None:
    world.upload(b"one")
    assert approve(world, "2").json["status"] == APPROVED
    world.wait(seconds=1)
    key = world.upload(b"two")
    found = world.read()
    assert (found["status"], found["s3_key"]) == (DRAFT, key)
    assert not APPROVAL & found.keys()
    problem(world("GET", f"{ONE}/file", user=RON), 404)


def test_a_file_that_was_replaced_after_it_was_read_cannot_be_approved(world: World) -> None:
    world.upload(b"one")
    read = world("GET", f"{ONE}/file", user=PAM)
    world.wait(seconds=1)
    world.upload(b"two")
    assert read.headers["etag"] in ('"2"', ['"2"'])
    refused = approve(world, "2")
    problem(refused, 412)
    assert refused.json["current"]["version"] == "3"
    assert world.read()["status"] == DRAFT
    assert approve(world, "3").json["status"] == APPROVED


def test_what_was_edited_after_it_was_read_cannot_be_approved(world: World) -> None:
    world("PATCH", ONE, {"title": "Other", "version": "1"})
    problem(approve(world, "1"), 412)
    assert world.read()["status"] == DRAFT


def test_an_approval_names_the_version_that_was_read(world: World) -> None:
    anything = {"if-match": "*"}
    refused = world("POST", f"{ONE}/status", {"status": APPROVED}, user=PAM, headers=anything)
    problem(refused, 428)
    assert world.read()["status"] == DRAFT


def test_a_draft_that_was_public_is_deleted_by_admins_only(world: World) -> None:
    world.bring(APPROVED)
    world("PATCH", ONE, {"title": "Other", "version": "2"})
    for user in (ADA, PAM):
        refused = world("DELETE", ONE, {"version": "3"}, user=user)
        problem(refused, 403)
        assert "admins" in refused.json["detail"]
    assert world("DELETE", ONE, {"version": "3"}, user=OLA).status == 204


@pytest.mark.parametrize("start", [DRAFT, DEPRECATED])
def test_content_that_is_over_cannot_be_approved(world: World, start: str) -> None:
    world("PATCH", ONE, {"expiry_date": later(days=1), "version": "1"})
    world.bring(start)
    before = world.read()
    world.wait(days=1)
    refused = world.move(APPROVED, user=PAM)
    problem(refused, 409)
    assert "expiry_date" in refused.json["detail"]
    assert world.read() == before


def test_an_approver_does_not_reinstate_what_he_owns(world: World) -> None:
    both = {"sub": "pia", "cognito:groups": "[authors approvers]"}
    world.make("c2", user=both)
    world.bring(DEPRECATED, "c2")
    problem(world.move(APPROVED, "c2", user=both), 403)
    assert world.move(APPROVED, "c2", user=PAM).json["approved_by"] == "pam"


READ = Version(('"1"',), 412)
ADA_HERSELF = User("ada", frozenset({"authors"}))
APPROVER = User("pam", frozenset({"approvers"}))


def outcome(work: Callable[[], Any]) -> str:
    try:
        work()
    except Exception as refused:
        return type(refused).__name__
    return "done"


@pytest.mark.parametrize("round", range(5))
def test_an_edit_and_an_approval_at_once_never_leave_an_edit_approved(
    world: World, round: int
) -> None:
    registry = Registry(world.store, world.files)
    approving = partial(registry.move, "c1", APPROVED, READ, APPROVER, world.now)
    editing = partial(registry.change, "c1", {"title": "Unread"}, READ, ADA_HERSELF, world.now)
    done = at_once([partial(outcome, approving), partial(outcome, editing)])
    assert sorted(done) == ["Stale", "done"]
    found = world.read()
    assert (found["title"], found["status"]) in [("Positioning", APPROVED), ("Unread", DRAFT)]


@pytest.mark.parametrize("round", range(5))
def test_a_file_that_arrives_during_an_approval_is_never_approved_with_it(
    world: World, round: int
) -> None:
    key = world.send()
    place = Place.of(key)
    assert place
    registry, uploads = Registry(world.store, world.files), Uploads(world.store, world.files)
    approving = partial(registry.move, "c1", APPROVED, READ, APPROVER, world.now)
    at_once([partial(outcome, approving), partial(uploads.settle, place, world.now)])
    found = world.store.get(ContentRegistry.get_content, {"content_id": "c1"})
    assert found
    assert (found["s3_key"], found["status"]) == (key, DRAFT)
    assert not APPROVAL & found.keys()
