"""An approval is of what the approver has read; readers keep it until the next one."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from lambdas.http.versions import Version
from lambdas.portal.content.calendar import Calendar
from lambdas.portal.content.files import Place
from lambdas.portal.content.lifecycle import DRAFT_FIELDS
from lambdas.portal.content.registry import Registry
from lambdas.portal.contract import TWO_PERSON
from lambdas.portal.users import User
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    Content,
    ContentRegistry,
)
from tablewright.testing import Database
from tests.integration.http import Answer
from tests.integration.portal.at_once import at_once
from tests.integration.portal.content.content_world import (
    ADA,
    BEN,
    BUCKET,
    NEW,
    OLA,
    PAM,
    RON,
    World,
    conforms,
    later,
    problem,
)

ONE = "/content/c1"
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


@pytest.mark.parametrize("status", [APPROVED, DEPRECATED, EXPIRED])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_readers_keep_what_was_approved_until_a_change_is_approved(
    world: World, status: str, change: dict[str, Any]
) -> None:
    world.bring(status)
    before, (item,) = world("GET", ONE, user=RON).json, world.items()
    changed = world("PATCH", ONE, {**change, "version": before["version"]})
    assert (changed.json["draft"], changed.json["draft_by"]) == (change, "ada")
    assert conforms(changed, "Content")
    assert world("GET", ONE, user=RON).json == before
    assert world("GET", ONE, user=BEN).json == before
    (after,) = world.items()
    assert {n: v for n, v in after.items() if n not in DRAFT_FIELDS} == item
    assert world.listed(user=RON, status=status) == ["c1"]
    approved = world.move(APPROVED, user=PAM).json
    assert approved["status"] == (APPROVED if "effective_date" not in change else status)
    if "effective_date" not in change:
        assert approved.items() >= change.items()
        assert not {*DRAFT_FIELDS} & approved.keys()


def test_an_edit_by_people_in_the_role_stays_approved(world: World) -> None:
    world.bring(APPROVED)
    for number, user in enumerate((PAM, OLA)):
        edit = {"title": f"Edit {number}", "version": str(number + 2)}
        changed = world("PATCH", ONE, edit, user=user).json
        assert (changed["status"], changed["title"]) == (APPROVED, f"Edit {number}")
        assert changed["approved_by"] == "ola"
        assert world("GET", ONE, user=RON).json == changed


def test_an_author_with_the_role_approves_what_he_owns(world: World) -> None:
    both = {"sub": "pia", "cognito:groups": "[authors approvers]"}
    world.make("c2", user=both)
    assert world.move(APPROVED, "c2", user=both).json["approved_by"] == "pia"


def test_a_second_person_approves_where_the_stage_says_so(world: World) -> None:
    world.review = TWO_PERSON
    world.start()
    both = {"sub": "pia", "cognito:groups": "[authors approvers]"}
    direct = {**NEW, "content_id": "c3", "status": APPROVED}
    problem(world("POST", "/content", direct, user=both), 403)
    world.make("c2", user=both)
    problem(world.move(APPROVED, "c2", user=both), 403)
    assert world.move(APPROVED, "c2", user=PAM).json["approved_by"] == "pam"
    before = world("GET", "/content/c2", user=RON).json
    edit = {"title": "Other", "version": before["version"]}
    drafted = world("PATCH", "/content/c2", edit, user=PAM).json
    assert (drafted["draft"], drafted["title"]) == ({"title": "Other"}, before["title"])
    assert world("GET", "/content/c2", user=RON).json == before
    for user in (PAM, both):
        problem(world.move(APPROVED, "c2", user=user), 403)
    approved = world.move(APPROVED, "c2", user=OLA).json
    assert (approved["title"], approved["approved_by"]) == ("Other", "ola")
    assert world("GET", "/content/c2", user=RON).json["title"] == "Other"


def test_a_draft_is_withdrawn_and_its_version_is_never_used_again(world: World) -> None:
    world.bring(APPROVED)
    shown = world("GET", ONE, user=RON).json
    world("PATCH", ONE, {"title": "First", "version": "2"})
    for user in (RON, BEN):
        problem(world("DELETE", f"{ONE}/draft", user=user, headers={"if-match": '"3"'}), 403)
    for _ in range(2):
        assert world("DELETE", f"{ONE}/draft", headers={"if-match": '"3"'}).status == 200
    assert world("GET", ONE, user=RON).json == shown
    world("PATCH", ONE, {"title": "Second", "version": "4"})
    problem(approve(world, "3"), 412)
    assert approve(world, "5").json["title"] == "Second"


def test_a_new_version_takes_effect_on_its_date(world: World) -> None:
    world.bring(APPROVED)
    before = world("GET", ONE, user=RON).json
    world("PATCH", ONE, {"title": "New", "effective_date": later(days=1), "version": "2"})
    approved = approve(world, "3").json
    assert (approved["title"], approved["due_at"]) == ("Positioning", later(days=1))
    assert approve(world, "3").json == approved
    calendar = Calendar(world.store, world.edge, BUCKET)
    assert calendar.run(world.now).steps == 0
    assert world("GET", ONE, user=RON).json["title"] == before["title"]
    world.wait(days=1)
    assert calendar.run(world.now).steps == 1
    found = world("GET", ONE, user=RON).json
    assert (found["title"], found["status"], found["approved_by"]) == ("New", APPROVED, "pam")


def test_drafts_are_listed_for_those_who_approve_them(world: World) -> None:
    world.make("c2")
    for id in ("c1", "c2"):
        world.move(APPROVED, id)
    world("PATCH", ONE, {"title": "Other", "version": "2"})
    assert world.listed(status=APPROVED, draft="true") == ["c1"]
    problem(world("GET", "/content", user=RON, status=APPROVED, draft="true"), 403)
    problem(world("GET", "/search", user=RON, q="positioning", draft="true"), 403)
    assert world.listed(status=APPROVED, draft="true", user=BEN) == []
    pages = world.pages(10, RON, status=APPROVED)
    assert not any("draft_by" in one for page in pages for one in page["items"])


def test_a_review_date_is_no_part_of_what_was_approved(world: World) -> None:
    world.bring(APPROVED)
    edit = {"review_due_date": later(days=9), "title": "Other", "version": "2"}
    changed = world("PATCH", ONE, edit).json
    assert (changed["status"], changed["due_at"]) == (APPROVED, later(days=9))
    assert changed["draft"] == {"title": "Other"}


def test_what_is_there_already_is_no_change(world: World) -> None:
    world.bring(APPROVED)
    before = world.read()
    same = {"title": before["title"], "review_due_date": later(days=9), "version": "2"}
    assert "draft" not in world("PATCH", ONE, same).json


def test_readers_keep_the_file_until_the_next_one_is_approved(world: World) -> None:
    old = world.upload(b"one")
    assert approve(world, "2").json["status"] == APPROVED
    before = world("GET", ONE, user=RON).json
    world.wait(seconds=1)
    new = world.upload(b"two")
    assert world("GET", ONE, user=RON).json == before
    assert {*world.bucket.objects} == {old, new}
    shown, drafted = (world("GET", f"{ONE}/file", user=PAM, draft=d) for d in ("false", "true"))
    assert old in shown.json["url"]
    assert new in drafted.json["url"]
    assert old in world("GET", f"{ONE}/file", user=RON, draft="true").json["url"]
    assert shown.headers["etag"] != drafted.headers["etag"]
    assert world.uploads.clean(world.now).removed == 0
    problem(approve(world, "3"), 412)
    assert approve(world, "4").json["s3_key"] == new
    Calendar(world.store, world.edge, BUCKET).run(world.now)
    assert {*world.bucket.objects} == {new}


def test_a_withdrawn_file_does_not_come_back(world: World) -> None:
    old = world.upload(b"one")
    approve(world, "2")
    world.wait(seconds=1)
    new = world.upload(b"two")
    assert world("DELETE", f"{ONE}/draft", headers={"if-match": '"4"'}).status == 200
    assert world.tell(new) == ["unwanted"]
    Calendar(world.store, world.edge, BUCKET).run(world.now)
    assert {*world.bucket.objects} == {old}
    assert world("GET", ONE, user=RON).json["s3_key"] == old


def test_a_hard_expiry_leaves_the_draft_and_its_file(world: World) -> None:
    old = world.upload(b"one")
    world("PATCH", ONE, {"expiry_policy": "hard_expire", "version": "2"})
    approve(world, "3")
    world.wait(seconds=1)
    new = world.upload(b"two")
    assert old != new
    expired = world.move(EXPIRED).json
    assert (expired.get("s3_key"), expired["draft"]["s3_key"]) == (None, new)
    Calendar(world.store, world.edge, BUCKET).run(world.now)
    world.uploads.clean(world.now)
    assert {*world.bucket.objects} == {new}
    assert world.move(APPROVED).json["s3_key"] == new


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
    world.move(DRAFT)
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


READ = Version(('"4"',), 412)
ADA_HERSELF = User("ada", frozenset({"authors"}))
APPROVER = User("pam", frozenset({"approvers"}))
ADMIN = User("ola", frozenset({"admins"}))


def outcome(work: Callable[[], Any]) -> str:
    try:
        work()
    except Exception as refused:
        return type(refused).__name__
    return "done"


class Drafted:
    """Approved content (version 2) with a draft (version 4) of another title, and a file on its
    way: what people and functions may do to it at once."""

    def __init__(self, world: World) -> None:
        self.world, self.registry = world, Registry(world.store, world.files)
        world.move(APPROVED)
        world("PATCH", ONE, {"expiry_date": later(hours=1), "version": "2"}, user=OLA)
        world("PATCH", ONE, {"title": "Seen", "version": "3"})
        self.key = world.send()

    def edit(self) -> None:
        body = {"title": "Unseen"}
        self.registry.update_content("c1", body, READ, ADA_HERSELF, self.world.now)

    def approve(self) -> None:
        self.registry.set_status("c1", APPROVED, READ, APPROVER, self.world.now)

    def withdraw(self) -> None:
        self.registry.withdraw_draft("c1", READ, APPROVER, self.world.now)

    def delete(self) -> None:
        self.registry.delete_content("c1", READ, ADMIN, self.world.now)

    def expire(self) -> None:
        after = self.world.now + timedelta(hours=2)
        run = Calendar(self.world.store, self.world.edge, BUCKET).run(after)
        assert not run.failed

    def upload(self) -> None:
        place = Place.of(self.key)
        assert place
        self.world.uploads.settle(place, self.world.now)


WORK = ("edit", "approve", "withdraw", "delete", "expire", "upload")


@pytest.mark.parametrize("pair", combinations(WORK, 2), ids="-".join)
@pytest.mark.parametrize("order", ["at once", "first", "last"])
def test_whatever_happens_at_once_readers_see_only_what_was_approved(
    world: World, pair: tuple[str, str], order: str
) -> None:
    drafted = Drafted(world)
    one, two = (partial(outcome, getattr(drafted, name)) for name in pair)
    if order == "at once":
        outcomes = at_once([one, two])
    else:
        outcomes = [one(), two()] if order == "first" else [two(), one()][::-1]
    done = {name for name, said in zip(pair, outcomes, strict=True) if said == "done"}
    assert set(outcomes) <= {"done", "Stale", "NotFound", "Conflict"}
    found = world.store.get(ContentRegistry.get_content, {"content_id": "c1"})
    if "delete" in done:
        assert found is None
        world.uploads.clean(world.now + timedelta(days=9))
        assert world.bucket.objects == {}
        return
    assert found is not None
    draft = found.draft or {}
    assert found.status == (EXPIRED if "expire" in done and "approve" not in done else found.status)
    assert found.title == ("Seen" if "approve" in done else "Positioning")
    assert found.s3_key is None
    if "upload" in done:
        assert draft["s3_key"] == drafted.key
        assert drafted.key in world.bucket.objects
    if "edit" in done:
        assert draft["title"] == "Unseen"
    if not done & {"edit", "approve", "withdraw"}:
        assert draft["title"] == "Seen"
    assert_indexed(world, found)


def assert_indexed(world: World, found: Content) -> None:
    (item,) = world.items()
    key = f"{found.status}#{found.last_updated}#c1"
    assert item["status#last_updated#content_id"]["S"] == key
    assert world.listed(status=found.status) == ["c1"]


def test_answers_to_people_who_see_no_draft_show_nothing_of_it(world: World) -> None:
    old = world.upload(b"one")
    approve(world, "2")
    assert world.move(DEPRECATED).status == 200
    before = world("GET", ONE, user=RON).json
    world("PATCH", ONE, {"title": "Secret", "version": world.latest()})
    body = {"status": DEPRECATED, "version": before["version"]}
    repeated = world("POST", f"{ONE}/status", body, user=BEN)
    assert (repeated.status, repeated.json) == (200, before)
    assert repeated.headers["etag"] == world("GET", ONE, user=RON).headers["etag"]
    world.wait(seconds=1)
    assert world.upload(b"two") != old
    version = {"version": world.latest()}
    assert world("DELETE", f"{ONE}/draft", version).status == 200
    assert world("GET", ONE, user=RON).json == before


def test_readers_do_not_see_when_a_new_version_takes_effect(world: World) -> None:
    world.bring(APPROVED)
    before = world("GET", ONE, user=RON).json
    world("PATCH", ONE, {"title": "New", "effective_date": later(days=1), "version": "2"})
    assert approve(world, "3").json["due_at"] == later(days=1)
    assert world("GET", ONE, user=RON).json == before


def test_a_file_of_the_same_name_is_whole_after_a_hard_expiry(world: World) -> None:
    world.upload(b"one")
    world("PATCH", ONE, {"expiry_policy": "hard_expire", "version": "2"})
    approve(world, "3")
    world.wait(seconds=1)
    new = world.upload(b"two")
    assert world.move(EXPIRED).status == 200
    assert world.move(APPROVED).json["s3_key"] == new
    found = world("GET", f"{ONE}/file", user=RON)
    assert (found.status, found.json["file_name"]) == (200, "a.pdf")


def test_waiting_content_takes_effect_when_its_date_is_removed(world: World) -> None:
    world("PATCH", ONE, {"effective_date": later(days=1), "version": "1"})
    approve(world, "2")
    edited = world("PATCH", ONE, {"effective_date": None, "version": "3"}, user=PAM)
    assert edited.status == 200
    Calendar(world.store, world.edge, BUCKET).run(world.now)
    assert world("GET", ONE, user=RON).json["status"] == APPROVED
