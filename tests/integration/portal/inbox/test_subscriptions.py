"""UserSubscriptions: everybody says what he wants to be told of, and finds that again."""

from typing import Any

import pytest

from lambdas.portal.inbox import subscriptions
from lambdas.portal.inbox.subscriptions import UserSubscriptions
from tablewright.runtime.aws import Caller
from tablewright.testing import Database, survives_every_fault
from tests.integration.portal.fan_out.fan_out_world import NOW, FanOutWorld
from tests.integration.portal.inbox.inbox_http import Http, conforms, problem

WANTED = {"product_suite": "Data", "product_concept": "Lake", "tags": ["sql", "demo"]}


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


@pytest.fixture
def http(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(room, monkeypatch)


def test_a_subscription_is_made_found_and_removed(room: FanOutWorld, http: Http) -> None:
    made = http("POST", "/subscriptions", WANTED)
    assert made.status == 201
    assert conforms(made, "Subscription")
    assert made.json.items() >= {**WANTED, "tags": ["demo", "sql"], "user_id": "ada"}.items()
    path = f"/subscriptions/{made.json['subscription_id']}"
    assert http("GET", path).json == made.json
    assert http.pages("/subscriptions") == [made.json]
    for _ in range(2):
        assert http("DELETE", path).status == 204
    problem(http("GET", path), 404)
    assert http.pages("/subscriptions") == []


def test_who_subscribes_through_the_api_is_told(room: FanOutWorld, http: Http) -> None:
    http("POST", "/subscriptions", {"tags": ["sql"]})
    http("POST", "/subscriptions", {}, user="bob")
    http("POST", "/subscriptions", {"product_suite": "CRM"}, user="cyd")
    room.approved(tags=["sql"])
    room.publish()
    room.drain()
    assert [user for user, _ in room.told()] == ["ada", "bob"]
    assert http("GET", "/notifications/unread-count").json["unread"] == 1


@pytest.mark.parametrize(
    "same",
    [
        WANTED,
        {**WANTED, "tags": ["demo", "sql", "sql"]},
        {**WANTED, "tags": [" SQL", "\uff24emo"]},
    ],
)
def test_the_same_again_is_the_same_subscription(http: Http, same: dict[str, Any]) -> None:
    made = http("POST", "/subscriptions", WANTED)
    again = http("POST", "/subscriptions", same)
    assert (again.status, again.json) == (200, made.json)
    other = http("POST", "/subscriptions", {**WANTED, "tags": ["sql"]})
    assert other.status == 201
    assert http("POST", "/subscriptions", WANTED, user="bob").status == 201


@pytest.mark.parametrize("body", [{}, {"tags": []}, {"tags": None, "product_suite": None}])
def test_no_filters_are_a_subscription_to_everything(http: Http, body: dict[str, Any]) -> None:
    made = http("POST", "/subscriptions", body)
    assert conforms(made, "Subscription")
    assert set(made.json) == {"user_id", "subscription_id", "created_at"}
    assert http("POST", "/subscriptions", {}).json == made.json


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ("text", ""),
        ({"product_suite": "a#b"}, "/product_suite"),
        ({"product_suite": 1}, "/product_suite"),
        ({"product_concept": ""}, "/product_concept"),
        ({"tags": "sql"}, "/tags"),
        ({"tags": [1]}, "/tags"),
        ({"tags": ["x" * 51]}, "/tags"),
        ({"tags": [str(n) for n in range(21)]}, "/tags"),
        ({"user_id": "bob"}, "/user_id"),
        ({"created_at": "2025-01-25T10:00:00Z"}, "/created_at"),
        ({"topic": "all"}, "/topic"),
        ({"colour": "red"}, "/colour"),
    ],
)
def test_what_is_no_subscription_is_refused(
    room: FanOutWorld, http: Http, body: Any, pointer: str
) -> None:
    refused = http("POST", "/subscriptions", body if body != "text" else '"text"')
    assert pointer in problem(refused, 400)
    assert room.items("subscriptions") == []


def test_a_tag_is_one_however_it_is_written(room: FanOutWorld, http: Http) -> None:
    http("POST", "/subscriptions", {"tags": ["Data  Lake"]})
    room.approved(tags=["data lake"])
    room.publish()
    room.drain()
    assert [user for user, _ in room.told()] == ["ada"]


