"""Notifications and subscriptions of whoever is signed in: decode, act, answer."""

import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer
from lambdas.http.application import application, respond
from lambdas.http.requests import choice, json_body, page_limit, parameters
from lambdas.portal.inbox import notifications, subscriptions
from lambdas.portal.inbox.notifications import Notifications
from lambdas.portal.inbox.subscriptions import Subscriptions
from lambdas.portal.resources import Resources
from lambdas.portal.roles import require
from tablewright.catalog.portal.notifications import NOTIFICATIONS
from tablewright.catalog.portal.subscriptions import SUBSCRIPTIONS
from tablewright.model import Field, Record
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

logger = Logger()
app = application()


class Desk(NamedTuple):
    """What requests are answered from, kept for the life of the function's environment."""

    notifications: Store
    subscriptions: Store
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def from_environment(cls) -> "Desk":
        made = Resources.from_environment()
        return cls(
            made.store(NOTIFICATIONS, "NOTIFICATIONS_TABLE", cursors=made.cursors),
            made.store(SUBSCRIPTIONS, "SUBSCRIPTIONS_TABLE", cursors=made.cursors),
        )


@cache
def desk() -> Desk:
    return Desk.from_environment()


if "CURSOR_SECRET_ARN" in os.environ:
    desk()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.get("/notifications")
def list_notifications() -> Response[str]:
    mine = _notifications()
    given = parameters(app.current_event, ("unread", "limit", "cursor"))
    unread = choice("unread", given.get("unread"), ("false", "true")) == "true"
    page = mine.page(
        unread=unread, limit=page_limit(given.get("limit")), cursor=given.get("cursor")
    )
    return answer(_page(notifications.SHOWN, page))


@app.get("/notifications/unread-count")
def count_unread() -> Response[str]:
    counted = _notifications().unread()
    return answer({"unread": counted.number, "more": counted.more})


@app.get("/notifications/<notification_id>")
def get_notification(notification_id: str) -> Response[str]:
    return answer(_shown(notifications.SHOWN, _notifications().one(notification_id)))


@app.post("/notifications/<notification_id>/read")
def mark_read(notification_id: str) -> Response[str]:
    marked = _notifications().mark(notification_id, desk().now())
    return answer(_shown(notifications.SHOWN, marked))


@app.post("/notifications/read")
def mark_all_read() -> Response[str]:
    counted = _notifications().mark_all(desk().now())
    logger.info("marked as read", count=counted.number)
    return answer({"marked": counted.number, "more": counted.more})


@app.post("/subscriptions")
def subscribe() -> Response[str]:
    mine = _subscriptions()
    made, new = mine.create(json_body(app.current_event), desk().now())
    logger.info("subscribed", subscription_id=made["subscription_id"], new=new)
    return answer(_shown(subscriptions.SHOWN, made), 201 if new else 200)


@app.get("/subscriptions")
def list_subscriptions() -> Response[str]:
    mine = _subscriptions()
    given = parameters(app.current_event, ("limit", "cursor"))
    page = mine.page(limit=page_limit(given.get("limit")), cursor=given.get("cursor"))
    return answer(_page(subscriptions.SHOWN, page))


@app.get("/subscriptions/<subscription_id>")
def get_subscription(subscription_id: str) -> Response[str]:
    return answer(_shown(subscriptions.SHOWN, _subscriptions().one(subscription_id)))


@app.delete("/subscriptions/<subscription_id>")
def unsubscribe(subscription_id: str) -> Response[str]:
    _subscriptions().remove(subscription_id)
    return Response(204)


def _notifications() -> Notifications:
    return Notifications(desk().notifications, require(app.current_event))


def _subscriptions() -> Subscriptions:
    return Subscriptions(desk().subscriptions, require(app.current_event))


def _shown(fields: Iterable[Field], record: Record) -> dict[str, Any]:
    # In the design's order: DynamoDB keeps none, and the same record is to look the same.
    return {field.label: record[field.name] for field in fields if field.name in record}


def _page(fields: Iterable[Field], page: Page) -> dict[str, Any]:
    return {"items": [_shown(fields, one) for one in page.items], "next_cursor": page.cursor}
