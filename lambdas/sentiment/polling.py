"""Reading all sources to their end, each by itself: one that fails does not stop the others."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from lambdas.sentiment.ingestion import Ingestion, Outcome, Refused
from lambdas.sentiment.sources import RawItem, Source, SourceError, Unreadable
from tablewright.designs.fields import timestamp

_BATCH = 100

Entry = RawItem | Unreadable | SourceError


class Polled(NamedTuple):
    """What came of one source."""

    source_type: str
    outcome: Outcome
    error: SourceError | None


def poll(
    sources: Sequence[Source],
    searches: Sequence[str],
    ingestion: Ingestion,
    *,
    deadline: datetime,
    now: Callable[[], datetime],
) -> Iterator[Polled]:
    """Take in what each source finds, batch by batch; what is unsound is parked.

    Each source has an equal part of the time that is left, so that one which has to wait for its
    rate limit does not wait away the time of the others.
    """
    for number, source in enumerate(sources):
        begin = now()
        share = (deadline - begin) / (len(sources) - number)
        entries = _until_error(source, searches, begin + share)
        yield _polled(source.source_type, entries, ingestion, now)


def _polled(
    source_type: str, entries: Iterator[Entry], ingestion: Ingestion, now: Callable[[], datetime]
) -> Polled:
    stored = duplicates = 0
    refused: list[Refused] = []
    error: SourceError | None = None
    while batch := list(islice(entries, _BATCH)):
        error = next((one for one in batch if isinstance(one, SourceError)), None)
        moment = timestamp(now())
        outcome = ingestion.take(_raw(batch), moment)
        unsound = [*outcome.refused, *_unreadable(batch)]
        ingestion.park(unsound, moment)
        stored += outcome.stored
        duplicates += outcome.duplicates
        refused += unsound
    return Polled(source_type, Outcome(stored, duplicates, refused), error)


def _until_error(source: Source, searches: Sequence[str], deadline: datetime) -> Iterator[Entry]:
    """The source's entries and, when it could not be read further, the error at their end."""
    try:
        for query in searches:
            yield from source.fetch(query, deadline)
    except SourceError as error:
        yield error


def _raw(batch: Sequence[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "source_id": f"{one.source_type}#{one.stable_id}",
            "source_type": one.source_type,
            "text": one.text,
            **({"source_url": one.source_url} if one.source_url else {}),
            **({"metadata": one.metadata} if one.metadata else {}),
        }
        for one in batch
        if isinstance(one, RawItem)
    ]


def _unreadable(batch: Sequence[Entry]) -> Iterator[Refused]:
    for position, one in enumerate(batch):
        if isinstance(one, Unreadable):
            yield Refused(position, one.source_type, one.raw, (("entry", one.reason),))
