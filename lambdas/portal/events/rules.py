"""Rules of events: which are accepted, and until when events of a day are.

An event names its time, or its id is a UUID of version 7, which tells it. A request that is
repeated as it is has the same keys, so it stores nothing twice.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from lambdas.errors import InvalidRequest
from lambdas.http.bodies import batch_of
from tablewright.catalog.portal.events import Event, event_key
from tablewright.catalog.portal.fields import event_time
from tablewright.model import Field, InvalidRecord, InvalidValue, TimeId
from tablewright.model.fields.time import iso_utc
from tablewright.model.time_ids import moment_of

GIVEN = ("event_id", "event_name", "user_id", "content_id", "metadata", "timestamp")
MAX_EVENTS = 100
LATE = timedelta(days=30)
AHEAD = timedelta(days=1)

_REPORTED = 100
_TIME_ID: Field[str] = TimeId()
_NO_TIME = "is required, unless event_id is a UUID of version 7"


def events_from(body: Any, user_id: str, now: datetime, days: int = LATE.days) -> list[Event]:
    """The events in a request's body; raises InvalidRequest with all that is wrong with them.

    Events of the last 30 days are accepted, of fewer if the table keeps fewer `days`.
    """
    since, until = iso_utc(now - min(LATE, timedelta(days=days))), iso_utc(now + AHEAD)
    entries = batch_of(body, "events", "event_name", MAX_EVENTS)
    events: list[Event] = []
    wrong: list[tuple[str, str]] = []
    first: dict[str, int] = {}
    for position, entry in enumerate(entries):
        try:
            event = _event(entry, user_id, since, until)
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


def _event(entry: Any, user_id: str, since: str, until: str) -> Event:
    """One event of a request, whole; raises InvalidRecord."""
    if not isinstance(entry, dict) or not set(entry) <= set(GIVEN):
        reason = f"must be an object of {', '.join(GIVEN)} only"
        raise InvalidRecord(Event.__name__, [InvalidValue("", reason)])
    problems, timestamp = [], since
    try:
        timestamp = _time(entry)
        if not since <= timestamp <= until:
            reason = f"is {timestamp}, but must be from {since} to {until}"
            raise InvalidValue("timestamp" if "timestamp" in entry else "event_id", reason)
    except InvalidValue as problem:
        problems.append(problem)
    if entry.get("user_id", user_id) != user_id:
        problems.append(InvalidValue("user_id", "must be that of the caller; leave it out"))
    ours = {"user_id": user_id, **event_key(entry.get("event_id", ""), timestamp)}
    try:
        event = Event(**{**entry, **ours})
    except InvalidRecord as invalid:
        problems += invalid.problems
    if problems:
        raise InvalidRecord(Event.__name__, problems)
    return event


def _time(entry: Mapping[str, Any]) -> str:
    """When an event happened, by its own word or its id; never the time of the request, which a
    repetition would change."""
    if entry.get("timestamp") is not None:
        return event_time(entry["timestamp"])
    id = entry.get("event_id")
    if not _TIME_ID.accepts_text(id if isinstance(id, str) else ""):
        raise InvalidValue("timestamp", _NO_TIME)
    return moment_of(str(id))


def _pointer(position: int, field: str) -> str:
    return f"/events/{position}/{field}" if field else f"/events/{position}"
