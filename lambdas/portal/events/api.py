"""The API of events: decode, act, answer."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, NotAllowed, RequestConflict
from lambdas.http.answers import answer, page_json
from lambdas.http.application import application, respond
from lambdas.http.requests import json_body, page_limit, parameters
from lambdas.portal.events.exact_json import exact_json
from lambdas.portal.events.log import EventLog, design_here
from lambdas.portal.events.rules import EVENT, events_from
from lambdas.portal.resources import Resources
from lambdas.portal.roles import require, user_of
from lambdas.portal.users import ADMINS, APPROVERS
from tablewright.runtime.store.reader import Page

logger = Logger()
app = application({"date_bucket": "day"})

_BY = ("day", "user_id")
_CLASH = "Some ids are taken; these events were not stored. All others are, and can be sent again."


class Access(NamedTuple):
    """What a request works with, kept for the life of the function's environment."""

    log: EventLog
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def from_environment(cls) -> "Access":
        made = Resources.from_environment()
        return cls(EventLog(made.store(design_here(), "EVENTS_TABLE", cursors=made.cursors)))


@cache
def access() -> Access:
    return Access.from_environment()


if "EVENTS_TABLE" in os.environ and "CURSOR_SECRET_ARN" in os.environ:
    access()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.post("/events")
def append() -> Response[str]:
    user_id = require(app.current_event)
    events = events_from(json_body(app.current_event), user_id, access().now())
    taken_otherwise = access().log.append(events)
    if taken_otherwise:
        reason = "belongs to another event: give each its own"
        wrong = [(f"/events/{position}/event_id", reason) for position in taken_otherwise]
        raise RequestConflict(_CLASH, wrong)
    logger.info("events taken", user_id=user_id, count=len(events))
    return answer({"event_ids": [event["event_id"] for event in events]}, 202)


@app.get("/events")
def listed() -> Response[str]:
    given = parameters(app.current_event, (*_BY, "event_name", "limit", "cursor"))
    asked = [name for name in _BY if name in given]
    if len(asked) != 1:
        reason = "must be given, and only one of the two"
        raise InvalidRequest("Ask by day or by user.", [(name, reason) for name in _BY])
    page = _of_day(given) if asked == ["day"] else _of_user(given)
    body = exact_json(page_json(EVENT, page, cursor="next_cursor"))
    return Response(200, content_type="application/json", body=body)


def _of_day(given: dict[str, str]) -> Page:
    caller = require(app.current_event, APPROVERS, ADMINS)
    return access().log.of_day(given["day"], given.get("event_name"), **_paging(given, caller))


def _of_user(given: dict[str, str]) -> Page:
    user = user_of(app.current_event)
    if given["user_id"] != user.user_id and not user.has(ADMINS):
        raise NotAllowed(f"Only members of the group '{ADMINS}' may list the events of others.")
    paging = _paging(given, user.user_id)
    return access().log.of_user(given["user_id"], given.get("event_name"), **paging)


def _paging(given: dict[str, str], caller: str) -> dict[str, Any]:
    return {
        "limit": page_limit(given.get("limit")),
        "cursor": given.get("cursor"),
        "caller": caller,
    }
