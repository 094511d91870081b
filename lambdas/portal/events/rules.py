"""Rules of events: which are taken, and from when on a day has all of its own.

An id tells when its event happened. Only events of the last day are taken, so that a day is closed
at a moment that is known: what was exported after it lacks nothing.
"""

from datetime import datetime, timedelta
from typing import Any

from lambdas.errors import InvalidRequest
from tablewright.catalog.portal.events import Event, event_key
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.fields.time import iso_utc

GIVEN = ("event_id", "event_name", "content_id", "metadata")
MAX_EVENTS = 100
LATE = timedelta(hours=24)
AHEAD = timedelta(minutes=5)

_REPORTED = 100
_WINDOW = "must be of the last 24 hours, and at most 5 minutes ahead"


def events_from(body: Any, user_id: str, now: datetime) -> list[Event]:
    """The events in a request's body; raises InvalidRequest with all that is wrong with them."""
    entries = body["events"] if isinstance(body, dict) and set(body) == {"events"} else None
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_EVENTS:
        reason = f"must be a list of 1 to {MAX_EVENTS} events, and nothing beside it"
        raise InvalidRequest("The body is not valid.", [("/events", reason)])
    events: list[Event] = []
    wrong: list[tuple[str, str]] = []
    first: dict[str, int] = {}
    for position, entry in enumerate(entries):
        try:
            event = _event(entry, user_id, now)
        except InvalidRecord as invalid:
            wrong += [(_pointer(position, one.field), one.reason) for one in invalid.problems]
            continue
        earlier = first.setdefault(event.event_id, position)
        if earlier != position:
            wrong.append((_pointer(position, "event_id"), f"is that of /events/{earlier} too"))
        events.append(event)
    if wrong:
        detail = f"{len(wrong)} errors in the events; nothing was stored."
        raise InvalidRequest(detail, wrong[:_REPORTED])
    return events


def same_event(one: Event, two: Event) -> bool:
    """Whether two events with the same id say the same."""
    return all(one.get(field.name) == two.get(field.name) for field in Event.__entity__.fields)


def _event(entry: Any, user_id: str, now: datetime) -> Event:
    """One event of a request, whole; raises InvalidRecord."""
    if not isinstance(entry, dict) or not set(entry) <= set(GIVEN):
        reason = f"must be an object of {', '.join(GIVEN)} only"
        raise InvalidRecord(Event.__name__, [InvalidValue("", reason)])
    # Made by the client: only then a request whose answer was lost can be repeated.
    id = entry.get("event_id", "")
    key = event_key(id) if Event.event_id.accepts_text(id) else {}
    problems = []
    if key and not iso_utc(now - LATE) <= key["timestamp"] <= iso_utc(now + AHEAD):
        problems.append(InvalidValue("event_id", f"tells {key['timestamp']}, but {_WINDOW}"))
    try:
        event = Event(**{**entry, "user_id": user_id, **key})
    except InvalidRecord as invalid:
        # What follows from the id is no fault beside it.
        problems += [one for one in invalid.problems if one.field in (*GIVEN, "user_id")]
    if problems:
        raise InvalidRecord(Event.__name__, problems)
    return event


def _pointer(position: int, field: str) -> str:
    return f"/events/{position}/{field}" if field else f"/events/{position}"
