"""Cache of tenants' shard epochs, and how long it may be relied on.

An epoch begins later than it is written by at least the life of this knowledge, the difference of
any two clocks and the time that the write may take (`EpochTiming.lead`). So whoever has read the
epochs at a moment knows all that begin within a life of it, and need not look again for ids that
were made before then: there is no moment at which two writers resolve one id differently.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from tablewright.model import Design, Epochs
from tablewright.model.sharding.epochs import EpochListField, read_epochs
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Records

_KEPT = 4096


class EpochTiming(NamedTuple):
    """How long epochs are relied on, how far clocks differ, how long a write may take: seconds.

    All who use a table must agree on these.
    """

    life: float = 60.0
    skew: float = 5.0
    patience: float = 300.0

    @property
    def lead(self) -> float:
        """How long before its beginning an epoch must be written."""
        return self.life + self.skew + self.patience


class EpochCache:
    """Epochs by table and tenant, each with the moment it was read at. Safe among threads.

    Example::

        epochs = EpochCache()       # for the life of the function's environment
        store = Store(Forms, "dev-FormBridgeData", tenants.access("acme"), epochs=epochs)
    """

    def __init__(
        self,
        timing: EpochTiming | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.timing = timing or EpochTiming()
        if self.timing.life <= self.timing.skew:
            raise ValueError("epochs must be relied on for longer than clocks may differ")
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[int, Epochs]] = OrderedDict()

    def latest(self) -> int:
        """The last millisecond that an id can have by now."""
        return int((self._clock() + self.timing.skew) * 1000)

    def get(self, table: str, whose: str, upto: int, read: Callable[[], Epochs]) -> Epochs:
        """Epochs that are certain up to a millisecond: those that are kept, or else read now."""
        key = (table, whose)
        with self._lock:
            kept = self._kept.get(key)
            if kept and upto < kept[0]:
                self._kept.move_to_end(key)
                return kept[1]
        # Counted from before the read: what is written while it is under way may be missing.
        certain = int((self._clock() + self.timing.life) * 1000)
        epochs = read()
        with self._lock:
            self._kept[key] = (certain, epochs)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return epochs


class StoredEpochs:
    """The epochs in a table, read by its design's own pattern and kept in a cache."""

    def __init__(
        self, design: Design, table_name: str, caller: Caller, cache: EpochCache | None = None
    ) -> None:
        entity = design.entity(design.patterns[design.epochs or ""])
        self._records = Records(design, entity)
        (self._list,) = (f.stored for f in entity.fields if isinstance(f, EpochListField))
        (self._whose,) = entity.key.fields
        self._table_name = table_name
        self._caller = caller
        self._cache = cache or EpochCache()

    def latest(self) -> int:
        return self._cache.latest()

    def known(self, whose: str, upto: int) -> Epochs:
        return self._cache.get(self._table_name, whose, upto, lambda: self._read(whose))

    def _read(self, whose: str) -> Epochs:
        params: dict[str, Any] = {
            "TableName": self._table_name,
            "Key": self._records.key({self._whose: whose}),
            "ConsistentRead": True,
        }
        item = self._caller.call("GetItem", params).get("Item")
        if item is None:
            return Epochs()
        (name,) = (f.name for f in self._records.entity.fields if f.stored == self._list)
        return read_epochs(self._records.to_record(item)[name])
