"""The API of events: who may do what, what is taken, and how it is listed."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from lambdas.errors import InvalidRequest
from lambdas.portal.events.rules import events_from
from tablewright.model.fields.time import iso_utc
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.portal.events.event_world import (
    ADA,
    BOB,
    DAY,
    GRACE,
    NOW,
    ROOT,
    VARIANTS,
    World,
    conforms,
    id_of,
    ids,
    minutes,
    problem,
    view,
)

MILLISECOND = timedelta(milliseconds=1)
ID = "/events/0/event_id"
TIME = "/events/0/timestamp"
MOMENT = "2099-01-26T12:00:00Z"


@pytest.fixture
def world(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(dynamodb, monkeypatch)


@pytest.fixture(params=list(VARIANTS.values()), ids=list(VARIANTS))
def either(
    request: pytest.FixtureRequest, dynamodb: Database, monkeypatch: pytest.MonkeyPatch
) -> World:
    return World(dynamodb, monkeypatch, request.param)


def test_a_hundred_events_are_appended_in_one_request(either: World) -> None:
    sent = [view(n, NOW - minutes(n)) for n in range(100)]
    assert either.send(*sent) == ids(sent)
    stored = either.stored()
    assert ids(reversed(stored)) == ids(sent)
    assert {event["user_id"] for event in stored} == {"ada"}
    assert stored[-1] == {
        **sent[0],
        "user_id": "ada",
        "metadata": {"n": Decimal(0)},
        "timestamp": "2099-01-26T12:00:00.000Z",
        "date_bucket": DAY,
    }


def test_an_event_without_an_id_is_refused_since_it_could_not_be_repeated(world: World) -> None:
    sent = [{"event_name": "search"}, view(1), {"event_id": None, "event_name": "search"}]
    wrong = problem(world("POST", {"events": sent}), 400)
    names = ("event_id", "timestamp")
    assert wrong.keys() == {f"/events/{n}/{name}" for n in (0, 2) for name in names}
    assert world.stored() == []


def test_a_day_is_listed_newest_first(either: World) -> None:
    yesterday = view(50, NOW - timedelta(hours=13))
    # Five in each of three milliseconds, so that pages end between events of the same moment.
    sent = [view(n, NOW - minutes(n // 5)) for n in range(15)]
    either.send(*sent[::2], yesterday)
    either.send(*sent[1::2], claims=BOB)
    expected = sorted(ids(sent), reverse=True)
    for limit in (4, 100):
        assert ids(either.all(limit, date_bucket=DAY)) == expected
    assert ids(either.all(1, date_bucket="2099-01-25")) == ids([yesterday])
    assert either.all(10, date_bucket="2099-01-24") == []


def test_events_of_a_name_are_picked_out(either: World) -> None:
    names = ("content.viewed", "search", "content.downloaded")
    either.send(*(view(n, NOW - minutes(n), event_name=names[n % 3]) for n in range(12)))
    for listed in (
        either.all(3, date_bucket=DAY, event_name="search"),
        either.all(3, ADA, user_id="ada", event_name="search"),
    ):
        assert [event["metadata"]["n"] for event in listed] == [1, 4, 7, 10]


def test_a_user_lists_his_own_events_over_days(either: World) -> None:
    mine = [view(n, NOW - timedelta(hours=3 * n)) for n in range(8)]
    either.send(*mine)
    either.send(view(100), claims=BOB)
    listed = either.all(3, ADA, user_id="ada")
    assert ids(listed) == ids(mine)
    assert {event["date_bucket"] for event in listed} == {"2099-01-25", DAY}
    assert either.all(3, ROOT, user_id="ada") == listed


def test_both_variants_give_the_same_lists(
    dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for table in VARIANTS.values():
        world = World(Database(dynamodb_local), monkeypatch, table)
        world.send(*(view(n, NOW - minutes(n // 7)) for n in range(40)))
        found.append(
            (world.all(7, date_bucket=DAY), world.all(7, ADA, user_id="ada"), world.stored())
        )
    assert found[0] == found[1]
    assert len(found[0][0]) == 40


def test_only_members_of_the_portal_append(world: World) -> None:
    body = {"events": [view()]}
    for claims in ({"sub": "eve"}, {"sub": "eve", "cognito:groups": "[operators]"}):
        assert problem(world("POST", body, claims=claims), 403) == {}
    assert problem(world("POST", body, claims={"cognito:groups": "[readers]"}), 403) == {}
    assert world.stored() == []
    for number, claims in enumerate((ADA, BOB, GRACE, ROOT)):
        world.send(view(number), claims=claims)
    assert {event["user_id"] for event in world.stored()} == {"ada", "bob", "grace", "root"}


def test_a_day_is_for_approvers_and_admins_a_user_for_himself_and_admins(world: World) -> None:
    asked: list[tuple[dict[str, str], dict[str, str], int]] = [
        (ADA, {"date_bucket": DAY}, 403),
        (BOB, {"date_bucket": DAY}, 403),
        (GRACE, {"date_bucket": DAY}, 200),
        (ROOT, {"date_bucket": DAY}, 200),
        (ADA, {"user_id": "ada"}, 200),
        (BOB, {"user_id": "ada"}, 403),
        (GRACE, {"user_id": "ada"}, 403),
        (ROOT, {"user_id": "ada"}, 200),
        ({"sub": "ada"}, {"user_id": "ada"}, 403),
    ]
    for claims, query, status in asked:
        answer = world("GET", claims=claims, **query)
        assert answer.status == status, (claims, query, answer.text)
        assert conforms(answer, "EventPage" if status == 200 else "Problem")


def test_the_window_of_events_that_are_taken(world: World) -> None:
    oldest, newest = NOW - timedelta(days=30), NOW + timedelta(days=1)
    world.send(view(1, oldest), view(2, newest))
    before = world.stored()
    for moment in (oldest - MILLISECOND, newest + MILLISECOND):
        refused = world("POST", {"events": [view(3), view(4, moment)]})
        wrong = problem(refused, 400)
        assert list(wrong) == ["/events/1/event_id"]
        since, until = iso_utc(oldest), iso_utc(newest)
        assert wrong["/events/1/event_id"].endswith(f"must be from {since} to {until}")
    assert world.stored() == before
    # What is older can be sent again no longer: its day is closed.
    world.now += MILLISECOND
    assert list(problem(world("POST", {"events": [view(1, oldest)]}), 400)) == [ID]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"events": []}, ["/events"]),
        ({"events": [view(n) for n in range(101)]}, ["/events"]),
        ({"events": [view()], "more": 1}, ["/events"]),
        ({"events": {"0": view()}}, ["/events"]),
        ([view()], ["/events"]),
        ({"events": ["viewed"]}, ["/events/0"]),
        ({"events": [view(0), {**view(1), "user_id": "bob"}]}, ["/events/1/user_id"]),
        ({"events": [{**view(), "ttl": 1}]}, ["/events/0"]),
        ({"events": [{**view(), "timestamp": "2099-01-26T12:00:00"}]}, ["/events/0/timestamp"]),
        ({"events": [{**view(), "timestamp": "2099-01-26"}]}, ["/events/0/timestamp"]),
        ({"events": [{**view(), "timestamp": "2098-01-26T12:00:00Z"}]}, ["/events/0/timestamp"]),
        ({"events": [{"event_id": id_of()}]}, ["/events/0/event_name"]),
        ({"events": [view(event_name="a\nb")]}, ["/events/0/event_name"]),
        ({"events": [view(event_name="x" * 101)]}, ["/events/0/event_name"]),
        ({"events": [view(content_id="a#b")]}, ["/events/0/content_id"]),
        ({"events": [view(metadata=["a"])]}, ["/events/0/metadata"]),
        ({"events": [view(metadata={"": 1})]}, ["/events/0/metadata"]),
        # Half of a character is no text, wherever it is.
        ({"events": [view(metadata={"a": "\ud800"})]}, []),
        ({"events": [view(metadata={"a": "x" * 8192})]}, ["/events/0/metadata"]),
        ({"events": [view(event_id="d9428888-122b-41e1-b85c-61cd3cbb3210")]}, [TIME]),
        ({"events": [view(event_id="a#b", timestamp=MOMENT)]}, [ID]),
        ({"events": [view(event_id="x" * 129, timestamp=MOMENT)]}, [ID]),
        ({"events": [view(event_id=7, event_name="")]}, [ID, "/events/0/event_name", TIME]),
        ({"events": [view(1), view(2), view(1)]}, ["/events/2/event_id"]),
    ],
)
def test_what_is_not_an_event_is_refused_and_nothing_is_stored(
    world: World, body: Any, pointers: list[str]
) -> None:
    assert sorted(problem(world("POST", body), 400)) == pointers
    assert world.stored() == []


def test_a_body_that_is_not_json_is_refused(world: World) -> None:
    for text in ("", "{", '{"events": [NaN]}', "[" * 100_000):
        assert problem(world("POST", text), 400) == {}


def test_what_cannot_be_asked_is_refused(world: World) -> None:
    asked: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["date_bucket", "user_id"]),
        ({"date_bucket": DAY, "user_id": "root"}, ["date_bucket", "user_id"]),
        ({"date_bucket": "2099-02-30"}, ["date_bucket"]),
        ({"date_bucket": "today"}, ["date_bucket"]),
        ({"date_bucket": DAY, "limit": 0}, ["limit"]),
        ({"date_bucket": DAY, "limit": 101}, ["limit"]),
        ({"date_bucket": DAY, "event_name": "a\nb"}, ["event_name"]),
        ({"date_bucket": DAY, "since": "x"}, ["since"]),
        ({"user_id": "a#b"}, ["user_id"]),
    ]
    for query, pointers in asked:
        assert sorted(problem(world("GET", claims=ROOT, **query), 400)) == pointers, query


def test_metadata_comes_back_as_it_was_sent(either: World) -> None:
    largest = {"text": "ü" * ((8192 - len('{"text": ""}')) // 2)}
    given: list[dict[str, Any]] = [
        {},
        largest,
        {
            "Name": "Zoë 日本 🎉 \u2028",
            "name": '\x00\n\r\t"\\',
            "nested": {"a": [1, [], {}, None, True]},
        },
        {"deep": {"1": {"2": {"3": {"4": {"5": {"6": {"7": "x"}}}}}}}},
        {"whole": 12345678901234567890, "negative": -7, "half": 0.5, "tiny": 1e-30},
    ]
    either.send(*(view(n, NOW - minutes(n), metadata=one) for n, one in enumerate(given)))
    assert [event["metadata"] for event in either.all(2, date_bucket=DAY)] == given
    assert [event["metadata"] for event in either.all(2, ADA, user_id="ada")] == given


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2099-01-26T10:04:00Z", "2099-01-26T10:04:00.000Z"),
        ("2099-01-26T10:04:00.123456Z", "2099-01-26T10:04:00.123Z"),
        ("2099-01-26T00:30:00+01:00", "2099-01-25T23:30:00.000Z"),
    ],
)
def test_an_event_has_the_id_and_the_timestamp_that_it_is_given(
    either: World, given: str, stored: str
) -> None:
    event = {"event_id": "order:17/view", "event_name": "content viewed", "timestamp": given}
    for _ in range(2):
        either.send({**event, "user_id": "ada"})
    (found,) = either.stored()
    assert (found["event_id"], found["timestamp"]) == ("order:17/view", stored)
    assert either.all(10, date_bucket=stored[:10]) == [found]
    clash = either("POST", {"events": [{**event, "event_name": "other"}]})
    assert list(problem(clash, 409)) == [ID]


def test_a_table_that_keeps_fewer_days_takes_fewer(world: World) -> None:
    old = view(1, NOW - timedelta(days=3))
    body = {"events": [old]}
    assert events_from(body, "ada", NOW)
    with pytest.raises(InvalidRequest):
        events_from(body, "ada", NOW, days=2)


def test_numbers_keep_all_their_digits(world: World) -> None:
    number = "0.12345678901234567890123456789012345678"
    event = f'{{"event_id":"{id_of()}","event_name":"measured","metadata":{{"x":{number}}}}}'
    assert world("POST", f'{{"events":[{event}]}}').status == 202
    assert f'"x":{number}' in world("GET", claims=GRACE, date_bucket=DAY).text
