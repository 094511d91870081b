"""OpenAPI operations and schemas of notifications and subscriptions."""

from typing import Any

from lambdas.contract import Route
from lambdas.http.openapi import (
    Json,
    json_of,
    object_of,
    only,
    operation,
    page_of,
    paging,
    query,
    ref,
)
from lambdas.portal import contract
from lambdas.portal.inbox import notifications, subscriptions
from tablewright.catalog.portal.notifications import Notification
from tablewright.catalog.portal.subscriptions import Subscription
from tablewright.model import Field

_FLAG: Json = {"type": "boolean"}


def _number(most: int) -> Json:
    return {"type": "integer", "minimum": 0, "maximum": most}


def _path(field: Field[Any]) -> list[Json]:
    return [{"name": field.name, "in": "path", "required": True, "schema": field.schema()}]


def _required(fields: tuple[Field[Any], ...]) -> list[str]:
    return [field.label for field in fields if not field.optional]


_NOTIFICATION, _SUBSCRIPTION = json_of("Notification"), json_of("Subscription")
_NOTIFICATION_ID = _path(Notification.notification_id)
_SUBSCRIPTION_ID = _path(Subscription.subscription_id)
_UNREAD = query("unread", {"type": "string", "enum": ["false", "true"], "default": "false"})

OPERATIONS: dict[Route, Json] = {
    contract.LIST_NOTIFICATIONS: operation(
        "list_notifications",
        "Your notifications, newest first",
        {200: json_of("NotificationPage")},
        parameters=[_UNREAD, *paging()],
    ),
    contract.COUNT_UNREAD: operation(
        "count_unread", "How many are unread, up to a bound", {200: json_of("Unread")}
    ),
    contract.GET_NOTIFICATION: operation(
        "get_notification",
        "Read a notification",
        {200: _NOTIFICATION},
        fails=(404,),
        parameters=_NOTIFICATION_ID,
    ),
    contract.MARK_AS_READ: operation(
        "mark_as_read",
        "Mark as read",
        {200: _NOTIFICATION},
        fails=(404,),
        parameters=_NOTIFICATION_ID,
    ),
    contract.MARK_ALL_READ: operation(
        "mark_all_read",
        "Mark as read what is unread, the newest first; repeat while there is more",
        {200: json_of("Marked")},
    ),
    contract.CREATE_SUBSCRIPTION: operation(
        "create_subscription",
        "Be notified of content that has all of this; without filters, of everything",
        {201: _SUBSCRIPTION, 200: _SUBSCRIPTION},
        body="NewSubscription",
        fails=(409,),
    ),
    contract.LIST_SUBSCRIPTIONS: operation(
        "list_subscriptions",
        "Your subscriptions",
        {200: json_of("SubscriptionPage")},
        parameters=paging(),
    ),
    contract.GET_SUBSCRIPTION: operation(
        "get_subscription",
        "Read a subscription",
        {200: _SUBSCRIPTION},
        fails=(404,),
        parameters=_SUBSCRIPTION_ID,
    ),
    contract.DELETE_SUBSCRIPTION: operation(
        "delete_subscription", "Remove a subscription", {204: None}, parameters=_SUBSCRIPTION_ID
    ),
}

SCHEMAS: Json = {
    "Notification": object_of(notifications.SHOWN, _required(notifications.SHOWN)),
    "NotificationPage": page_of(ref("Notification"), cursor="next_cursor"),
    "Unread": only({"unread": _number(notifications.MOST_COUNTED), "more": _FLAG}),
    "Marked": only({"marked": _number(notifications.MOST_MARKED), "more": _FLAG}),
    "Subscription": object_of(subscriptions.SHOWN, _required(subscriptions.SHOWN)),
    "SubscriptionPage": page_of(ref("Subscription"), cursor="next_cursor"),
    "NewSubscription": object_of(
        [Subscription.__entity__.by_name[name] for name in subscriptions.GIVEN], [], nullable=True
    ),
}
