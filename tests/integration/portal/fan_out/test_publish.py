"""Changes of content become messages: all of them, whatever the queue and the stream do."""

import json
from typing import Any

import pytest

from lambdas.portal.handlers import notify_users, publish_announcements
from lambdas.portal.notification_fan_out.announcements import APPROVAL, Announcement
from lambdas.portal.notification_fan_out.messages import Message, message_from
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Throttled
from tablewright.runtime.messaging.queue import Queue
from tablewright.testing import Database, survives_every_fault
from tests.integration.http import Context, Hurried
from tests.integration.portal.fan_out.fan_out_world import OWNER, FanOutWorld, content

MANY_TAGS = [f"tag {number}" for number in range(20)]


@pytest.fixture
def room(dynamodb: Database) -> FanOutWorld:
    return FanOutWorld(dynamodb)


def sent(room: FanOutWorld) -> list[tuple[str, str, str | None]]:
    """Kind, version and recipient of the messages in the queue, each once."""
    found = {message_from(body) for body in room.cloud.messages}
    return sorted((m.announcement.kind, m.announcement.version, m.topic or m.owner) for m in found)


def test_approval_asks_for_every_topic_of_the_content(room: FanOutWorld) -> None:
    made = room.approved(product_suite="Data", product_concept="Lake", tags=["a", "b"])
    assert room.publish() == {"batchItemFailures": []}
    topics = ("all", "product##Lake", "product#Data#", "product#Data#Lake", "tag#a", "tag#b")
    assert sent(room) == [("approved", "2", topic) for topic in topics]
    assert json.loads(room.cloud.messages[0])["content"] == {
        "kind": "approved",
        "content_id": "c1",
        "version": "2",
        "title": "About c1",
        "at": made.last_updated,
        "tags": ["a", "b"],
        "product_suite": "Data",
        "product_concept": "Lake",
    }


def test_drafts_deletions_and_marks_of_the_calendar_announce_nothing(room: FanOutWorld) -> None:
    made = room.write()
    made = room.change(made, title="Better")
    made = room.change(made, status="Approved")
    before = room.records()
    made = room.change(made, status="Deprecated")
    room.content.update(ContentRegistry.update_content, made, {"due_at": None})
    room.clear_content()
    room.publish(room.records()[len(before) :])
    assert room.cloud.messages == []


def test_every_record_delivered_three_times_in_any_batches_says_the_same(room: FanOutWorld) -> None:
    room.subscribe("ada", "bob")
    room.approved(tags=["x"])
    room.change(room.approved("c2"), status="Expired")
    records = room.records()
    for size in (len(records), 2, 1):
        for start in range(0, len(records), size):
            room.publish(records[start : start + size])
    room.drain()
    expected = [(user, "Version 2 was approved.") for user in ("ada", "bob")]
    expected += [(OWNER, "It expired on 2025-01-26.")]
    assert room.told() == sorted(expected)


def test_entries_that_the_queue_refuses_are_sent_again(room: FanOutWorld) -> None:
    room.approved(tags=MANY_TAGS)
    room.cloud.refuses = 3
    room.publish()
    assert len(room.cloud.messages) == len(sent(room)) == 21


def test_a_queue_that_takes_nothing_fails_the_batch(room: FanOutWorld) -> None:
    room.approved()
    room.cloud.refuses = 100
    with pytest.raises(Throttled):
        room.publish()


def test_every_fault_at_every_call_and_the_stream_again_lose_nothing(room: FanOutWorld) -> None:
    room.approved(tags=MANY_TAGS)
    records = room.records()

    def fresh() -> Caller:
        room.cloud.messages.clear()
        return room.edge

    def work(caller: Caller) -> None:
        room.publish(records, caller)

    assert len(survives_every_fault(work, lambda: sent(room), fresh=fresh)) == 3
    assert len(sent(room)) == 21


def test_a_record_that_is_no_content_stops_what_is_behind_it(room: FanOutWorld) -> None:
    room.approved("c1")
    room.approved("c2")
    records = room.records()
    bad = records[2]
    del bad["dynamodb"]["NewImage"]["title"]
    answer = room.publish(records)
    assert answer == {"batchItemFailures": [{"itemIdentifier": bad["dynamodb"]["SequenceNumber"]}]}
    assert {message_from(body).announcement.content_id for body in room.cloud.messages} == {"c1"}


def test_the_handler_publishes_what_lambda_hands_it(
    room: FanOutWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = publish_announcements.Resources(Queue(room.edge, "queue"))
    monkeypatch.setattr(publish_announcements, "resources", lambda: made)
    room.approved()
    event = json.loads(json.dumps({"Records": room.records()}))
    assert publish_announcements.handler(event, Context()) == {"batchItemFailures": []}
    assert sent(room) == [("approved", "2", "all")]


def delivered(*bodies: str) -> dict[str, Any]:
    return {"Records": [{"messageId": str(n), "body": body} for n, body in enumerate(bodies)]}


def test_a_bad_message_fails_alone(room: FanOutWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    made = notify_users.Resources(room.notifier())
    monkeypatch.setattr(notify_users, "resources", lambda: made)
    room.subscribe("ada")
    room.approved()
    good = Message(
        Announcement.of(APPROVAL, content(version="2"), content().last_updated), topic="all"
    ).body
    answer = notify_users.handler(delivered("{", good, '{"content": {}}'), Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "2"}]}
    assert room.told() == [("ada", "Version 2 was approved.")]


def test_each_message_of_a_batch_goes_on_when_time_is_short(
    room: FanOutWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = notify_users.Resources(room.notifier(page=2))
    monkeypatch.setattr(notify_users, "resources", lambda: made)
    room.subscribe("ada", "bob", "cyd")
    room.subscribe("dan", "eve", tags=["x"])
    room.approved(tags=["x"])
    room.publish()
    bodies, room.cloud.messages = room.cloud.messages, []
    assert notify_users.handler(delivered(*bodies), Hurried()) == {"batchItemFailures": []}
    assert [user for user, _ in room.told()] == ["ada", "bob", "dan", "eve"]
    assert sorted(message_from(body).after or "" for body in room.cloud.messages) == ["bob", "eve"]
    room.drain()
    assert [user for user, _ in room.told()] == ["ada", "bob", "cyd", "dan", "eve"]
