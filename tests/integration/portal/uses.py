"""Everything that each function of the portal does, in as few steps as can be.

Whatever is allowed in a folder is done for two of what it has, so that the folder is seen to be as
deep as it can be.
"""

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from lambdas.portal.content.files import Files, Place
from lambdas.portal.content.requests import file_from
from lambdas.portal.contract import (
    CONTENT_ROUTES,
    EVENT_ROUTES,
    INBOX_ROUTES,
)
from lambdas.portal.handlers import (
    clean_files,
    complete_uploads,
    content_api,
    events_api,
    inbox_api,
    index_content,
    notify_users,
    publish_announcements,
    run_calendar,
    verify_search,
)
from lambdas.portal.search.index import ContentIndex
from tablewright.catalog.portal.content import APPROVED, EXPIRED, HARD, Content, ContentRegistry
from tablewright.catalog.portal.events import event_key
from tablewright.catalog.portal.search import ContentSearch
from tablewright.model import Record
from tablewright.runtime.ids import uuid7
from tablewright.testing.privileges.platform import FAILED_EVENTS, FAILURES, QUEUE, STREAM
from tests.integration.functions import TAKEN, Around, Function, hurried, message
from tests.integration.http import Requests
from tests.integration.portal.content.content_world import (
    CONTRACT,
    NEW,
    OLA,
    PDF,
    SEARCH_TABLE,
    file_of,
)
from tests.integration.portal.fan_out.fan_out_world import FanOutWorld, users
from tests.integration.portal.inbox.inbox_http import tell
from tests.integration.session import Aws

FILES, EXPORTS, EVENTS_TABLE = "files", "exports", "events"
TWO = ("c1", "c2")
FILE = file_from(file_of())


def use_content_api(aws: Aws, room: FanOutWorld) -> None:
    """Every route for two contents; what is there already, and what others change meanwhile."""
    ask = Requests(content_api.handler, CONTRACT, OLA)
    ask("GET", "/openapi.json")
    about = {**NEW, "product_suite": "Data", "product_concept": "Lake", "expiry_policy": HARD}
    for id in TWO:
        one, body = f"/content/{id}", {**about, "content_id": id}
        ask("POST", "/content", body, expect=201)
        ask("POST", "/content", body)
        upload_id = ask("POST", f"{one}/file", file_of())["upload_id"]
        found = Content(**ask("GET", one))
        aws.before["UpdateItem"] = partial(room.change, found, title="Theirs")
        ask("PATCH", one, {"title": "Mine", "version": "1"}, expect=409)
        room.change(room.read(id), **recorded(aws, id, upload_id))
        ask("GET", f"{one}/file")
        ask("PATCH", one, {"title": "Mine", "version": "3"})
        ask("DELETE", f"{one}/draft", {"version": "4"})
    product = {"product_suite": "Data", "product_concept": "Lake"}
    lists: list[dict[str, Any]] = [{"status": "Draft"}, product, {"owner_user_id": "ola"}]
    for query in lists:
        page = ask("GET", "/content", limit=1, **query)
        ask("GET", "/content", limit=1, cursor=page["next_cursor"], **query)
    index = ContentIndex(room.content, aws.store(ContentSearch, SEARCH_TABLE))
    for id in TWO:
        index.refresh(id)
    page = ask("GET", "/search", limit=1, q="mine")
    assert ask("GET", "/search", limit=1, q="mine", cursor=page["next_cursor"])["items"]
    for id in TWO:
        for status, version in ((APPROVED, "4"), (EXPIRED, "5")):
            ask("POST", f"/content/{id}/status", {"status": status, "version": version})
        aws.before["DeleteItem"] = partial(change_now, room, id)
        ask("DELETE", f"/content/{id}", {"version": "6"}, expect=409)
        ask("DELETE", f"/content/{id}", {"version": "7"}, expect=204)
    assert not aws.cloud.objects
    assert ask.routes == set(CONTENT_ROUTES)


