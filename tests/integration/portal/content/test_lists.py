"""Lists of content: who sees what in them, their cursors, and searching them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest

from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    SOFT,
    STATUSES,
    Content,
)
from tablewright.testing import Database
from tests.integration.portal.content.content_world import (
    ADA,
    BEN,
    OLA,
    PAM,
    RON,
    World,
    ids,
    problem,
    stored,
)

LAKE: dict[str, Any] = {"product_suite": "Data", "product_concept": "Lake"}
_LISTS = "owner_user_id, product_suite and product_concept, or status"


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_lists_have_everything_once_last_changed_first(world: World, limit: int) -> None:
    made = stored(world, 30, status=[APPROVED, DEPRECATED, APPROVED])
    world.make("other", product_suite="Data", product_concept="Lakes")
    approved = ids([one for one in made if one.status == APPROVED])
    assert world.listed(limit, RON, status=APPROVED) == approved
    assert world.listed(limit, RON, **LAKE) == ids(made)


def test_lists_show_what_the_caller_may_read(world: World) -> None:
    statuses = [s for s in STATUSES for _ in range(3)]
    made = stored(world, 24, status=statuses, expiry_policy=[None, SOFT, HARD])
    secret = [o for o in made if o.status == EXPIRED and o.expiry_policy == HARD]
    drafts = [one for one in made if one.status == DRAFT]

    def own(some: list[Content], user: str) -> list[Content]:
        return [one for one in some if one.owner_user_id == user]

    for user in (PAM, OLA):
        assert world.listed(5, user, **LAKE) == ids(made)
        assert world.listed(5, user, status=DRAFT) == ids(drafts)
    hidden = ids(secret) + ids(drafts)
    assert world.listed(5, RON, **LAKE) == [id for id in ids(made) if id not in hidden]
    assert not set(world.listed(5, RON, status=EXPIRED)) & set(hidden)
    assert world.listed(5, ADA, status=DRAFT) == ids(own(drafts, "ada"))
    assert world.listed(5, BEN, status=DRAFT) == ids(own(drafts, "ben"))
    problem(world("GET", "/content", user=RON, status=DRAFT), 403)


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({}, _LISTS),
        ({"audience_role": "Sales", "tag": "demo"}, _LISTS),
        ({"owner_user_id": "ada", "product_suite": "Data"}, "product_concept"),
        ({"owner_user_id": "a#da"}, "owner_user_id"),
        ({"status": APPROVED, "draft": "x"}, "draft"),
        ({"owner_user_id": "ada", "status": "Gone"}, "status"),
        ({"status": APPROVED, "audience_role": "x" * 101}, "audience_role"),
        ({"status": APPROVED, "lifecycle_stage": "a\nb"}, "lifecycle_stage"),
        ({"status": APPROVED, "tag": " "}, "tag"),
        ({"status": APPROVED, "tag": "x" * 51}, "tag"),
        ({"product_suite": "Data"}, "product_concept"),
        ({"product_concept": "Lake"}, "product_suite"),
        ({"product_suite": "Da#ta", "product_concept": "Lake"}, "product_suite"),
        ({"status": "Gone"}, "status"),
        ({"status": APPROVED, "limit": "0"}, "limit"),
        ({"status": APPROVED, "limit": "101"}, "limit"),
        ({"status": APPROVED, "limit": "x"}, "limit"),
        ({"status": APPROVED, "q": "x"}, "q"),
        ({"status": APPROVED, "colour": "red"}, "colour"),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    world: World, asked: dict[str, Any], wrong: str
) -> None:
    assert wrong in problem(world("GET", "/content", **asked), 400)


FILTERED: list[dict[str, str]] = [
    {"owner_user_id": "ben"},
    {"owner_user_id": "ben", "status": DRAFT},
    {"owner_user_id": "ada", "audience_role": "Sales", "tag": " TAG3 "},
    {"owner_user_id": "ada", **LAKE, "lifecycle_stage": "Try"},
    {"status": APPROVED, "audience_role": "Sales", "lifecycle_stage": "Buy"},
    {"status": APPROVED, "tag": "tag1", **LAKE},
    {
        "tag": "tag5",
        "audience_role": "Partners",
        "lifecycle_stage": "Try",
        "status": APPROVED,
        "owner_user_id": "ben",
    },
    {**LAKE, "audience_role": "Nobody"},
]


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_filters_leave_what_has_all_that_is_asked_for(world: World, limit: int) -> None:
    made = stored(
        world,
        60,
        status=[APPROVED, DRAFT, APPROVED, DEPRECATED],
        audience_role=["Sales", "Partners", None],
        lifecycle_stage=["Try", "Buy", None, "Try", "Buy"],
    )

    def asked_for(one: Content, asked: dict[str, str]) -> bool:
        values = [
            (one.owner_user_id, asked.get("owner_user_id")),
            (one.product_suite, asked.get("product_suite")),
            (one.product_concept, asked.get("product_concept")),
            (one.status, asked.get("status")),
            (one.audience_role, asked.get("audience_role")),
            (one.lifecycle_stage, asked.get("lifecycle_stage")),
            (one.tags[0], asked.get("tag", "").strip().lower() or None),
        ]
        return all(wanted is None or has == wanted for has, wanted in values)

    for asked in FILTERED:
        expected = ids([one for one in made if asked_for(one, asked)])
        assert world.listed(limit, OLA, **asked) == expected, asked
    assert world.listed(limit, RON, owner_user_id="ben") == ids(
        [one for one in made if one.owner_user_id == "ben" and one.status != DRAFT]
    )


def test_a_rare_filter_reads_five_hundred_contents_and_no_more(world: World) -> None:
    stored(world, 620, audience_role=[*["Sales"] * 619, "Partners"])
    asked: dict[str, Any] = {"user": RON, "status": APPROVED, "audience_role": "Partners"}
    pages = [world("GET", "/content", **asked).json]
    assert ids(pages[0]["items"]) == ["c0619"]
    asked["audience_role"] = "Nobody"
    first = world("GET", "/content", **asked).json
    assert first["items"] == []
    rest = world("GET", "/content", cursor=first["next_cursor"], **asked).json
    assert rest == {"items": [], "next_cursor": None}
    other = {**asked, "audience_role": "Sales"}
    assert "cursor" in problem(world("GET", "/content", cursor=first["next_cursor"], **other), 400)


def test_a_cursor_is_of_use_to_its_caller_for_its_list_and_for_an_hour(world: World) -> None:
    made = stored(world, 6)
    asked: dict[str, Any] = {"status": APPROVED, "limit": 2}
    cursor = world("GET", "/content", user=RON, **asked).json["next_cursor"]
    onward = world("GET", "/content", user=RON, cursor=cursor, **asked)
    assert ids(onward.json["items"]) == ids(made[2:4])
    wrong_uses: list[dict[str, Any]] = [
        {**asked, "user": ADA},
        {**asked, "user": OLA},
        {**asked, "status": DEPRECATED, "user": RON},
        {"limit": 2, **LAKE, "user": RON},
        {**asked, "tag": "tag1", "user": RON},
    ]
    for use in wrong_uses:
        assert "cursor" in problem(world("GET", "/content", cursor=cursor, **use), 400)
    world.wait(hours=1, seconds=1)
    assert (
        "expired"
        in problem(world("GET", "/content", user=RON, cursor=cursor, **asked), 400)["cursor"]
    )


def test_an_edited_cursor_is_refused_wherever_it_is_edited(world: World) -> None:
    stored(world, 6)
    asked: dict[str, Any] = {"status": APPROVED, "limit": 2, "user": RON}
    cursor = world("GET", "/content", **asked).json["next_cursor"]
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    forged = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(0, len(raw), 7)]
    # Another content in place of the one that the page ended with.
    forged += [raw.replace(b"c0004", b"c0002"), raw[:-1], b"", raw + b" "]
    texts = [urlsafe_b64encode(one).decode().rstrip("=") for one in forged]
    for text in [*texts, cursor + "=", "x", "é", "x" * 5000]:
        assert "cursor" in problem(world("GET", "/content", cursor=text, **asked), 400), text


def test_what_is_not_in_lists_is_not_shown(world: World) -> None:
    world.make(product_suite="Data", product_concept="Lake")
    world.upload()
    world.bring(APPROVED)
    lists: list[dict[str, Any]] = [{"status": APPROVED}, LAKE]
    for asked in lists:
        (page,) = world.pages(5, RON, **asked)
        (listed,) = page["items"]
        assert listed["file_name"] == "a.pdf"
        assert not {"s3_key", "s3_uri", "s3_bucket"} & listed.keys()
