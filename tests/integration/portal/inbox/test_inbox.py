"""Notifications: everybody reads and marks his own, page by page."""

from typing import Any

import pytest

from lambdas.portal.inbox import notifications
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.testing import Database, survives_every_fault
from tests.integration.portal.fan_out.fan_out_world import NOW, FanOutWorld
from tests.integration.portal.inbox.inbox_http import Http, conforms, ids, problem, tell


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


@pytest.fixture
def http(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(room, monkeypatch)


def test_notifications_are_listed_newest_first(room: FanOutWorld, http: Http) -> None:
    told = tell(room, "ada", 7)
    tell(room, "bob", 3)
    assert ids(http.pages("/notifications", limit=3)) == ids(told[::-1])
    answer = http("GET", "/notifications")
    assert conforms(answer, "NotificationPage")
    shown = {name: value for name, value in told[-1].items() if name != "unread_by"}
    assert answer.json["items"][0] == shown


def test_a_notification_is_read_by_its_id(room: FanOutWorld, http: Http) -> None:
    (told,) = tell(room, "ada", 1)
    answer = http("GET", f"/notifications/{told.notification_id}")
    assert conforms(answer, "Notification")
    assert answer.json["title"] == told.title


def test_nobody_reads_or_marks_what_is_anothers(room: FanOutWorld, http: Http) -> None:
    (told,) = tell(room, "ada", 1)
    before = room.notifications()
    for id in (told.notification_id, "0" * 32):
        read = http("GET", f"/notifications/{id}", user="bob")
        marked = http("POST", f"/notifications/{id}/read", user="bob")
        assert problem(read, 404) == problem(marked, 404) == {}
        assert read.json == marked.json
        assert read.json["detail"] == "You have no such notification."
    assert http("POST", "/notifications/read", user="bob").json == {"marked": 0, "more": False}
    assert http("GET", "/notifications/unread-count", user="bob").json["unread"] == 0
    assert http.pages("/notifications", user="bob") == []
    assert room.notifications() == before


def test_marking_as_read_is_done_once(room: FanOutWorld, http: Http) -> None:
    first, second = tell(room, "ada", 2)
    path = f"/notifications/{first.notification_id}/read"
    answer = http("POST", path)
    assert conforms(answer, "Notification")
    assert (answer.json["read"], answer.json["read_at"]) == (True, iso_utc(NOW))
    http.over(room.edge, NOW.replace(year=2026))
    assert http("POST", path).json == answer.json
    assert ids(http.pages("/notifications", unread="true")) == [second.notification_id]
    assert len(http.pages("/notifications", unread="false")) == 2
    assert http("GET", "/notifications/unread-count").json == {"unread": 1, "more": False}


def test_what_is_unread_is_listed_in_full(room: FanOutWorld, http: Http) -> None:
    told = tell(room, "ada", 5)
    for one in told[::2]:
        http("POST", f"/notifications/{one.notification_id}/read")
    assert ids(http.pages("/notifications", unread="true", limit=1)) == ids(told[3::-2])
    assert conforms(http("GET", "/notifications", unread="true"), "NotificationPage")


def test_the_count_of_the_unread_has_a_bound(room: FanOutWorld, http: Http) -> None:
    most = notifications.MOST_COUNTED
    tell(room, "ada", most)
    answer = http("GET", "/notifications/unread-count")
    assert conforms(answer, "Unread")
    assert answer.json == {"unread": most, "more": False}
    tell(room, "ada", most + 1)
    assert http("GET", "/notifications/unread-count").json == {"unread": most, "more": True}


def test_all_are_marked_as_read_in_bounded_requests(
    room: FanOutWorld, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "MOST_MARKED", 10)
    tell(room, "ada", 25)
    tell(room, "bob", 2)
    answers = [http("POST", "/notifications/read") for _ in range(4)]
    assert all(conforms(answer, "Marked") for answer in answers)
    assert [(one.json["marked"], one.json["more"]) for one in answers] == [
        (10, True),
        (10, True),
        (5, False),
        (0, False),
    ]
    assert {one.user_id for one in room.notifications() if not one.read} == {"bob"}


def test_marking_all_survives_every_fault(room: FanOutWorld, http: Http) -> None:
    def fresh() -> Caller:
        room.forget()
        tell(room, "ada", 3)
        return room.edge

    def work(caller: Caller) -> None:
        store = room.notifications_store(caller)
        notifications.UserNotifications(store, "ada").mark_all_as_read(NOW)

    assert len(survives_every_fault(work, room.notifications, fresh=fresh)) >= 4
    assert all(one.read and "unread_by" not in one for one in room.notifications())


def test_marking_one_survives_every_fault(room: FanOutWorld, http: Http) -> None:
    (told,) = tell(room, "ada", 1)

    def fresh() -> Caller:
        room.forget()
        tell(room, "ada", 1)
        return room.edge

    def work(caller: Caller) -> None:
        store = room.notifications_store(caller)
        notifications.UserNotifications(store, "ada").mark_as_read(told.notification_id, NOW)

    assert len(survives_every_fault(work, room.notifications, fresh=fresh)) >= 3
    assert room.notifications()[0].read is True


def altered(cursor: str) -> str:
    return cursor[:-1] + ("A" if cursor[-1] != "A" else "B")


@pytest.mark.parametrize("unread", ["true", "false"])
def test_cursors_are_good_for_one_list_of_one_user_for_an_hour(
    room: FanOutWorld, http: Http, unread: str
) -> None:
    tell(room, "ada", 3)
    tell(room, "bob", 3)
    cursor = http("GET", "/notifications", unread=unread, limit=1).json["next_cursor"]
    other = "false" if unread == "true" else "true"
    attacks: list[tuple[str, dict[str, Any]]] = [
        ("not one that was issued here", {"cursor": altered(cursor), "unread": unread}),
        ("not one that was issued here", {"cursor": "bm9uc2Vuc2U", "unread": unread}),
        ("issued to another caller", {"cursor": cursor, "unread": unread, "user": "bob"}),
        ("belongs to another list", {"cursor": cursor, "unread": other}),
    ]
    for reason, asked in attacks:
        assert reason in problem(http("GET", "/notifications", **asked), 400)["cursor"]
    assert "another list" in problem(http("GET", "/subscriptions", cursor=cursor), 400)["cursor"]
    http.clock += 3601
    expired = http("GET", "/notifications", cursor=cursor, unread=unread)
    assert "expired" in problem(expired, 400)["cursor"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"unread": "yes"}, "unread"),
        ({"user_id": "bob"}, "user_id"),
    ],
)
def test_what_cannot_be_asked_is_refused(http: Http, query: dict[str, Any], pointer: str) -> None:
    assert pointer in problem(http("GET", "/notifications", **query), 400)


