"""Search for content: what is found, in which order, by whom, and what a request reads."""

from typing import Any

import pytest

from lambdas.portal.search.words import matches, words
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    SOFT,
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


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


def made(world: World, *titles: str, **fields: Any) -> None:
    """Approved contents with these titles, named by their numbers."""
    for number, title in enumerate(titles):
        world.make(f"c{number}", title=title, **fields)
        world.bring(APPROVED, f"c{number}")
    world.indexed()


def test_everything_that_has_all_words_is_found_once(world: World) -> None:
    there = stored(world, 40, status=[APPROVED, APPROVED, DEPRECATED])
    world.indexed()
    for query in ("alpha", "ALP num", "tag3", "delta 14", "a", "nothing", "alpha nothing"):
        expected = sorted(ids([one for one in there if matches(words(query), one)]))
        for limit in (1, 7):
            assert sorted(world.listed(limit, RON, q=query)) == expected, query


def test_the_best_come_first(world: World) -> None:
    made(
        world,
        "Pricing",
        "Pricing the lake, pricing the warehouse",
        "Other things",
        "Warehouse",
        summary="Of lakes and what they cost.",
    )
    world.make("tagged", title="Nothing", summary="None", tags=["pricing"])
    world.make("told", title="Nothing", summary="Some pricing")
    world.make("longer", title="Pricings", summary="Of it")
    world.indexed()
    # In the title twice, once; among the tags, as a longer word of a title, in the summary.
    assert world.listed(q="pricing") == ["c1", "c0", "tagged", "longer", "told"]
    assert world.listed(q="warehouse lake")[0] == "c1"


def test_a_rare_word_counts_for_more_than_a_common_one(world: World) -> None:
    for number in range(6):
        world.make(f"n{number}", title="Nothing", summary="Common ground")
    world.make("common", title="Common", summary="and rare")
    world.make("rare", title="Rare", summary="and common")
    world.indexed()
    assert world.listed(q="rare common") == ["rare", "common"]
    assert world.listed(q="common rare") == ["rare", "common"]


def test_who_may_not_read_a_content_does_not_find_it(world: World) -> None:
    statuses = [APPROVED, DRAFT, DEPRECATED, EXPIRED]
    all_made = stored(world, 24, status=statuses, expiry_policy=[SOFT] * 8 + [HARD] * 8 + [None])
    world.indexed()

    def seen(one: Content, user: str | None) -> bool:
        hidden = one.status == DRAFT or (one.status == EXPIRED and one.expiry_policy == HARD)
        return not hidden or one.owner_user_id == user

    for asker, user in ((RON, None), (ADA, "ada"), (BEN, "ben")):
        expected = ids([one for one in all_made if seen(one, user)])
        assert sorted(world.listed(3, asker, q="number")) == sorted(expected)
    for asker in (PAM, OLA):
        assert len(world.listed(3, asker, q="number")) == 24
    problem(world("GET", "/search", user=RON, q="number", status=DRAFT), 403)


def test_filters_apply_to_what_is_found(world: World) -> None:
    there = stored(
        world,
        30,
        status=[APPROVED, DEPRECATED],
        audience_role=["Sales", "Partners", None],
        lifecycle_stage=["Try", "Buy"],
    )
    world.indexed()
    asked: list[tuple[dict[str, Any], Any]] = [
        ({"status": APPROVED}, lambda one: one.status == APPROVED),
        ({"audience_role": "Sales"}, lambda one: one.audience_role == "Sales"),
        ({"lifecycle_stage": "Try", "status": APPROVED}, lambda one: one.status == APPROVED),
        ({"owner_user_id": "ada"}, lambda one: one.owner_user_id == "ada"),
        ({"tag": "TAG3"}, lambda one: one.tags == ("tag3",)),
        (
            {"lifecycle_stage": "Buy", "product_suite": "Data"},
            lambda one: one.lifecycle_stage == "Buy",
        ),
        ({"product_concept": "Sea"}, lambda one: False),
    ]
    for filters, test in asked:
        wanted = [one for one in there if test(one)]
        assert sorted(world.listed(4, RON, q="number", **filters)) == sorted(ids(wanted)), filters


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({}, "q"),
        ({"q": "!?"}, "q"),
        ({"q": ""}, "q"),
        ({"q": "x" * 201}, "q"),
        ({"q": "a b c d e f g h i j k"}, "q"),
        ({"q": "x", "status": "Gone"}, "status"),
        ({"q": "x", "tag": " "}, "tag"),
        ({"q": "x", "limit": "101"}, "limit"),
        ({"q": "x", "cursor": "x"}, "cursor"),
        ({"q": "x", "colour": "red"}, "colour"),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    world: World, asked: dict[str, Any], wrong: str
) -> None:
    assert wrong in problem(world("GET", "/search", **asked), 400)


