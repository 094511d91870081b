"""News as the API streams it: what there is at first, then what comes after the last id."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any, Literal

FIRST = 20
RETRY_MS = 1000
HOLD_SECONDS = 20.0


class Feed:
    """Tests publish, and decide how answers come: held or streamed, or not to the end."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.hold_seconds = HOLD_SECONDS
        self.streams = False
        self.line_end = "\n"
        # At which byte, and how, the next event with news stops in the middle: of the last answer,
        # because nobody reads the others any more.
        self.cut: tuple[int, Literal["ended", "broken"]] | None = None
        self.expired: set[str] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._last: object = None

    def publish(self, *items: dict[str, Any]) -> None:
        with self._changed:
            self.items += items
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def answer(self, sentiment: str | None, last_id: str | None) -> Iterator[bytes]:
        """The answer's pieces, each as soon as there is one."""
        self._last = own = object()
        first = last_id is None
        at = 0 if last_id is None else _position(last_id)
        if not first and not self.streams:
            self._wait(sentiment, at)
        yield f"retry: {RETRY_MS}\n\n".encode()
        while True:
            found, end = self._after(sentiment, at), len(self.items)
            if found or first:
                is_last = self._last is own
                yield from self._event(found[-FIRST:] if first else found, end, is_last)
            else:
                yield b": nothing yet\n\n"
            if not self.streams or self._closed:
                return
            first, at = False, end
            self._wait(sentiment, at)

    def _event(self, items: list[dict[str, Any]], end: int, is_last: bool) -> Iterator[bytes]:
        body = json.dumps({"items": items}, ensure_ascii=False)
        lines = (f"id: {_id(end)}", "event: news", f"data: {body}", "", "")
        content = self.line_end.join(lines).encode()
        if self.cut is None or not items or not is_last:
            yield content
            return
        (at, how), self.cut = self.cut, None
        yield content[:at]
        if how == "broken":
            raise ConnectionAbortedError

    def _after(self, sentiment: str | None, at: int) -> list[dict[str, Any]]:
        return [each for each in self.items[at:] if sentiment in (None, each["sentiment"])]

    def _wait(self, sentiment: str | None, at: int) -> None:
        until = time.monotonic() + self.hold_seconds
        with self._changed:
            while not self._closed and not self._after(sentiment, at):
                left = until - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return


def _id(position: int) -> str:
    return f"after={position}"


def _position(last_id: str) -> int:
    return int(last_id.removeprefix("after="))
