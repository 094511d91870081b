"""A cursor of events serves the caller, the list and the hour that it was given for."""

from datetime import timedelta

import pytest

from tablewright.testing import Database
from tests.integration.http import Answer
from tests.integration.portal.events.event_world import (
    ADA,
    DAY,
    GRACE,
    NOW,
    ROOT,
    VARIANTS,
    World,
    minutes,
    problem,
    view,
)


@pytest.fixture(params=list(VARIANTS.values()), ids=list(VARIANTS))
def world(
    request: pytest.FixtureRequest, dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> World:
    made = World(dynamodb, monkeypatch, request.param)
    made.send(*(view(n, NOW - minutes(n)) for n in range(6)))
    made.send(*(view(n, NOW - timedelta(hours=13), event_name="search") for n in (10, 11)))
    return made


def cursor(answer: Answer) -> str:
    assert answer.status == 200, answer.text
    assert answer.json["next_cursor"]
    return str(answer.json["next_cursor"])


def refused(answer: Answer) -> str:
    errors = problem(answer, 400)
    assert list(errors) == ["cursor"]
    return errors["cursor"]


def test_an_edited_cursor_is_refused(world: World) -> None:
    given = cursor(world("GET", user_id="ada", limit=2))
    assert world("GET", user_id="ada", limit=2, cursor=given).status == 200
    for at in range(0, len(given), 7):
        edited = given[:at] + ("A" if given[at] != "A" else "B") + given[at + 1 :]
        assert "not one that was issued here" in refused(
            world("GET", user_id="ada", limit=2, cursor=edited)
        )
    for garbage in ("", "x", given + "A", given[:-4], "é", "0" * 5000):
        assert refused(world("GET", user_id="ada", limit=2, cursor=garbage))


def test_a_cursor_of_somebody_else_is_refused(world: World) -> None:
    of_grace = cursor(world("GET", claims=GRACE, date_bucket=DAY, limit=2))
    again = world("GET", claims=ROOT, date_bucket=DAY, limit=2, cursor=of_grace)
    assert "issued to another caller" in refused(again)
    of_ada = cursor(world("GET", claims=ADA, user_id="ada", limit=2))
    again = world("GET", claims=ROOT, user_id="ada", limit=2, cursor=of_ada)
    assert "issued to another caller" in refused(again)
    # Whoever may not ask is not helped by a cursor.
    assert world("GET", claims=ADA, date_bucket=DAY, cursor=of_grace).status == 403


def test_a_cursor_of_another_list_is_refused(world: World) -> None:
    lists: list[dict[str, str]] = [
        {"date_bucket": DAY},
        {"date_bucket": "2099-01-25"},
        {"date_bucket": DAY, "event_name": "content.viewed"},
        {"user_id": "ada"},
        {"user_id": "ada", "event_name": "content.viewed"},
    ]
    cursors = [cursor(world("GET", claims=ROOT, limit=1, **asked)) for asked in lists]
    for here, asked in enumerate(lists):
        for there, given in enumerate(cursors):
            answer = world("GET", claims=ROOT, limit=1, cursor=given, **asked)
            if here == there:
                assert answer.status == 200
            else:
                assert "another list or to other arguments" in refused(answer)


def test_a_cursor_expires(world: World) -> None:
    given = cursor(world("GET", user_id="ada", limit=2))
    world.now += minutes(60)
    assert world("GET", user_id="ada", limit=2, cursor=given).status == 200
    world.now += timedelta(seconds=1)
    assert "has expired" in refused(world("GET", user_id="ada", limit=2, cursor=given))


def test_events_that_come_while_a_list_is_read_disturb_no_page(world: World) -> None:
    before = world.all(100, claims=ADA, user_id="ada")
    first = world("GET", user_id="ada", limit=3)
    world.send(view(99, NOW + minutes(1)))
    rest = world("GET", user_id="ada", limit=50, cursor=cursor(first))
    assert first.json["items"] + rest.json["items"] == before
