"""One ordered list out of many shards, reading no more of each than the list needs.

The order is total: by sort key, then by shard, then by the order inside the shard, which is
DynamoDB's. So a position is one entry and its shard, whatever ties there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from heapq import merge
from math import ceil, sqrt
from typing import Any, Generic, TypeVar

from tablewright.runtime.parallel import Begun
from tablewright.runtime.transport import Transport

Entry = TypeVar("Entry")

# Reads one page of a shard from a start key; gives its entries and where the next page begins.
Fetch = Callable[[Any], tuple[list[Entry], Any]]

_PAGE_BYTES = 4096  # what one read unit covers


class ShardReader(Generic[Entry]):
    """The entries of one shard, page by page; a page is fetched only when one more is needed."""

    def __init__(self, shard: str, fetch: Fetch[Entry], start: Any = None) -> None:
        self.shard = shard
        self._fetch = fetch
        self._start = start
        self._begun = False
        self.fetched = 0
        self.reads = 0
        self._buffer: deque[Entry] = deque()
        self._pending: Begun[tuple[list[Entry], Any]] | None = None

    @property
    def unread(self) -> bool:
        """Whether the shard may hold entries that have not been fetched."""
        return not self._begun or self._start is not None

    def prefetch(self, transport: Transport) -> None:
        """Begin to read the next page now, beside the other shards'."""
        if self._pending is None and self.unread:
            self._pending = transport.begin(partial(self._fetch, self._start))

    def settle(self) -> None:
        """Leave no read behind that nobody waits for."""
        if self._pending:
            self._pending.settle()

    def entries(self, ahead: Transport | None = None) -> Iterator[tuple[str, Entry]]:
        """All entries from here on; with `ahead`, the next page is read while one is consumed."""
        while True:
            while self._buffer:
                yield self.shard, self._buffer.popleft()
            if not self.unread:
                return
            page, self._start = (
                self._pending.result() if self._pending else self._fetch(self._start)
            )
            self._pending = None
            self._begun = True
            self.reads += 1
            self.fetched += len(page)
            self._buffer.extend(page)
            if ahead:
                self.prefetch(ahead)


def ordered(
    readers: list[ShardReader[Entry]],
    sort_key: Callable[[Entry], Any],
    *,
    descending: bool = False,
    transport: Transport | None = None,
    whole: bool = False,
) -> Iterator[tuple[str, Entry]]:
    """The entries of all shards in order, each with its shard; `whole` when all will be read."""
    if transport and len(readers) > 1:
        for reader in readers:
            reader.prefetch(transport)
    ahead = transport if whole else None
    return merge(
        *(reader.entries(ahead) for reader in readers),
        key=lambda pair: sort_key(pair[1]),
        reverse=descending,
    )


def shard_limit(wanted: int, shards: int, entry_bytes: int) -> int:
    """How many entries to read from each shard for a page of `wanted` over all of them.

    Whole read units, as few as cover an even share; a shard that runs dry is read again. No more
    than hardly any shard has of a page, because a unit that is filled to its end by the size of an
    example is two when entries are a little larger.
    """
    if shards == 1:
        return wanted
    per_unit = max(1, _PAGE_BYTES // max(1, entry_bytes))
    share = -(-wanted // shards)
    enough = share + ceil(3 * sqrt(share))
    return enough if enough < per_unit else -(-share // per_unit) * per_unit
