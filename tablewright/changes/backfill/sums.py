"""Sums: two collections of entries compared in bounded memory, whatever order they come in.

Entries are spread over buckets by their primary key. Of each bucket there is their number and the
sum of their hashes: collections that have the same entries have the same sums.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from decimal import Decimal
from hashlib import blake2b
from threading import Lock
from typing import Any

from tablewright.runtime.store.attribute_values import Wire
from tablewright.runtime.store.records import Item

BUCKETS = 1024
_MODULUS = 1 << 128


class Sums:
    """Numbers and sums of hashes of entries, by bucket. Safe among threads."""

    def __init__(self, key_names: tuple[str, ...]) -> None:
        self._key_names = key_names
        self._lock = Lock()
        self.counts = [0] * BUCKETS
        self._sums = [0] * BUCKETS

    @property
    def total(self) -> int:
        """How many entries there are."""
        return sum(self.counts)

    def add(self, entries: Iterable[Item]) -> None:
        """Add some entries."""
        hashed = [(bucket_of(one, self._key_names), fingerprint(one)) for one in entries]
        with self._lock:
            for bucket, value in hashed:
                self.counts[bucket] += 1
                self._sums[bucket] = (self._sums[bucket] + value) % _MODULUS

    def differing(self, other: Sums) -> list[int]:
        """The buckets in which there is not the same."""
        pairs = zip(self.counts, self._sums, other.counts, other._sums, strict=True)
        return [at for at, (n, one, m, two) in enumerate(pairs) if (n, one) != (m, two)]


def bucket_of(entry: Item, key_names: tuple[str, ...]) -> int:
    """The bucket that an entry belongs to, by its primary key."""
    return fingerprint({name: entry[name] for name in key_names}) % BUCKETS


def fingerprint(item: Item) -> int:
    """A number of 128 bits that tells an item from others: sets in any order, numbers by value."""
    text = json.dumps({name: _canonical(wire) for name, wire in item.items()}, sort_keys=True)
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest())


def _canonical(wire: Wire) -> Any:
    ((kind, raw),) = wire.items()
    if kind == "M":
        return {kind: {name: _canonical(inner) for name, inner in raw.items()}}
    if kind == "L":
        return {kind: [_canonical(inner) for inner in raw]}
    if kind in ("SS", "NS", "BS"):
        return {kind: sorted(_plain(kind[0], one) for one in raw)}
    return {kind: _plain(kind, raw)}


def _plain(kind: str, raw: Any) -> Any:
    if kind == "N":
        return str(Decimal(raw).normalize())
    return b64encode(raw).decode() if isinstance(raw, bytes) else raw
