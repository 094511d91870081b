"""Reading all sources to their end, each by itself: one that fails does not stop the others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Protocol

from lambdas.sentiment.outcome import Outcome, Refused
from lambdas.sentiment.sources import RawItem, Source, SourceError, Unreadable
from tablewright.model.fields.scalars import timestamp
from tablewright.runtime.errors import StoreError

_BATCH = 100

Entry = RawItem | Unreadable | SourceError


class Intake(Protocol):
    """What takes in what sources find, and parks what is unsound."""

    def raw(self, found: RawItem, /) -> dict[str, Any]: ...

    def take(self, batch: Iterable[Any], moment: str, /) -> Outcome: ...

    def park(self, refused: Iterable[Refused], moment: str, /) -> None: ...


class Wanted(NamedTuple):
    """A source, what it is searched for, and where that goes."""

    source: Source
    searches: Sequence[str]
    intake: Intake


class Polled(NamedTuple):
    """What came of one source, and why it was not read or stored to its end."""

    source_type: str
    outcome: Outcome
    error: SourceError | StoreError | None


def poll(
    wanted: Sequence[Wanted], *, deadline: datetime, now: Callable[[], datetime]
) -> Iterator[Polled]:
    """Take in what each source finds, batch by batch; what is unsound is parked.

    Each source has an equal part of the time that is left, so that one which has to wait for its
    rate limit does not wait away the time of the others.
    """
    for number, one in enumerate(wanted):
        begin = now()
        share = (deadline - begin) / (len(wanted) - number)
        entries = _until_error(one.source, one.searches, begin + share)
        yield _polled(one.source.source_type, entries, one.intake, now)


def _polled(
    source_type: str, entries: Iterator[Entry], intake: Intake, now: Callable[[], datetime]
) -> Polled:
    outcome = Outcome(0, 0, [])
    error: SourceError | StoreError | None = None
    while batch := list(islice(entries, _BATCH)):
        outcome = outcome.and_then(_taken(batch, intake, timestamp(now())))
        error = next((one for one in batch if isinstance(one, SourceError)), error)
    return Polled(source_type, outcome, error or next(iter(outcome.failures), None))


def _taken(batch: Sequence[Entry], intake: Intake, moment: str) -> Outcome:
    """What became of a batch; what the store failed at is left to the next poll."""
    found = [one for one in batch if isinstance(one, RawItem)]
    try:
        outcome = intake.take([intake.raw(one) for one in found], moment)
    except StoreError as error:
        outcome = Outcome(0, 0, [], failures=(error,) * len(found))
    outcome = outcome._replace(refused=[*outcome.refused, *_unreadable(batch)])
    try:
        intake.park(outcome.refused, moment)
    except StoreError as error:
        outcome = outcome._replace(failures=(*outcome.failures, error))
    return outcome


def _until_error(source: Source, searches: Sequence[str], deadline: datetime) -> Iterator[Entry]:
    """The source's entries and, when it could not be read further, the error at their end."""
    try:
        for query in searches:
            yield from source.fetch(query, deadline)
    except SourceError as error:
        yield error


def _unreadable(batch: Sequence[Entry]) -> Iterator[Refused]:
    for position, one in enumerate(batch):
        if isinstance(one, Unreadable):
            yield Refused(position, one.source_type, one.raw, (("entry", one.reason),))
