"""Progress of a long command, kept in a file so that it can be stopped at any moment."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tablewright.runtime.strict_json import parse


class ProgressMismatch(Exception):
    """The command cannot be carried on as it was asked for."""


class Progress:
    """The position of each segment of a scan, and what was found so far: how many of each kind, and
    an example of those that were noted. Without a file, nothing is kept."""

    def __init__(self, file: Path | None, table: str, segments: int) -> None:
        self.segments = segments
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.resumed = False
        self._file = file
        self._table = table
        self._lock = threading.Lock()
        self._positions: dict[int, Any] = dict.fromkeys(range(segments))
        self._finished: set[int] = set()

    @classmethod
    def open(cls, file: Path, table: str, segments: int) -> Progress:
        """The progress in a file, or a new beginning where there is none."""
        progress = cls(file, table, segments)
        if not file.exists():
            return progress
        try:
            kept = parse(file.read_bytes())
            of = kept["table"], kept["segments"]
            progress.counts.update({kind: int(n) for kind, n in kept["counts"].items()})
            progress.examples.update(kept.get("examples", {}))
            progress._positions |= {int(n): key for n, key in kept["positions"].items()}
            progress._finished = set(kept["finished"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ProgressMismatch(
                f"{file} is no progress of a command: name another file with --state, or delete it "
                "to begin again"
            ) from None
        if of != (table, segments):
            raise ProgressMismatch(
                f"{file} is of table {of[0]} in {of[1]} segments: go on with "
                "these, name another file with --state, or delete it to begin again"
            )
        progress.resumed = True
        return progress

    def unfinished(self) -> list[int]:
        return [number for number in range(self.segments) if number not in self._finished]

    def position(self, segment: int) -> Any:
        return self._positions[segment]

    def advance(self, segment: int, position: Any, counts: Counter[str]) -> None:
        """Note that a segment is done up to a position, or altogether when there is none."""
        with self._lock:
            self.counts += counts
            self._positions[segment] = position
            if position is None:
                self._finished.add(segment)
            self._save()

    def note(self, kind: str, example: str) -> None:
        """Keep an example of a kind, if there is none yet."""
        with self._lock:
            self.examples.setdefault(kind, example)

    def finish(self) -> None:
        if self._file:
            self._file.unlink(missing_ok=True)

    def _save(self) -> None:
        if self._file is None:
            return
        kept = {
            "table": self._table,
            "segments": self.segments,
            "positions": self._positions,
            "finished": sorted(self._finished),
            "counts": self.counts,
            "examples": self.examples,
        }
        # Renamed into place: a kill leaves the old file or the new one, never half of one.
        draft = self._file.with_suffix(".new")
        draft.write_text(json.dumps(kept))
        os.replace(draft, self._file)
