"""Polling of the sources, each to its end: one that fails does not stop the others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Protocol

from lambdas.sentiment.ingestion.outcome import Outcome, Rejection
from lambdas.sentiment.sources import RawItem, Source, SourceError, Unreadable
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import StoreError

_BATCH = 100

Entry = RawItem | Unreadable | SourceError


class Ingestion(Protocol):
    """Stores what sources find, and keeps what is rejected for an operator to see."""

    def raw(self, found: RawItem, /) -> dict[str, Any]: ...

    def ingest(self, batch: Iterable[Any], moment: str, /) -> Outcome: ...

    def put_rejected(self, rejected: Iterable[Rejection], moment: str, /) -> None: ...


class SourcePoll(NamedTuple):
    """A source, what it is searched for, and where that goes."""

    source: Source
    queries: Sequence[str]
    ingestion: Ingestion


class PollResult(NamedTuple):
    """What came of one source, and why it was not read or stored to its end."""

    source_type: str
    outcome: Outcome
    error: SourceError | StoreError | None


def poll(
    polls: Sequence[SourcePoll], *, deadline: datetime, now: Callable[[], datetime]
) -> Iterator[PollResult]:
    """Take in what each source finds, batch by batch; what is rejected is kept.

    Each source has an equal part of the time that is left, so that one which has to wait for its
    rate limit does not wait away the time of the others.
    """
    for number, one in enumerate(polls):
        begin = now()
        share = (deadline - begin) / (len(polls) - number)
        entries = _until_error(one.source, one.queries, begin + share)
        yield _result(one.source.source_type, entries, one.ingestion, now)


def _result(
    source_type: str, entries: Iterator[Entry], ingestion: Ingestion, now: Callable[[], datetime]
) -> PollResult:
    outcome = Outcome(0, 0, [])
    error: SourceError | StoreError | None = None
    while batch := list(islice(entries, _BATCH)):
        outcome = outcome.and_then(_ingested(batch, ingestion, iso_utc(now())))
        error = next((one for one in batch if isinstance(one, SourceError)), error)
    return PollResult(source_type, outcome, error or next(iter(outcome.failures), None))


def _ingested(batch: Sequence[Entry], ingestion: Ingestion, moment: str) -> Outcome:
    """What became of a batch; what the store failed at is left to the next poll."""
    found = [one for one in batch if isinstance(one, RawItem)]
    try:
        outcome = ingestion.ingest([ingestion.raw(one) for one in found], moment)
    except StoreError as error:
        outcome = Outcome(0, 0, [], failures=(error,) * len(found))
    outcome = outcome._replace(rejected=[*outcome.rejected, *_unreadable(batch)])
    try:
        ingestion.put_rejected(outcome.rejected, moment)
    except StoreError as error:
        outcome = outcome._replace(failures=(*outcome.failures, error))
    return outcome


def _until_error(source: Source, queries: Sequence[str], deadline: datetime) -> Iterator[Entry]:
    """The source's entries and, when it could not be read further, the error at their end."""
    try:
        for query in queries:
            yield from source.fetch(query, deadline)
    except SourceError as error:
        yield error


def _unreadable(batch: Sequence[Entry]) -> Iterator[Rejection]:
    for position, one in enumerate(batch):
        if isinstance(one, Unreadable):
            yield Rejection(position, one.source_type, one.raw, (("entry", one.reason),))
