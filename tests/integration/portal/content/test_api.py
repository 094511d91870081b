"""The content API: every route, versions, repetition and refusal."""

from typing import Any

import pytest

from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
)
from tablewright.testing import Database
from tests.integration.portal.content.content_world import (
    ADA,
    BEN,
    NEW,
    OLA,
    PAM,
    RON,
    World,
    claims,
    conforms,
    later,
    problem,
)

ONE = "/content/c1"


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


def test_content_is_stored_read_changed_approved_and_deleted(world: World) -> None:
    full = {
        **NEW,
        "product_suite": "Data",
        "product_concept": "Warehouse",
        "audience_role": "Sales engineer",
        "lifecycle_stage": "Evaluate",
        "tags": ["demo"],
        "review_due_date": later(days=30),
        "expiry_date": later(days=90),
        "expiry_policy": HARD,
    }
    made = world("POST", "/content", full)
    assert made.status == 201
    assert conforms(made, "Content")
    assert made.json == {
        **full,
        "status": DRAFT,
        "owner_user_id": "ada",
        "draft_by": "ada",
        "version": "1",
        "created_at": later(),
        "last_updated": later(),
    }
    world.wait(hours=1)
    changed = world("PATCH", ONE, {"title": "New", "audience_role": None, "version": "1"})
    assert changed.status == 200
    assert changed.json["version"] == "2"
    assert changed.json["last_updated"] == later(hours=1)
    assert "audience_role" not in changed.json
    world.wait(hours=1)
    body = {"status": APPROVED}
    approved = world("POST", f"{ONE}/status", body, user=PAM, headers={"if-match": '"2"'})
    edited = {n: v for n, v in changed.json.items() if n != "draft_by"}
    assert approved.json == {
        **edited,
        "status": APPROVED,
        "version": "3",
        "last_updated": later(hours=2),
        "approved_by": "pam",
        "approved_at": later(hours=2),
        "due_at": later(days=30),
    }
    read = world("GET", ONE, user=RON)
    # When the calendar comes to it tells of drafts, too.
    assert read.json == {n: v for n, v in approved.json.items() if n != "due_at"}
    assert read.headers["etag"] in ('"3"', ['"3"'])
    for _ in range(2):
        assert world("DELETE", ONE, {"version": "3"}, user=OLA).status == 204
    problem(world("GET", ONE), 404)
    assert world.items() == []


def test_content_without_an_id_is_given_one(world: World) -> None:
    body = {"title": "T", "summary": "S"}
    first, second = (world("POST", "/content", body) for _ in range(2))
    assert first.status == second.status == 201
    assert first.json["content_id"] != second.json["content_id"]
    assert first.json["tags"] == []


def test_creation_is_repeated_with_the_same_id_only_for_the_same_content(world: World) -> None:
    made = world("POST", "/content", NEW)
    world.wait(hours=1)
    again = world("POST", "/content", NEW)
    assert (again.status, again.json) == (200, made.json)
    problem(world("POST", "/content", {**NEW, "title": "Other"}), 409)
    problem(world("POST", "/content", NEW, user=BEN), 409)
    assert world.read() == made.json


def test_index_keys_follow_every_change_in_the_same_write(world: World) -> None:
    world.make(product_suite="Data", product_concept="Lake")
    world.bring(APPROVED)
    world.wait(minutes=1)
    change = {"product_concept": None, "expiry_date": later(days=1), "version": "2"}
    world("PATCH", ONE, change, user=PAM)
    (item,) = world.items()
    assert item["status#last_updated#content_id"]["S"] == f"Approved#{later(minutes=1)}#c1"
    assert "product_suite#product_concept" not in item
    assert item["due_at#content_id"]["S"] == f"{later(days=1)}#c1"
    world.move(EXPIRED)
    (item,) = world.items()
    assert item["status#last_updated#content_id"]["S"].startswith("Expired#")
    assert "due" not in item
    assert "due_at#content_id" not in item


def test_a_stale_change_is_refused_and_shown_what_there_is_now(world: World) -> None:
    world.make()
    current = world("PATCH", ONE, {"title": "Newer", "version": "1"}).json
    stale = [
        (409, world("PATCH", ONE, {"title": "Mine", "version": "1"})),
        (412, world("PATCH", ONE, {"title": "Mine"}, headers={"if-match": '"1"'})),
        (409, world("POST", f"{ONE}/status", {"status": APPROVED, "version": "1"}, user=PAM)),
        (409, world("DELETE", ONE, {"version": "1"})),
        (412, world("DELETE", ONE, headers={"if-match": '"9"'})),
    ]
    for status, refused in stale:
        problem(refused, status)
        assert refused.json["current"] == current
        assert refused.headers["etag"] in ('"2"', ['"2"'])
    assert world.read() == current


