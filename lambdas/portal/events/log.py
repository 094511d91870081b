"""The events of the portal: appended once each, never changed, listed newest first."""

import os
from collections.abc import Sequence
from typing import Any

from lambdas.portal.events.rules import same_event
from tablewright.designs import Record, Table
from tablewright.designs.events import EVENTS, event_key, events_design
from tablewright.runtime.bulk import in_parallel
from tablewright.runtime.errors import AlreadyExists, StoreError
from tablewright.runtime.reader import Page
from tablewright.runtime.store import Store


def design_here() -> Table:
    """The design of the function's table: with shards where EVENT_SHARDS says how many."""
    shards = os.environ.get("EVENT_SHARDS")
    return events_design(shards=int(shards)) if shards else EVENTS


class EventLog:
    """Appends and lists events on either variant of their table."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._design = store.design

    def append(self, events: Sequence[Record]) -> list[int]:
        """Store those events that are not stored yet; gives the positions of those that cannot be,
        because what has their id is another event.

        All are tried before an error is raised: nothing goes on after the request.
        """

        def try_one(event: Record) -> bool | StoreError:
            try:
                return self._append(event)
            except StoreError as error:
                return error

        tried = in_parallel(self._store.executor, try_one, events)
        for outcome in tried:
            if isinstance(outcome, StoreError):
                raise outcome
        return [position for position, stored in enumerate(tried) if not stored]

    def of_day(self, day: str, event_name: str | None, **paging: Any) -> Page:
        return self._store.query(
            self._design.events_of_day,
            {"date_bucket": day},
            filters={"event_name": event_name},
            **paging,
        )

    def of_user(self, user_id: str, event_name: str | None, **paging: Any) -> Page:
        return self._store.query(
            self._design.events_of_user,
            {"user_id": user_id},
            filters={"event_name": event_name},
            **paging,
        )

    def _append(self, event: Record) -> bool:
        """Whether the event is stored: now, or since it was sent before."""
        try:
            self._store.put(self._design.put_event, event)
        except AlreadyExists:
            there = self._store.get(self._design.get_event, event_key(event["event_id"]))
            return there is not None and same_event(there, event)
        return True
