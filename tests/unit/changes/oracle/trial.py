"""Trials: versions of a design write beside each other, and each must read what is true."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.unit.changes.oracle.changes import Pair
from tests.unit.changes.oracle.designs import NOW
from tests.unit.changes.oracle.memory_table import MemoryTable
from tests.unit.changes.oracle.truth import Truth
from tests.unit.changes.oracle.version import Version

WRITES = 7


class Trial:
    """A table in memory, with old and new code."""

    def __init__(self, pair: Pair, rng: Random) -> None:
        self._pair, self._rng = pair, rng
        self._table, self._truth = MemoryTable(pair.old, pair.new), Truth()
        self.old = Version("old", pair.old, self._table, self._truth, "orders")
        self.new = Version("new", pair.new, self._table, self._truth, "orders")

    def run_in_any_order(self) -> Iterator[str]:
        """What goes wrong where old and new code write and read beside each other."""
        yield from self._replaced_indexes()
        yield from self._write_and_read([self.old], [self.old, self.new])
        yield from self._write_and_read([self.old, self.new], [self.old, self.new])

    def run_readers_first(self) -> Iterator[str]:
        """What goes wrong where new code reads before it writes, and old code then only puts."""
        yield from self._replaced_indexes()
        yield from self._write_and_read([self.old], [self.old, self.new])
        yield from self._write_and_read([self.old, self.new], [self.new])
        yield from self._write_and_read([self.new], [self.new])

    def _replaced_indexes(self) -> Iterator[str]:
        for name in self._pair.replaced_indexes:
            yield f"index {name} is replaced under its name"

    def _write_and_read(self, writers: list[Version], readers: list[Version]) -> Iterator[str]:
        for _ in range(WRITES):
            writer = self._rng.choice(writers)
            problem = writer.write(self._rng, is_blind=writer not in readers)
            if problem:
                yield problem
        for reader in readers:
            yield from reader.check()
        # DynamoDB removes items by one attribute: the old one or the new one.
        for attribute in {writer.spec.ttl for writer in writers} - {None}:
            self._table.expire(attribute or "", NOW.timestamp())
            for reader in readers:
                yield from reader.check()
