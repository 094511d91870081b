"""Events API: append and list; decode, act, answer."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, NotAllowed, RequestConflict
from lambdas.http.answers import answer, page_json
from lambdas.http.application import application, respond, routed
from lambdas.http.exact_json import exact_json
from lambdas.http.requests import json_body, page_limit, parameters
from lambdas.portal import contract
from lambdas.portal.clients import Clients
from lambdas.portal.contract import ADMINS, APPROVERS, EventsApiEnvironment
from lambdas.portal.events.log import EventLog, table_of
from lambdas.portal.events.rules import events_from
from lambdas.portal.users import user_of
from tablewright.catalog.portal.events import DAYS_KEPT, Event
from tablewright.runtime.store.reader import Page

logger = Logger()
app = application()

_BY = ("date_bucket", "user_id")
_CLASH = "Some ids are taken; these events were not stored. All others are, and can be sent again."


class Resources(NamedTuple):
    """What requests work with, kept for the life of the function's environment."""

    log: EventLog
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    days: int = DAYS_KEPT

    @classmethod
    def of(cls, environment: EventsApiEnvironment) -> "Resources":
        clients = Clients()
        cursors = clients.cursors(environment.cursor_secret_arn)
        store = clients.store(table_of(environment), environment.events_table, cursors)
        return cls(EventLog(store), days=int(environment.event_days or DAYS_KEPT))


@cache
def resources() -> Resources:
    return Resources.of(EventsApiEnvironment.read())


if EventsApiEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.STORE_EVENTS)
def store_events() -> Response[str]:
    user_id = user_of(app.current_event).user_id
    body, now = json_body(app.current_event), resources().now()
    events = events_from(body, user_id, now, resources().days)
    taken_otherwise = resources().log.store_events(events)
    if taken_otherwise:
        reason = "belongs to another event: give each its own"
        wrong = [(f"/events/{position}/event_id", reason) for position in taken_otherwise]
        raise RequestConflict(_CLASH, wrong)
    logger.info("events taken", user_id=user_id, count=len(events))
    return answer({"event_ids": [event.event_id for event in events]}, 202)


@routed(app, contract.LIST_EVENTS)
def list_events() -> Response[str]:
    given = parameters(app.current_event, (*_BY, "event_name", "limit", "cursor"))
    asked = [name for name in _BY if name in given]
    if len(asked) != 1:
        reason = "must be given, and only one of the two"
        raise InvalidRequest("Ask by day or by user.", [(name, reason) for name in _BY])
    page = _of_day(given) if asked == ["date_bucket"] else _of_user(given)
    body = exact_json(page_json(page, cursor="next_cursor"))
    return Response(200, content_type="application/json", body=body)


def _of_day(given: dict[str, str]) -> Page[Event]:
    caller = user_of(app.current_event, APPROVERS, ADMINS).user_id
    return resources().log.list_events_for_date(
        given["date_bucket"], given.get("event_name"), **_paging(given, caller)
    )


def _of_user(given: dict[str, str]) -> Page[Event]:
    user = user_of(app.current_event)
    if given["user_id"] != user.user_id and not user.has(ADMINS):
        raise NotAllowed(f"Only members of the group '{ADMINS}' may list the events of others.")
    paging = _paging(given, user.user_id)
    return resources().log.query_events_by_user(given["user_id"], given.get("event_name"), **paging)


def _paging(given: dict[str, str], caller: str) -> dict[str, Any]:
    return {
        "limit": page_limit(given.get("limit")),
        "cursor": given.get("cursor"),
        "caller": caller,
    }