def recorded(aws: Aws, content_id: str, upload_id: str) -> Record:
    """What content knows of a file that was uploaded."""
    key = Place(content_id, upload_id).key
    aws.cloud.call("PutObject", {"Bucket": FILES, "Key": key})
    kind = {"content_type": "application/pdf", "size_bytes": len(PDF), "file_name": "a.pdf"}
    return {"s3_key": key, "s3_bucket": FILES, **kind}


def change_now(room: FanOutWorld, content_id: str) -> None:
    room.change(room.read(content_id), title="Theirs")


def upload(aws: Aws, content_id: str, **wrong: Any) -> str:
    """The key of a file that somebody uploads, or of another than he asked for."""

    def put(_: str, params: dict[str, Any], __: int) -> str:
        aws.cloud.call("PutObject", {**params, **wrong})
        return ""

    asked = Files(aws.cloud, put, FILES).upload(content_id, FILE, datetime.now(UTC))
    return Place(content_id, asked["upload_id"]).key


def use_uploads(aws: Aws, room: FanOutWorld) -> None:
    """A file, the next one, a wrong one, nobody's, a missing one; and a change meanwhile."""

    def arrive(key: str) -> None:
        record = {"s3": {"bucket": {"name": FILES}, "object": {"key": key}}}
        assert (
            complete_uploads.handler(message(json.dumps({"Records": [record]})), Around()) == TAKEN
        )

    for id in TWO:
        room.write(id)
        arrive(upload(aws, id))
        aws.before["UpdateItem"] = partial(change_now, room, id)
        arrive(last := upload(aws, id))
        arrive(upload(aws, id, ContentLength=1))
        arrive(upload(aws, f"not-{id}"))
        arrive(Place(id, uuid7(datetime.now(UTC))).key)
        assert (FILES, last) in aws.cloud.objects
    assert len(aws.cloud.objects) == 2


def use_clean(aws: Aws, room: FanOutWorld) -> None:
    """A file of each of two contents, of which one is there; page by page, run by run."""
    aws.cloud.listed = 1
    room.write("c0")
    for id in ("c0", *TWO):
        upload(aws, id)
    assert clean_files.handler({}, hurried())["removed"] == 2
    clean_files.handler(aws.cloud.next_event(), Around())
    assert len(aws.cloud.objects) == 1


def use_calendar(aws: Aws, room: FanOutWorld) -> None:
    """More than a run has time for: two of them with files, and one changed meanwhile."""
    past = datetime.now(UTC) - timedelta(days=1)
    for number in range(51):
        file = recorded(aws, f"c{number}", uuid7(past)) if number < 2 else {}
        due = {"status": APPROVED, "expiry_date": past, "expiry_policy": HARD}
        room.write(f"c{number}", **due, **file)
    aws.before["UpdateItem"] = partial(change_now, room, "c0")
    assert run_calendar.handler({}, hurried())["looked_at"] == 50
    assert run_calendar.handler(aws.cloud.next_event(), Around())["looked_at"] == 1
    assert not aws.cloud.objects


def use_publish(aws: Aws, room: FanOutWorld) -> None:
    """An approval."""
    room.approved("c1")
    assert publish_announcements.handler({"Records": room.records()}, Around()) == TAKEN
    assert aws.cloud.messages


def use_index(aws: Aws, room: FanOutWorld) -> None:
    """Contents that are made, changed and removed, and one that others change meanwhile."""
    made = [room.write(id) for id in TWO]
    assert index_content.handler({"Records": room.records()}, Around()) == TAKEN
    for one in made:
        room.change(one, title="Another title")
    aws.before["TransactWriteItems"] = partial(change_now, room, "c1")
    assert index_content.handler({"Records": room.records()}, Around()) == TAKEN
    for one in made:
        room.content.delete(ContentRegistry.delete_content, one)
    assert index_content.handler({"Records": room.records()}, Around()) == TAKEN
    assert not room.items(SEARCH_TABLE)


