"""Lists of content: who sees what in them, their cursors, and searching them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from lambdas.portal.content.search import matches, words
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    SOFT,
    STATUSES,
    Content,
    ContentRegistry,
)
from tablewright.runtime.store.records import Records
from tests.integration.conftest import Database
from tests.integration.portal.content.content_world import (
    ADA,
    BEN,
    NOW,
    OLA,
    PAM,
    RON,
    World,
    problem,
)

LAKE: dict[str, Any] = {"suite": "Data", "concept": "Lake"}
WORDS = ("Alpha", "beta", "Gamma", "alphabet", "delta")


@pytest.fixture
def world(database: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(database, monkeypatch)


def stored(world: World, count: int, **fields: Any) -> list[Content]:
    """So many contents, a minute apart, the last changed one first."""
    records = Records(ContentRegistry.__design__, Content.__entity__)
    made = []
    for n in range(count):
        example = {
            "content_id": f"c{n:04}",
            "status": APPROVED,
            "title": f"{WORDS[n % 5]} {n}",
            "summary": f"number {n} {WORDS[n % 3]}",
            "product_suite": "Data",
            "product_concept": "Lake",
            "owner_user_id": ("ada", "ben")[n % 2],
            "tags": [f"tag{n % 7}"],
            "version": "1",
            "last_updated": NOW + timedelta(minutes=n),
            "created_at": NOW,
        }
        varied = {name: v[n % len(v)] if isinstance(v, list) else v for name, v in fields.items()}
        made.append(Content(**{**example, **varied}))
    world.database.write([records.to_item(one) for one in made])
    return made[::-1]


def ids(contents: Sequence[Mapping[str, Any]]) -> list[str]:
    return [one["content_id"] for one in contents]


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
    found = world.listed(5, RON, status=EXPIRED, q="number")
    assert found
    assert not set(found) & set(hidden)


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({}, "status or suite and concept"),
        ({"status": APPROVED, **LAKE}, "status or suite and concept"),
        ({"suite": "Data"}, "concept"),
        ({"concept": "Lake"}, "suite"),
        ({"suite": "Da#ta", "concept": "Lake"}, "suite"),
        ({"status": "Gone"}, "status"),
        ({"status": APPROVED, "limit": "0"}, "limit"),
        ({"status": APPROVED, "limit": "101"}, "limit"),
        ({"status": APPROVED, "limit": "x"}, "limit"),
        ({"status": APPROVED, "q": "!?"}, "q"),
        ({"status": APPROVED, "q": ""}, "q"),
        ({"status": APPROVED, "q": "x" * 201}, "q"),
        ({"status": APPROVED, "colour": "red"}, "colour"),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    world: World, asked: dict[str, Any], wrong: str
) -> None:
    assert wrong in problem(world("GET", "/content", **asked), 400)


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
        {**asked, "q": "alpha", "user": RON},
    ]
    for use in wrong_uses:
        assert "cursor" in problem(world("GET", "/content", cursor=cursor, **use), 400)
    searched = world("GET", "/content", user=RON, q="number", **asked).json["next_cursor"]
    other: list[dict[str, Any]] = [{}, {"q": "numbers"}]
    for query in other:
        refused = world("GET", "/content", user=RON, cursor=searched, **asked, **query)
        assert "cursor" in problem(refused, 400)
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


@pytest.mark.parametrize("query", ["alpha", "ALP num", "tag3", "delta 14", "nothing"])
@pytest.mark.parametrize(("limit", "window"), [(1, 10), (4, 7), (100, 500)])
def test_a_search_finds_everything_once_within_its_window(
    world: World, query: str, limit: int, window: int
) -> None:
    made = stored(world, 40, status=[APPROVED, APPROVED, DEPRECATED])
    world.window = window
    world.start()
    lists: list[dict[str, Any]] = [{"status": APPROVED}, LAKE]
    for asked in lists:
        there = [one for one in made if asked is LAKE or one.status == APPROVED]
        pages = list(world.pages(limit, RON, q=query, **asked))
        found = [one["content_id"] for page in pages for one in page["items"]]
        assert found == ids([one for one in there if matches(words(query), one)])
        assert sum(page["searched"] for page in pages) == len(there)
        assert all(page["searched"] <= window for page in pages)
        ends = [page["complete"] for page in pages]
        assert ends == [False] * (len(pages) - 1) + [True]


def test_a_search_reads_five_hundred_contents_and_no_more(world: World) -> None:
    stored(world, 620)
    first = world("GET", "/content", user=RON, status=APPROVED, q="unheard").json
    assert (first["items"], first["searched"], first["complete"]) == ([], 500, False)
    cursor = first["next_cursor"]
    rest = world("GET", "/content", user=RON, status=APPROVED, q="unheard", cursor=cursor).json
    assert (rest["searched"], rest["complete"], rest["next_cursor"]) == (120, True, None)


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
