"""Progress of a backfill that is saved in the state of its migration."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tablewright.runtime.meter import Meter
from tablewright.runtime.segments.progress import Progress

# A page that was done after the last save is done again, which changes nothing.
_PAUSE = 1.0


class StateProgress(Progress):
    """The positions, counts and units of a backfill: those in `saved`, or a new beginning.

    They are saved after a page, once in `pause` seconds, and at the end. The number of segments is
    that of the first run.
    """

    def __init__(
        self,
        saved: Mapping[str, Any],
        segments: int,
        save: Callable[[dict[str, Any]], None],
        *,
        examples: bool = True,
        pause: float = _PAUSE,
    ) -> None:
        super().__init__(None, "", saved.get("segments", segments))
        self._keep = save
        self._has_examples = examples
        self._pause = pause
        self._saved_at = 0.0
        self.meter: Meter | None = None
        self.resumed = bool(saved)
        if saved:
            self.counts.update(saved["counts"])
            self.examples.update(saved.get("examples", {}))
            self._positions |= {int(number): key for number, key in saved["positions"].items()}
            self._finished = set(saved["finished"])
        units = saved.get("units", ("0", "0"))
        self._units = Decimal(units[0]), Decimal(units[1])

    @property
    def units(self) -> tuple[Decimal, Decimal]:
        """Read and write units, over all runs."""
        read, written = self._units
        if self.meter:
            return read + self.meter.read_units, written + self.meter.write_units
        return read, written

    @property
    def outcomes(self) -> Counter[str]:
        """The number of items by outcome, over all runs."""
        outcomes: Counter[str] = Counter()
        for kind, count in self.counts.items():
            outcomes[kind.partition(": ")[0]] += count
        return outcomes

    def restart(self) -> None:
        """Forget the positions and counts: the next run goes through the whole table."""
        self._keep({})

    def _save(self) -> None:
        if time.monotonic() < self._saved_at + self._pause and self.unfinished():
            return
        state = {
            "segments": self.segments,
            "positions": {n: key for n, key in self._positions.items() if key},
            "finished": sorted(self._finished),
            "counts": self.counts if self._has_examples else self.outcomes,
            "units": [str(number) for number in self.units],
        }
        self._keep(state | ({"examples": self.examples} if self._has_examples else {}))
        self._saved_at = time.monotonic()
