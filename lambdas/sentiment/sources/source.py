"""Source of texts: what each gives, and how its entries become items."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Protocol

MAX_TEXT = 5000
MAX_ITEMS = 100

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_HALF_PAIRS = re.compile("[\ud800-\udfff]")
# What every signed 64-bit counter can hold.
_COUNTS = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class RawItem:
    """One text from a source, mapped but not validated.

    `stable_id` is the same whenever the source gives the same entry, so it tells duplicates.
    Sources of financial news also say which `tickers` an entry is about, in upper case, and when
    it was `published`, in UTC.
    """

    source_type: str
    stable_id: str
    text: str
    source_url: str | None
    metadata: dict[str, str | int]
    tickers: tuple[str, ...] = ()
    published: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry that cannot become an item, as it came: to be kept aside while reading goes on."""

    source_type: str
    raw: Any
    reason: str


class Source(Protocol):
    """Somewhere that texts come from."""

    @property
    def source_type(self) -> str: ...

    def fetch(self, query: str, deadline: datetime | None = None) -> Iterator[RawItem | Unreadable]:
        """What the source has on a query, newest first, page by page as it is consumed.

        A rate limit is waited for when it ends before the deadline, never without one. Raises
        SourceError when the source cannot be read further; what was given before stands.
        """
        ...


class Unmappable(ValueError):
    """An entry lacks what makes an item; the message says what."""


class Feed(ABC):
    """A source of entries, each of which is mapped by itself.

    It looks at no more than `max_items` entries a fetch, readable or not, so that a source
    without an end cannot keep a function busy.
    """

    source_type: str

    def __init__(self, max_items: int) -> None:
        self._max_items = max_items

    def fetch(self, query: str, deadline: datetime | None = None) -> Iterator[RawItem | Unreadable]:
        for entry in islice(self._entries(query, deadline), self._max_items):
            try:
                item = self._item(entry)
            except Unmappable as problem:
                yield Unreadable(self.source_type, entry, str(problem))
            else:
                if item:
                    yield item

    @abstractmethod
    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        """The entries of all pages; a page is asked for when its first entry is wanted."""

    @abstractmethod
    def _item(self, entry: Any) -> RawItem | None:
        """The entry as an item, None for one that is to be passed over; or raises Unmappable."""


def fields_of(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise Unmappable("is not an object")
    return entry


def identifier(entry: Mapping[str, Any], name: str) -> str:
    """An id as the source gives it, if it can stand in a key."""
    value = entry.get(name)
    if value is None:
        raise Unmappable(f"has no {name}")
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise Unmappable(f"{name} must be letters, digits, _ and -")
    return value


def numeric_id(entry: Mapping[str, Any], name: str) -> str:
    """An id that the source gives as a number."""
    if entry.get(name) is None:
        raise Unmappable(f"has no {name}")
    number = count(entry, name)
    if number is None or number < 0:
        raise Unmappable(f"{name} must be a whole number of 0 or more")
    return str(number)


def words(entry: Mapping[str, Any], name: str) -> str | None:
    """A text, None for an empty one. What was cut within a character is marked as unknown."""
    return _text(entry.get(name))


def needed(entry: Mapping[str, Any], name: str) -> str:
    """A text that makes no item without it."""
    text = words(entry, name)
    if text is None:
        raise Unmappable(f"has no {name}")
    return text


def texts(entry: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list, without what is none; empty when there is no list."""
    values = entry.get(name)
    found = map(_text, values if isinstance(values, list) else [])
    return [text for text in found if text is not None]


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return _HALF_PAIRS.sub("\ufffd", value).strip() or None


def count(entry: Mapping[str, Any], name: str) -> int | None:
    value = entry.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and value in _COUNTS
    return value if is_count else None


def joined(*parts: str | None) -> str:
    """The text to analyse."""
    return "\n".join(part for part in parts if part)[:MAX_TEXT]


def present(**values: str | int | None) -> dict[str, str | int]:
    """Metadata, without what the source does not say."""
    return {name: value for name, value in values.items() if value is not None}
