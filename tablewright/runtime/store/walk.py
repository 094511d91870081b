"""A list that goes on from partition to partition, and where a page of it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tablewright.runtime.errors import CursorExpired
from tablewright.runtime.store.query import Asked
from tablewright.runtime.store.records import Item


class Walk:
    """One question after another, one for each value of a field of the partition key.

    Without such a field it is one question; `along` has the values by their texts. A position is
    that of the question, led by the value when there is one: the values themselves may have moved
    on when the cursor comes back.
    """

    def __init__(
        self,
        ask: Callable[[Mapping[str, Any]], Asked],
        along: tuple[str, Mapping[str, Any]] | None,
    ) -> None:
        self._field: str | None = along[0] if along else None
        self._by_text: Mapping[str, Any] = along[1] if along else {"": None}
        self._values = list(self._by_text)
        if not self._values:
            raise ValueError(f"there are no values of {self._field} to walk along")
        self._ask = ask
        self._first = ask(self._at(self._values[0]))
        self._start = 0
        self._at_value = self._values[0]
        self._stopped = self._last = False
        self._from: Sequence[str] | None = None
        self.may_have_more = False
        self.position: list[str] = []

    @property
    def arguments(self) -> dict[str, Any]:
        """What tells this walk from another: all that was asked but where along it is."""
        passing = f"where {self._field}"
        return {name: v for name, v in self._first.arguments.items() if name != passing}

    def resume(self, position: Sequence[str]) -> None:
        """Go on from where an earlier page ended."""
        self.position = list(position)
        if self._field is None:
            self._from = position
            return
        value, *rest = position
        self._from = rest or None
        if value not in self._values:
            raise CursorExpired("the page that this cursor continues is no longer part of the list")
        self._start = self._values.index(value)

    def __iter__(self) -> Iterator[tuple[Asked, Sequence[str] | None]]:
        for number in range(self._start, len(self._values)):
            self._last = number == len(self._values) - 1
            asked = self._first if number == 0 else self._ask(self._at(self._values[number]))
            self._at_value = self._values[number]
            yield asked, self._from if number == self._start else None
            if self._stopped:
                return

    def reached(self, asked: Asked, shard: str, entry: Item) -> None:
        """The last entry looked at so far."""
        position = asked.position(shard, entry)
        self.position = [self._at_value, *position] if self._field else position

    def begins(self) -> None:
        """Nothing of the question being asked has been looked at yet."""
        if self._field:
            self.position = [self._at_value]

    def stop(self, more: bool) -> None:
        """The page is full; `more` says whether the question being asked may have more."""
        self._stopped = True
        self.may_have_more = bool(self.position) and (more or not self._last)

    def _at(self, text: str) -> dict[str, Any]:
        return {self._field: self._by_text[text]} if self._field else {}