def test_a_body_that_is_no_json_is_refused(http: Http) -> None:
    problem(http("POST", "/subscriptions", "{"), 400)
    problem(http("POST", "/subscriptions"), 400)


def test_there_is_a_bound_and_it_says_what_to_do(
    room: FanOutWorld, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "MOST", 3)
    made = [http("POST", "/subscriptions", {"tags": [tag]}).json for tag in "abc"]
    refused = http("POST", "/subscriptions", {"tags": ["d"]})
    problem(refused, 409)
    assert "remove one first" in refused.json["detail"]
    assert http("POST", "/subscriptions", {"tags": ["b"]}).json == made[1]
    http("DELETE", f"/subscriptions/{made[0]['subscription_id']}")
    assert http("POST", "/subscriptions", {"tags": ["d"]}).status == 201


def test_nobody_sees_or_removes_what_is_anothers(http: Http) -> None:
    made = http("POST", "/subscriptions", {}).json
    path = f"/subscriptions/{made['subscription_id']}"
    problem(http("GET", path, user="bob"), 404)
    assert http("DELETE", path, user="bob").status == 204
    assert http.pages("/subscriptions", user="bob") == []
    assert http("GET", path).json == made


def test_subscriptions_are_listed_page_by_page(http: Http) -> None:
    made = [http("POST", "/subscriptions", {"tags": [tag]}).json for tag in "abcde"]
    listed = http.pages("/subscriptions", limit=2)
    assert sorted(one["tags"] for one in listed) == [one["tags"] for one in made]
    assert conforms(http("GET", "/subscriptions", limit=2), "SubscriptionPage")


def test_cursors_of_subscriptions_are_held_to_their_user_and_list(http: Http) -> None:
    for tag in "ab":
        http("POST", "/subscriptions", {"tags": [tag]})
    cursor = http("GET", "/subscriptions", limit=1).json["next_cursor"]
    for path, user in (("/subscriptions", "bob"), ("/notifications", "ada")):
        assert "cursor" in problem(http("GET", path, cursor=cursor, user=user), 400)
    edited = cursor[:10] + ("x" if cursor[10] != "x" else "y") + cursor[11:]
    assert "cursor" in problem(http("GET", "/subscriptions", cursor=edited), 400)


def test_a_subscription_has_the_id_that_it_is_given(http: Http) -> None:
    mine = {"subscription_id": "my-demos", "tags": ["Demo", "demo"], "product_suite": "Data"}
    made = http("POST", "/subscriptions", mine)
    assert (made.status, made.json["subscription_id"]) == (201, "my-demos")
    assert made.json["tags"] == ["Demo"]
    again = http("POST", "/subscriptions", mine)
    assert (again.status, again.json) == (200, made.json)
    problem(http("POST", "/subscriptions", {**mine, "tags": ["other"]}), 409)
    same = http("POST", "/subscriptions", {"tags": ["DEMO"], "product_suite": "Data"})
    assert (same.status, same.json) == (200, made.json)
    assert http("GET", "/subscriptions/my-demos").json == made.json
    assert http("DELETE", "/subscriptions/my-demos").status == 204


def test_an_id_that_is_none_is_refused(http: Http) -> None:
    assert "subscription_id" in problem(http("GET", "/subscriptions/a b"), 400)
    assert "subscription_id" in problem(http("DELETE", "/subscriptions/a b"), 400)


def test_subscribing_survives_every_fault(room: FanOutWorld) -> None:
    def fresh() -> Caller:
        room.database.empty("subscriptions")
        return room.edge

    def work(caller: Caller) -> None:
        UserSubscriptions(room.subscriptions_store(caller), "ada").create_subscription(WANTED, NOW)

    def outcome() -> list[dict[str, Any]]:
        return room.items("subscriptions")

    # How many he made and what he has are read; both are written at once, the first time a count.
    assert len(survives_every_fault(work, outcome, fresh=fresh)) == 4
    (made,) = (item["made"] for item in outcome() if "made" in item)
    assert (made, len(outcome())) == ({"N": "1"}, 2)
