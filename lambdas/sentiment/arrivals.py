"""Arrivals of news: in the order of their analysis, each once for a reader who comes back.

A reader's place is a moment, before which it has been given everything, and what it has been given
since. The order of arrival is only settled after a while: an item is stamped before it is written,
and found a moment after that. So the moment of a place stays behind by that while, and what lies
after it is told apart by digests. There is room for so many of them; when it is used up, the
reader gets the rest as soon as the moment has moved on.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from heapq import merge
from itertools import islice
from typing import NamedTuple

from tablewright.catalog.news.design import News, NewsItem
from tablewright.catalog.sentiment.items import SENTIMENTS
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.store.store import Store

# Longer than an analysis may take from its stamp to the end of its time, and the index after it.
SETTLES_AFTER = timedelta(seconds=60)
FIRST = 20
MOST = 100
ROOM = 250

_DIGEST = 6


class Place(NamedTuple):
    """How far a reader is: all before `moment`, and of what is later `given`."""

    moment: str
    given: frozenset[bytes]

    def position(self) -> list[str]:
        """The place as a cursor carries it."""
        return [self.moment, b64encode(b"".join(sorted(self.given))).decode()]

    @classmethod
    def at(cls, position: Sequence[str]) -> "Place":
        moment, packed = position
        digests = b64decode(packed)
        return cls(
            moment,
            frozenset(digests[i : i + _DIGEST] for i in range(0, len(digests), _DIGEST)),
        )


class Arrivals(NamedTuple):
    """Items in the order of their arrival, and where their reader is after them."""

    items: list[NewsItem]
    place: Place


def first(store: Store, sentiment: str | None, now: datetime) -> Arrivals:
    """The newest arrivals: where a reader begins."""
    newest = list(islice(_entries(store, sentiment, descending=True), FIRST))
    newest.reverse()
    full = len(newest) == FIRST
    moment = _arrival(newest[0]) if full else iso_utc(now - SETTLES_AFTER)
    return _given(store, newest, [], moment)


def following(store: Store, sentiment: str | None, place: Place, now: datetime) -> Arrivals:
    """What has arrived since the place; nothing when nothing has."""
    settled = iso_utc(now - SETTLES_AFTER)
    new: list[NewsItem] = []
    known: list[NewsItem] = []
    unsettled = 0
    moment = settled
    for entry in _entries(store, sentiment, since=place.moment):
        is_known = _digest(entry) in place.given
        is_unsettled = _arrival(entry) >= settled
        if not is_known and (len(new) == MOST or (is_unsettled and unsettled == ROOM)):
            # All before this one is given.
            moment = min(settled, _arrival(entry))
            break
        (known if is_known else new).append(entry)
        unsettled += is_unsettled
    return _given(store, new, known, max(place.moment, moment))


def _given(
    store: Store, new: Sequence[NewsItem], known: Sequence[NewsItem], moment: str
) -> Arrivals:
    """These items, and the place of a reader who has them and what is known to him."""
    items = _whole(store, new)
    given = {_digest(one) for one in (*items, *known) if _arrival(one) >= moment}
    return Arrivals(items, Place(moment, frozenset(given)))


def _entries(
    store: Store, sentiment: str | None, *, since: str | None = None, descending: bool = False
) -> Iterator[NewsItem]:
    """Keys in the order of arrival, of one sentiment or of all."""
    each = [
        store.each(
            News.arrived_news,
            {"sentiment": one},
            since=since,
            descending=descending,
            at_once=FIRST if descending else MOST,
        )
        for one in ((sentiment,) if sentiment else SENTIMENTS)
    ]
    return merge(*each, key=_arrival, reverse=descending)


def _arrival(entry: NewsItem) -> str:
    return entry.analyzed_at or ""


def _digest(entry: NewsItem) -> bytes:
    return blake2b(entry.source_id.encode(), digest_size=_DIGEST).digest()


def _whole(store: Store, entries: Sequence[NewsItem]) -> list[NewsItem]:
    """The items of these keys, in their order.

    One that is not found is gone, or was read from where it is not analysed yet: it has not
    arrived, and is looked for again as long as its place is not settled.
    """
    keys = [{"source_id": entry.source_id} for entry in entries]
    found = {one.source_id: one for one in store.get_many(News.get_many_news, keys)}
    items = (found.get(entry.source_id) for entry in entries)
    return [item for item in items if item and item.analyzed_at]
