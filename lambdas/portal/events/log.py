"""Event log: events are appended once each, never changed, listed newest first."""

from collections.abc import Sequence
from typing import Any

from lambdas.portal.contract import EventsEnvironment
from lambdas.portal.events.rules import same_event
from tablewright.catalog.portal.events import (
    DAYS_KEPT,
    Event,
    Events,
    event_key,
    events_table,
)
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store


def table_of(environment: EventsEnvironment) -> type[Events]:
    """A function's table: with shards, if its environment says how many."""
    shards, days = environment.event_shards, environment.event_days
    return events_table(
        shards=int(shards) if shards else None, days=int(days) if days else DAYS_KEPT
    )


class EventLog:
    """Appends and lists events on either variant of their table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def store_events(self, events: Sequence[Event]) -> list[int]:
        """Store those events that are not stored yet; gives the positions of those that cannot be,
        because what has their id is another event."""
        stored = self._store.create_many(Events.store_event, events)
        left = [position for position, now in enumerate(stored) if not now]
        keys = [event_key(one.event_id, one.timestamp) for one in (events[at] for at in left)]
        found = self._store.get_many(Events.get_events, keys)
        there = {event.event_id: event for event in found}
        return [at for at in left if not _same(there.get(events[at].event_id), events[at])]

    def list_events_for_date(self, day: str, event_name: str | None, **paging: Any) -> Page[Event]:
        return self._store.query(
            Events.list_events_for_date,
            {"date_bucket": day},
            where=_named(event_name),
            **paging,
        )

    def query_events_by_user(
        self, user_id: str, event_name: str | None, **paging: Any
    ) -> Page[Event]:
        return self._store.query(
            Events.query_events_by_user,
            {"user_id": user_id},
            where=_named(event_name),
            **paging,
        )


def _named(event_name: str | None) -> dict[str, str]:
    return {} if event_name is None else {"event_name": event_name}


def _same(there: Event | None, event: Event) -> bool:
    """Whether what is there is the event, stored since it was sent before."""
    return there is not None and same_event(there, event)