def test_a_change_must_say_what_was_read(world: World) -> None:
    world.make()
    problem(world("PATCH", ONE, {"title": "x"}), 428)
    problem(world("POST", f"{ONE}/status", {"status": APPROVED}, user=PAM), 428)
    problem(world("DELETE", ONE), 428)
    for version in (1, "1\n", "x" * 65, ""):
        refused = world("PATCH", ONE, {"title": "x", "version": version})
        assert problem(refused, 400).keys() == {"/version"}
    # Nor is it passed over because there is a header.
    both = world("PATCH", ONE, {"title": "x", "version": None}, headers={"if-match": '"1"'})
    assert problem(both, 400).keys() == {"/version"}


def test_any_version_can_be_meant(world: World) -> None:
    world.make()
    changed = world("PATCH", ONE, {"title": "x"}, headers={"if-match": "*"})
    assert (changed.status, changed.json["version"]) == (200, "2")
    assert world("DELETE", ONE, headers={"if-match": "*"}).status == 204


def test_a_repeated_change_is_answered_like_the_first(world: World) -> None:
    world.make()
    edit = {"title": "New", "version": "1"}
    first = world("PATCH", ONE, edit)
    approval = {"status": APPROVED, "version": "2"}
    world.wait(minutes=5)
    assert world("PATCH", ONE, edit).json == first.json
    approved = world("POST", f"{ONE}/status", approval, user=PAM)
    world.wait(minutes=5)
    assert world("POST", f"{ONE}/status", approval, user=PAM).json == approved.json
    assert world.read()["version"] == "3"


def test_of_racing_writers_one_wins_and_the_same_change_is_both_of_theirs(world: World) -> None:
    """The other writer comes between the read and the write."""
    world.make()
    edge = world.edge

    class Raced:
        def __init__(self, title: str) -> None:
            self.title = title
            self.raced = False

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and not self.raced:
                self.raced = True
                world.start()
                version = world.read()["version"]
                world("PATCH", ONE, {"title": self.title, "version": version}, user=OLA)
            return edge.call(operation, params)

    world.start(Raced("Theirs"))
    refused = world("PATCH", ONE, {"title": "Mine", "version": "1"})
    problem(refused, 409)
    assert refused.json["current"]["title"] == "Theirs"
    world.start(Raced("Ours"))
    shared = world("PATCH", ONE, {"title": "Ours", "version": "2"})
    assert (shared.status, shared.json["version"]) == (200, "3")


def test_approved_content_waits_for_its_effective_date_whatever_is_edited(world: World) -> None:
    world.make(effective_date=later(days=1))
    waits = world.move(APPROVED, user=PAM).json
    assert (waits["status"], waits["approved_by"], waits["due_at"]) == (
        DRAFT,
        "pam",
        later(days=1),
    )
    again = world("POST", f"{ONE}/status", {"status": APPROVED, "version": "1"}, user=PAM)
    assert again.json == waits
    edited = world("PATCH", ONE, {"title": "Better", "version": "2"}).json
    assert edited["draft"] == {"title": "Better"}
    assert (edited["title"], edited["due_at"]) == ("Positioning", later(days=1))
    world.wait(days=2)
    approved = world.move(APPROVED, user=PAM).json
    assert (approved["status"], approved["title"]) == (APPROVED, "Better")


def test_hidden_content_is_not_there_for_others(world: World) -> None:
    world.make(expiry_policy=HARD)
    for user in (RON, BEN):
        problem(world("GET", ONE, user=user), 404)
        problem(world("GET", f"{ONE}/file", user=user), 404)
    problem(world("PATCH", ONE, {"title": "x", "version": "1"}, user=BEN), 404)
    problem(world("DELETE", ONE, {"version": "1"}, user=BEN), 404)
    problem(world.ask(user=BEN), 404)
    world.bring(EXPIRED)
    problem(world("GET", ONE, user=RON), 404)
    for user in (ADA, PAM, OLA):
        assert world("GET", ONE, user=user).status == 200
    world.make("c2")
    world.bring(EXPIRED, "c2")
    assert world("GET", "/content/c2", user=RON).json["status"] == EXPIRED


