"""Inbox API: notifications and subscriptions of the caller; decode, act, answer."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer
from lambdas.http.application import application, respond, routed
from lambdas.http.requests import choice, json_body, page_limit, parameters
from lambdas.portal import contract
from lambdas.portal.clients import Clients
from lambdas.portal.contract import InboxApiEnvironment
from lambdas.portal.inbox import notifications, subscriptions
from lambdas.portal.inbox.notifications import UserNotifications
from lambdas.portal.inbox.subscriptions import UserSubscriptions
from lambdas.portal.users import user_of
from tablewright.catalog.portal.notifications import Notifications
from tablewright.catalog.portal.subscriptions import Subscriptions
from tablewright.model import Entity, Field
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

logger = Logger()
app = application()


class Resources(NamedTuple):
    """What requests are answered from, kept for the life of the function's environment."""

    notifications: Store
    subscriptions: Store
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: InboxApiEnvironment) -> "Resources":
        clients = Clients()
        cursors = clients.cursors(environment.cursor_secret_arn)
        return cls(
            clients.store(Notifications, environment.notifications_table, cursors),
            clients.store(Subscriptions, environment.subscriptions_table, cursors),
        )


@cache
def resources() -> Resources:
    return Resources.of(InboxApiEnvironment.read())


if InboxApiEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.LIST_NOTIFICATIONS)
def list_notifications() -> Response[str]:
    mine = _notifications()
    given = parameters(app.current_event, ("unread", "limit", "cursor"))
    unread = choice("unread", given.get("unread"), ("false", "true")) == "true"
    page = mine.list_notifications(
        unread=unread, limit=page_limit(given.get("limit")), cursor=given.get("cursor")
    )
    return answer(_page(notifications.SHOWN, page))


@routed(app, contract.COUNT_UNREAD)
def count_unread() -> Response[str]:
    counted = _notifications().unread()
    return answer({"unread": counted.number, "more": counted.more})


@routed(app, contract.GET_NOTIFICATION)
def get_notification(notification_id: str) -> Response[str]:
    return answer(_shown(notifications.SHOWN, _notifications().get_notification(notification_id)))


@routed(app, contract.MARK_AS_READ)
def mark_as_read(notification_id: str) -> Response[str]:
    marked = _notifications().mark_as_read(notification_id, resources().now())
    return answer(_shown(notifications.SHOWN, marked))


@routed(app, contract.MARK_ALL_READ)
def mark_all_read() -> Response[str]:
    counted = _notifications().mark_all_as_read(resources().now())
    logger.info("marked as read", count=counted.number)
    return answer({"marked": counted.number, "more": counted.more})


@routed(app, contract.CREATE_SUBSCRIPTION)
def create_subscription() -> Response[str]:
    mine = _subscriptions()
    made, new = mine.create_subscription(json_body(app.current_event), resources().now())
    logger.info("subscribed", subscription_id=made.subscription_id, new=new)
    return answer(_shown(subscriptions.SHOWN, made), 201 if new else 200)


@routed(app, contract.LIST_SUBSCRIPTIONS)
def list_subscriptions() -> Response[str]:
    mine = _subscriptions()
    given = parameters(app.current_event, ("limit", "cursor"))
    page = mine.list_subscriptions(limit=page_limit(given.get("limit")), cursor=given.get("cursor"))
    return answer(_page(subscriptions.SHOWN, page))


@routed(app, contract.GET_SUBSCRIPTION)
def get_subscription(subscription_id: str) -> Response[str]:
    return answer(_shown(subscriptions.SHOWN, _subscriptions().get_subscription(subscription_id)))


@routed(app, contract.DELETE_SUBSCRIPTION)
def delete_subscription(subscription_id: str) -> Response[str]:
    _subscriptions().delete_subscription(subscription_id)
    return Response(204)


def _notifications() -> UserNotifications:
    return UserNotifications(resources().notifications, user_of(app.current_event).user_id)


def _subscriptions() -> UserSubscriptions:
    return UserSubscriptions(resources().subscriptions, user_of(app.current_event).user_id)


def _shown(fields: Iterable[Field[Any]], record: Entity) -> dict[str, Any]:
    # In the design's order: DynamoDB keeps none, and the same record is to look the same.
    return {field.label: record[field.name] for field in fields if field.name in record}


def _page(fields: Iterable[Field[Any]], page: Page[Any]) -> dict[str, Any]:
    return {"items": [_shown(fields, one) for one in page.items], "next_cursor": page.cursor}
