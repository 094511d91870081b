"""Tells whoever waits what is going on: steps with their times."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


class Progress:
    """Steps on one line each; on a terminal the line of the current step moves.

    Example::

        with progress.step("Deploying"):
            progress.note("sales 12/43")     # replaced by the next one
            progress.say("operations")       # stays
    """

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._moves = out.isatty()
        self._title = ""

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        started = time.monotonic()
        self._title = title
        try:
            self._line(f"{title} ...", stays=not self._moves)
            yield
        except BaseException as error:
            how = "failed" if isinstance(error, Exception) else "interrupted"
            self._line(f"{title}: {how} after {time.monotonic() - started:.1f} s")
            raise
        self._line(f"{title}: {time.monotonic() - started:.1f} s")

    def note(self, text: str) -> None:
        """Something of the moment, for a terminal only."""
        if self._moves:
            self._line(f"{self._title} ... {text}", stays=False)

    def say(self, text: str) -> None:
        self._line(f"  {text}")
        if self._moves:
            self._line(f"{self._title} ...", stays=False)

    def _line(self, text: str, *, stays: bool = True) -> None:
        before = "\r\x1b[K" if self._moves else ""
        self._out.write(before + text + ("\n" if stays else ""))
        self._out.flush()
