"""Each role at each step of the lifecycle, through the API."""

from itertools import product

import pytest

from tablewright.catalog.portal.content import APPROVED, DEPRECATED, DRAFT, STATUSES
from tablewright.testing import Database
from tests.integration.portal.content.content_world import (
    ADA,
    BEN,
    OLA,
    PAM,
    RON,
    World,
    claims,
    conforms,
    problem,
)

OWNING_APPROVER = claims("ada", "authors", "approvers")
USERS = {
    "owner": ADA,
    "author": BEN,
    "approver": PAM,
    "owning approver": OWNING_APPROVER,
    "admin": OLA,
    "reader": RON,
}
APPROVING = {"approver", "owning approver", "admin"}


def may_set(start: str, to: str, role: str) -> bool:
    withdraws = to == DRAFT or (start, to) == (APPROVED, DEPRECATED)
    return role in APPROVING or (role == "owner" and withdraws)


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


@pytest.mark.parametrize("start", STATUSES)
def test_any_status_is_set_by_the_roles_that_may(world: World, start: str) -> None:
    for number, (to, role) in enumerate(product(STATUSES, USERS)):
        id = f"c{number}"
        world.make(id)
        world.bring(start, id)
        before = world.read(id)
        answered = world.move(to, id, user=USERS[role])
        if role == "reader":
            problem(answered, 403)
        elif start == DRAFT and role == "author":
            problem(answered, 404)
        elif start == to:
            assert answered.json == before
        elif not may_set(start, to, role):
            problem(answered, 403)
        else:
            assert conforms(answered, "Content")
            assert (answered.json["status"], int(answered.json["version"])) == (
                to,
                int(before["version"]) + 1,
            )
            continue
        assert world.read(id) == before


@pytest.mark.parametrize("status", STATUSES)
def test_content_is_changed_and_deleted_by_the_roles_that_may(world: World, status: str) -> None:
    tends = {"owner", *APPROVING}
    for number, role in enumerate(USERS):
        id = f"c{number}"
        world.make(id)
        world.bring(status, id)
        version = world.read(id)["version"]
        path, user = f"/content/{id}", USERS[role]
        asked = world.ask(content_id=id, user=user)
        changed = world("PATCH", path, {"title": "x", "version": version}, user=user)
        expected = 200 if role in tends else 403
        if role == "author" and status == DRAFT:
            expected = 404
        assert (asked.status, changed.status) == (expected, expected), role
        after = world.read(id)
        assert after["status"] == status
        if status != DRAFT and expected == 200:
            shown = after.get("draft") or after
            assert shown["title"] == "x"
            assert ("draft" in after) == (role == "owner")
        version = world.latest(id)
        gone = world("DELETE", path, {"version": version}, user=user).status
        allowed = role in tends if status == DRAFT else role == "admin"
        refused = 404 if role == "author" and status == DRAFT else 403
        assert gone == (204 if allowed else refused), role