def test_a_cursor_is_of_use_to_its_caller_for_its_words_and_filters(world: World) -> None:
    stored(world, 8)
    world.indexed()
    asked: dict[str, Any] = {"q": "number", "limit": 2}
    cursor = world("GET", "/search", user=RON, **asked).json["next_cursor"]
    assert world("GET", "/search", user=RON, cursor=cursor, **asked).status == 200
    wrong: list[dict[str, Any]] = [
        {**asked, "user": ADA},
        {**asked, "q": "numb", "user": RON},
        {**asked, "tag": "tag1", "user": RON},
    ]
    for use in wrong:
        assert "cursor" in problem(world("GET", "/search", cursor=cursor, **use), 400)
    listed = {"user": RON, "status": APPROVED, "cursor": cursor}
    assert "cursor" in problem(world("GET", "/content", **listed), 400)


def test_what_comes_in_between_two_pages_moves_nothing_that_was_there(world: World) -> None:
    stored(world, 12)
    world.indexed()
    first = world("GET", "/search", user=RON, q="number", limit=5).json
    world.make("new", title="number number", summary="number")
    world.bring(APPROVED, "new")
    world.indexed()
    cursor, found = first["next_cursor"], ids(first["items"])
    while cursor:
        page = world("GET", "/search", user=RON, q="number", limit=5, cursor=cursor).json
        found += ids(page["items"])
        cursor = page["next_cursor"]
    assert sorted(found) == [f"c{number:04}" for number in range(12)]


def test_what_changed_a_moment_ago_is_shown_as_it_is_or_not_at_all(world: World) -> None:
    made(world, "Alpha", "Alpha", "Alpha", "Alpha", "Beta")
    change = {"title": "Gamma", "summary": "Alpha", "version": "2"}
    assert world("PATCH", "/content/c1", change).status == 200
    assert world.move(DRAFT, "c1").status == 200
    world.move(DEPRECATED, "c2")
    world("DELETE", "/content/c3", {"version": "2"}, user=OLA)
    assert sorted(world.listed(q="alpha", user=RON)) == ["c0", "c2"]
    assert world.listed(q="alpha", user=RON, status=DEPRECATED) == ["c2"]
    # The index still has the old words, and not yet the new one.
    assert sorted(world.listed(q="alpha", user=ADA)) == ["c0", "c1", "c2"]
    assert world.listed(q="gamma", user=ADA) == []
    world.indexed()
    assert world.listed(q="gamma", user=ADA) == ["c1"]


def test_a_word_that_all_have_is_no_hindrance_and_by_itself_finds_the_best(world: World) -> None:
    world.searched["window"] = 5
    world.start()
    there = stored(world, 12)
    world.indexed()
    # Of "number" the index shows five; what has the other word is known whole.
    found = world("GET", "/search", user=RON, q="number delta").json
    assert set(ids(found["items"])) == {one.content_id for one in there if matches(["delta"], one)}
    assert found["complete"] is True
    common = world("GET", "/search", user=RON, q="number").json
    assert (len(common["items"]), common["complete"], common["next_cursor"]) == (5, False, None)


def test_a_request_looks_at_so_many_contents_and_no_more(world: World) -> None:
    world.searched["examined"] = 4
    world.start()
    stored(world, 10, status=[*[DRAFT] * 9, APPROVED])
    world.indexed()
    pages = list(world.pages(3, RON, q="number"))
    assert [len(page["items"]) for page in pages] in ([0, 0, 1], [0, 1, 0], [1, 0, 0])


def test_words_of_any_length_and_script_are_found(world: World) -> None:
    long = "x" * 150
    world.make(
        "c1",
        title=f"{long} Straße",
        summary="\u65e5\u672c\u8a9e caf\u00e9 \U0001d538BC",
        tags=["go-to-market"],
    )
    world.indexed()
    for query in (long, "x" * 45, "STRASSE", "\u65e5", "cafe\u0301", "abc", "market", "go-to"):
        assert world.listed(q=query) == ["c1"], query
    assert world.listed(q="x" * 41 + "y") == []


def test_what_lists_do_not_show_is_not_shown(world: World) -> None:
    world.make()
    world.upload()
    world.indexed()
    (page,) = world.pages(5, q="positioning")
    (found,) = page["items"]
    assert found["file_name"] == "a.pdf"
    assert not {"s3_key", "s3_uri", "s3_bucket", "due_at"} & found.keys()
