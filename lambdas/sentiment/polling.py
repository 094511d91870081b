"""Reading all sources to their end, each by itself: one that fails does not stop the others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Protocol

from lambdas.sentiment.outcome import Outcome, Refused
from lambdas.sentiment.sources import RawItem, Source, SourceError, Unreadable
from tablewright.designs.fields import timestamp

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
    """What came of one source."""

    source_type: str
    outcome: Outcome
    error: SourceError | None


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
    stored = duplicates = expired = 0
    refused: list[Refused] = []
    error: SourceError | None = None
    while batch := list(islice(entries, _BATCH)):
        error = next((one for one in batch if isinstance(one, SourceError)), None)
        moment = timestamp(now())
        outcome = intake.take(
            [intake.raw(one) for one in batch if isinstance(one, RawItem)], moment
        )
        unsound = [*outcome.refused, *_unreadable(batch)]
        intake.park(unsound, moment)
        stored += outcome.stored
        duplicates += outcome.duplicates
        expired += outcome.expired
        refused += unsound
    return Polled(source_type, Outcome(stored, duplicates, refused, expired), error)


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
