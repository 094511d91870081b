"""Calendar: carries out what is due, the longest due first, one page of contents at a time."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from lambdas.portal.content.due_steps import DueStep, as_read, due_step
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.store import Store

PAGE = 50
# More than there can be of a content's own; the rest is for others who change it meanwhile.
_STEPS = 20

Done = Callable[[str, DueStep], Any]
Failed = Callable[[str, Exception], Any]


class Position(NamedTuple):
    """Where in the list of what is due a run has come to."""

    due_at: str
    content_id: str


class CalendarRun(NamedTuple):
    """What a run did; `after` is the position to go on after when its time was up."""

    looked_at: int = 0
    steps: int = 0
    failed: int = 0
    after: Position | None = None


class Calendar:
    """Applies the steps that are due; the objects of files are in `bucket`.

    `done` is called for every step, `failed` for contents that something went wrong with: they stay
    among what is due, so that the next run finds them again.
    """

    def __init__(
        self,
        store: Store,
        s3: Caller,
        bucket: str,
        *,
        done: Done = lambda content_id, step: None,
        failed: Failed = lambda content_id, error: None,
        page: int = PAGE,
    ) -> None:
        self._store = store
        self._s3 = s3
        self._bucket = bucket
        self._done = done
        self._failed = failed
        self._page = page

    def run(
        self,
        now: datetime,
        *,
        after: Position | None = None,
        in_time: Callable[[], bool] = lambda: True,
    ) -> CalendarRun:
        """Do what is due at this moment, as long as there is time: one page at least."""
        looked_at, outcomes = 0, list[int | None]()
        found = self._due(now, after)
        while page := list(islice(found, self._page)):
            looked_at += len(page)
            outcomes += in_parallel(lambda one: self._one(one, now), page)
            after = page[-1]
            if len(page) == self._page and not in_time():
                return _run(looked_at, outcomes, after)
        return _run(looked_at, outcomes, None)

    def _due(self, now: datetime, after: Position | None) -> Iterator[Position]:
        keys = self._store.each(
            ContentRegistry.due_content,
            since=after.due_at if after else None,
            until=iso_utc(now),
            at_once=self._page,
        )
        for one in keys:
            position = Position(one["due_at"], one.content_id)
            if after is None or position > after:
                yield position

    def _one(self, position: Position, now: datetime) -> int | None:
        """How many steps a content took; None when it failed, whatever the reason."""
        try:
            return self._apply(position.content_id, now)
        except Exception as error:
            self._failed(position.content_id, error)
            return None

    def _apply(self, content_id: str, now: datetime) -> int:
        taken = 0
        for _ in range(_STEPS):
            # The index that found it lags behind the table.
            content = self._store.get(ContentRegistry.get_content, content_id=content_id)
            step = due_step(content, now) if content else None
            if content is None or step is None:
                return taken
            taken += self._took(content, step)
        raise Conflict("other writers changed the content on every attempt")

    def _took(self, content: Content, step: DueStep) -> bool:
        """Take a step; gives whether it was this run that did."""
        for file in step.removes:
            # Nothing refers to the object any more, and one that is gone is removed already.
            self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": file})
        try:
            self._store.update(
                ContentRegistry.update_content, content, step.changes, when=as_read(content)
            )
        except (Conflict, NotFound) as error:
            if not error.is_own(step.changes):
                return False  # changed or removed in the meantime: look again
        self._done(content.content_id, step)
        return True


def _run(looked_at: int, outcomes: list[int | None], after: Position | None) -> CalendarRun:
    steps = sum(taken for taken in outcomes if taken)
    return CalendarRun(looked_at, steps, outcomes.count(None), after)
