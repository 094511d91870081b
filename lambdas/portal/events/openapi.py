"""OpenAPI operations and schemas of events."""

from lambdas.contract import Route
from lambdas.http.openapi import (
    Json,
    json_of,
    list_of,
    object_of,
    one_or_more,
    only,
    operation,
    page_of,
    paging,
    query,
    ref,
)
from lambdas.portal import contract
from lambdas.portal.events.rules import AHEAD, GIVEN, LATE, MAX_EVENTS
from tablewright.catalog.portal.events import Event

_FIELDS = Event.__entity__.by_name

OPERATIONS: dict[Route, Json] = {
    contract.STORE_EVENTS: {
        **operation(
            "store_events",
            "Append what the caller did",
            {202: json_of("EventIds")},
            body="NewEvents",
            fails=(409,),
        ),
        "description": "An event has a timestamp, or an event_id that is a UUID of version 7 and "
        f"tells it: at most {LATE.days} days ago and {AHEAD.days} day ahead. The request can be "
        "repeated: an event that is stored is not stored again, and never changed. All are stored "
        "or, if one is not valid, none.",
    },
    contract.LIST_EVENTS: {
        **operation(
            "list_events",
            "Events, newest first",
            {200: json_of("EventPage")},
            parameters=[
                query("date_bucket", Event.date_bucket.schema()),
                query("user_id", Event.user_id.schema()),
                query("event_name", Event.event_name.schema()),
                *paging(),
            ],
        ),
        "description": "Of a day, in UTC, for approvers and admins; or of a user, for that "
        "user and for admins. Exactly one of the two is asked for. A page may be short and "
        "still have a cursor.",
    },
}

SCHEMAS: Json = {
    "Event": object_of(_FIELDS.values(), [f.label for f in _FIELDS.values() if not f.optional]),
    "EventPage": page_of(ref("Event"), cursor="next_cursor"),
    "NewEvent": object_of(
        [_FIELDS[name] for name in GIVEN], ["event_id", "event_name"], nullable=True
    ),
    "NewEvents": one_or_more("events", "NewEvent", MAX_EVENTS),
    "EventIds": only({"event_ids": list_of(Event.event_id.schema())}),
}