def use_verify(aws: Aws, room: FanOutWorld) -> None:
    """An index that is missing, then one of other words, then one of what is gone."""
    made = [room.write(id) for id in TWO]

    def verified() -> int:
        answer = verify_search.handler({"repair": True}, hurried())
        while aws.cloud.invoked:
            answer = verify_search.handler(aws.cloud.next_event(), hurried())
        assert answer["after"] is None
        return len(room.items(SEARCH_TABLE))

    assert verified()
    for one in made:
        room.change(one, title="Another title")
    assert verified()
    for one in made:
        room.content.delete(ContentRegistry.delete_content, one)
    assert verified() == 0


def use_notify(aws: Aws, room: FanOutWorld) -> None:
    """More subscribers than it has time for, each told once; and an owner."""
    room.subscribe(*users(501))
    room.approved("c1")
    room.change(room.approved("c2"), status=EXPIRED)
    room.publish()
    waiting = room.cloud.messages
    for body in [*waiting, *waiting]:
        assert notify_users.handler(message(body), hurried()) == TAKEN
    for body in aws.cloud.messages:
        assert notify_users.handler(message(body), Around()) == TAKEN
    assert {user for user, _ in room.told()} >= set(users(501))


def use_inbox_api(aws: Aws, room: FanOutWorld) -> None:
    """Every route, the second page of every list, and what is read elsewhere meanwhile."""
    ask = Requests(inbox_api.handler, CONTRACT, OLA)
    told = tell(room, "ola", 4)
    lists: list[dict[str, Any]] = [{}, {"unread": "true"}]
    for query in lists:
        page = ask("GET", "/notifications", limit=1, **query)
        ask("GET", "/notifications", limit=1, cursor=page["next_cursor"], **query)
    one = f"/notifications/{told[0].notification_id}"
    other = f"/notifications/{told[1].notification_id}"
    ask("GET", one)
    aws.before["UpdateItem"] = partial(ask, "POST", f"{one}/read")
    ask("POST", f"{one}/read")
    ask("POST", f"{other}/read")
    assert ask("GET", "/notifications/unread-count")["unread"] == 2
    assert ask("POST", "/notifications/read")["marked"] == 2
    for tags in (["a"], ["b"]):
        made = ask("POST", "/subscriptions", {"tags": tags}, expect=201)
    assert ask("POST", "/subscriptions", {"tags": ["b"]}) == made
    page = ask("GET", "/subscriptions", limit=1)
    ask("GET", "/subscriptions", limit=1, cursor=page["next_cursor"])
    ask("GET", f"/subscriptions/{made['subscription_id']}")
    ask("DELETE", f"/subscriptions/{made['subscription_id']}", expect=204)
    assert ask.routes == set(INBOX_ROUTES)


def use_events_api(_: Aws, __: FanOutWorld) -> None:
    """Events, the same again, and the second page of both lists."""
    ask = Requests(events_api.handler, CONTRACT, OLA)
    now = datetime.now(UTC)
    batch = [{"event_id": uuid7(now), "event_name": "content.viewed"} for _ in range(2)]
    for _again in range(2):
        ask("POST", "/events", {"events": batch}, expect=202)
    day = event_key(str(batch[0]["event_id"]))["timestamp"][:10]
    lists: list[dict[str, Any]] = [{"date_bucket": day}, {"user_id": "ola"}]
    for query in lists:
        page = ask("GET", "/events", limit=1, **query)
        ask("GET", "/events", limit=1, cursor=page["next_cursor"], **query)
    assert ask.routes == set(EVENT_ROUTES)


FUNCTIONS = {
    "ContentApi": Function(content_api, use_content_api),
    "Uploads": Function(complete_uploads, use_uploads, QUEUE),
    "Clean": Function(clean_files, use_clean, FAILED_EVENTS),
    "Calendar": Function(run_calendar, use_calendar, FAILED_EVENTS),
    "FanOutPublish": Function(publish_announcements, use_publish, STREAM | FAILURES),
    "SearchIndex": Function(index_content, use_index, STREAM | FAILURES),
    "SearchVerify": Function(verify_search, use_verify),
    "FanOutNotify": Function(notify_users, use_notify, QUEUE),
    "InboxApi": Function(inbox_api, use_inbox_api),
    "EventsApi": Function(events_api, use_events_api),
}