def test_nobody_gets_in_without_a_group(world: World) -> None:
    world.make()
    for stranger in ({"sub": "eve"}, claims("eve", "writers")):
        refused = world("GET", ONE, user=stranger)
        problem(refused, 403)
        assert "'readers'" in refused.json["detail"]
    problem(world("GET", ONE, user={"cognito:groups": "[admins]"}), 403)
    problem(world("GET", ONE, user=claims("a#b", "admins")), 403)
    refused = world("POST", "/content", NEW, user=PAM)
    problem(refused, 403)
    assert "'authors', 'admins'" in refused.json["detail"]
    problem(world("PATCH", ONE, {"title": "x", "version": "1"}, user=RON), 403)


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"title": ""}, {"/title"}),
        ({"title": "x" * 201, "summary": 5}, {"/title", "/summary"}),
        ({"summary": None}, {"/summary"}),
        ({"tags": [f"t{n}" for n in range(21)]}, {"/tags"}),
        ({"tags": "demo"}, {"/tags"}),
        ({"product_suite": "a#b"}, {"/product_suite"}),
        ({"expiry_policy": "never"}, {"/expiry_policy"}),
        ({"expiry_date": "2025-02-30T00:00:00.000Z"}, {"/expiry_date"}),
        ({"expiry_date": "tomorrow"}, {"/expiry_date"}),
        ({"effective_date": later(days=2), "expiry_date": later(days=1)}, {"/expiry_date"}),
        ({"last_updated": "2025-01-01T00:00:00Z", "s3_key": "x"}, {"/last_updated", "/s3_key"}),
        ({"colour": "red"}, {"/colour"}),
    ],
)
def test_bad_input_is_told_and_leaves_nothing_behind(
    world: World, changes: dict[str, Any], pointers: set[str]
) -> None:
    assert problem(world("POST", "/content", {**NEW, **changes}), 400).keys() == pointers
    assert world.items() == []
    made = world.make()
    assert problem(world("PATCH", ONE, {**changes, "version": "1"}), 400).keys() == pointers
    assert world.read() == made


def test_dates_are_compared_with_those_that_are_stored(world: World) -> None:
    world.make(effective_date=later(days=2))
    refused = world("PATCH", ONE, {"expiry_date": later(days=1), "version": "1"})
    assert problem(refused, 400).keys() == {"/expiry_date"}


@pytest.mark.parametrize("body", ["{", "[]", '"x"', "null", "NaN", '{"title": NaN}'])
def test_a_body_that_is_no_object_is_refused(world: World, body: str) -> None:
    problem(world("POST", "/content", body), 400)
    made = world.make()
    for path in (ONE, f"{ONE}/status", f"{ONE}/file"):
        method = "PATCH" if path == ONE else "POST"
        problem(world(method, path, body, headers={"if-match": '"1"'}), 400)
    assert world.read() == made


@pytest.mark.parametrize("body", [{}, {"status": "Gone"}, {"status": 5}, {"status": [], "a": 1}])
def test_a_status_that_there_is_not_is_refused(world: World, body: dict[str, Any]) -> None:
    world.make()
    refused = world("POST", f"{ONE}/status", {**body, "version": "1"}, user=PAM)
    assert problem(refused, 400).keys() <= {"/status", "/a"}


def test_unusual_addresses_are_refused(world: World) -> None:
    assert problem(world("GET", "/content/a b"), 400).keys() == {"content_id"}
    problem(world("GET", "/content/none"), 404)
    problem(world("GET", "/contents"), 404)


def test_the_document_is_served(world: World) -> None:
    served = world("GET", "/openapi.json")
    assert set(served.json["paths"]) >= {"/content", "/content/{content_id}/file"}


def test_a_summary_may_have_several_lines_and_a_title_one(world: World) -> None:
    made = world.make(summary="First.\r\nSecond.\n\nThird.")
    assert made["summary"] == "First.\nSecond.\n\nThird."
    for wrong in ({"title": "a\nb"}, {"summary": "a\tb"}, {"summary": "a\x00"}):
        refused = world("PATCH", ONE, {**wrong, "version": "1"})
        assert problem(refused, 400).keys() == {f"/{name}" for name in wrong}