def test_an_id_that_is_none_is_refused(http: Http) -> None:
    assert "notification_id" in problem(http("GET", "/notifications/a b"), 400)
    assert "notification_id" in problem(http("POST", f"/notifications/{'a' * 129}/read"), 400)


ROUTES = [
    ("GET", "/notifications"),
    ("GET", "/notifications/unread-count"),
    ("GET", f"/notifications/{'0' * 32}"),
    ("POST", f"/notifications/{'0' * 32}/read"),
    ("POST", "/notifications/read"),
    ("POST", "/subscriptions"),
    ("GET", "/subscriptions"),
    ("GET", "/subscriptions/0194a211-7280-7abc-8def-0123456789ab"),
    ("DELETE", "/subscriptions/0194a211-7280-7abc-8def-0123456789ab"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_only_members_of_the_portal_get_in(http: Http, method: str, path: str) -> None:
    for groups in ("", "[strangers]"):
        refused = http(method, path, {}, groups=groups)
        problem(refused, 403)
        assert "'readers'" in refused.json["detail"]
    problem(http(method, path, {}, user=""), 403)
    problem(http(method, path, {}, user="a#b"), 403)
    for group in ("readers", "authors", "approvers", "admins"):
        assert http(method, path, {}, groups=f"[{group}]").status in (200, 201, 204, 404)