def test_tags_keep_their_case_and_are_found_whatever_it_is(world: World) -> None:
    made = world.make(tags=["Data  Lake", "STRASSE", "cafe\u0301", "data lake"])
    assert made["tags"] == ["Data  Lake", "STRASSE", "cafe\u0301"]
    world.indexed()
    for tag in ("data lake", "DATA  Lake", "straße", "caf\u00e9"):
        assert world.listed(status=DRAFT, tag=tag) == ["c1"]
        assert world.listed(q="positioning", tag=tag) == ["c1"]
    assert world.listed(status=DRAFT, tag="lake") == []
    assert world.listed(q="strasse", user=ADA) == ["c1"]
    changed = world("PATCH", ONE, {"tags": ["SQL", "sql"], "version": "1"})
    assert changed.json["tags"] == ["SQL"]


BOTH = claims("pia", "authors", "approvers")


def test_content_is_created_with_a_status_by_people_in_the_role(world: World) -> None:
    refused = world("POST", "/content", {**NEW, "status": APPROVED})
    problem(refused, 403)
    assert world.items() == []
    made = world.make(status=APPROVED, version="1.0", user=BOTH)
    assert (made["status"], made["approved_by"], made["version"]) == (APPROVED, "pia", "1.0")
    again = world("POST", "/content", {**NEW, "status": APPROVED, "version": "1.0"}, user=BOTH)
    assert (again.status, again.json) == (200, made)
    for number, status in enumerate((DEPRECATED, EXPIRED)):
        assert world.make(f"d{number}", status=status, user=BOTH)["status"] == status
    assert world("GET", ONE, user=RON).json["status"] == APPROVED


def test_an_owner_is_named_by_admins_only(world: World) -> None:
    problem(world("POST", "/content", {**NEW, "owner_user_id": "ben"}), 403)
    assert world.make(owner_user_id="ada")["owner_user_id"] == "ada"
    assert world.make("c2", owner_user_id="ben", user=OLA)["owner_user_id"] == "ben"


@pytest.mark.parametrize("version", ["1.0", "v1 (beta)", "2025/12", 'a"b,c', "1.0+5", "Entwurf ä"])
def test_a_version_is_any_text(world: World, version: str) -> None:
    made = world("POST", "/content", {**NEW, "version": version})
    assert made.json["version"] == version
    tag = made.headers["etag"]
    tag = tag[0] if isinstance(tag, list) else tag
    problem(world("PATCH", ONE, {"title": "x"}, headers={"if-match": '"none"'}), 412)
    assert world("PATCH", ONE, {"title": "x"}, headers={"if-match": tag}).status == 200
    problem(world("POST", "/content", {**NEW, "content_id": "c2", "version": "x" * 33}), 400)


@pytest.mark.parametrize(
    ("field", "given", "stored"),
    [
        ("review_due_date", "2025-12-31", "2025-12-31T00:00:00.000Z"),
        ("effective_date", "2025-12-31", "2025-12-31T00:00:00.000Z"),
        ("expiry_date", "2025-12-31", "2025-12-31T23:59:59.999Z"),
        ("expiry_date", "2025-12-31T10:00:00Z", "2025-12-31T10:00:00.000Z"),
        ("expiry_date", "2025-12-31T10:00:00.123456+01:00", "2025-12-31T09:00:00.123Z"),
        ("expiry_date", "2025-12-31T10:00+00:00", "2025-12-31T10:00:00.000Z"),
        ("expiry_date", "20251231T100000z", "2025-12-31T10:00:00.000Z"),
    ],
)
def test_dates_and_times_are_stored_in_one_form(
    world: World, field: str, given: str, stored: str
) -> None:
    made = world("POST", "/content", {**NEW, field: given})
    assert (made.status, made.json[field]) == (201, stored)
    assert world("POST", "/content", {**NEW, field: given}).status == 200


def test_a_time_without_its_zone_is_refused(world: World) -> None:
    refused = world("POST", "/content", {**NEW, "expiry_date": "2025-12-31T10:00:00"})
    assert "zone" in problem(refused, 400)["/expiry_date"]


def test_content_may_be_effective_and_expire_on_one_day(world: World) -> None:
    day = "2025-12-31"
    assert (
        world("POST", "/content", {**NEW, "effective_date": day, "expiry_date": day}).status == 201
    )
