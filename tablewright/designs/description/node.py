"""Nodes of a JSON document: each value knows its path, and an error names both."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tablewright.designs.description.errors import InvalidDescription
from tablewright.runtime.strict_json import InvalidJson, parse

# Numbers of DynamoDB have 38 digits: no option can mean more.
_MOST = 10**38
_SHOWN = 60
_LONGEST_REASON = 1000
_MOST_BYTES = 16 * 1024 * 1024
T = TypeVar("T")


def read_document(file: Path) -> Node:
    """Read a JSON document of limited size and depth; raises InvalidDescription."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InvalidDescription(f"it cannot be read: {error.strerror}") from None
    return parse_document(text)


def parse_document(text: str | bytes) -> Node:
    """Parse a JSON document of limited size and depth; raises InvalidDescription."""
    if len(text) > _MOST_BYTES:
        raise InvalidDescription(f"it is larger than {_MOST_BYTES:,} bytes")
    try:
        return Node(parse(text))
    except InvalidJson as error:
        raise InvalidDescription(printable(f"it {error}")) from None


class Node(NamedTuple):
    """A value of a JSON document, and the path to it."""

    value: Any
    path: str = ""

    def refuse(self, reason: str) -> InvalidDescription:
        """Error for this value, in a single line."""
        place = self.path or "the document"
        if len(reason) > _LONGEST_REASON:
            reason = f"{reason[:_LONGEST_REASON]}…"
        return InvalidDescription(one_line(f"{place} is {_shown(self.value)}: {reason}"))

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn an error that this value causes in a constructor into InvalidDescription."""
        try:
            yield
        except (ArithmeticError, AttributeError, LookupError, RecursionError) as error:
            raise self.refuse(f"it does not fit ({type(error).__name__})") from None
        except (TypeError, ValueError, re.error) as error:
            raise self.refuse(str(error).partition("\n")[0]) from None

    def text(self) -> str:
        """A text that is not empty."""
        if type(self.value) is not str or not self.value:
            raise self.refuse("it must be a text")
        return self.sentence()

    def sentence(self) -> str:
        """A text, which may be empty."""
        if type(self.value) is not str:
            raise self.refuse("it must be a text")
        if "\0" in self.value or re.search("[\ud800-\udfff]", self.value):
            raise self.refuse("it must be valid Unicode text")
        return self.value

    def name(self) -> str:
        """A name that Python accepts, and keeps for no purpose of its own."""
        if not is_name(self.value) or self.value.startswith("__"):
            raise self.refuse("it must be a name that Python accepts")
        return str(self.value)

    def number(self, most: int = _MOST) -> int:
        """A whole number of limited size."""
        if type(self.value) is not int or abs(self.value) > most:
            shown = most if most < _MOST else "10^38"
            raise self.refuse(f"it must be a whole number of at most {shown}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if type(self.value) is not bool:
            raise self.refuse("it must be true or false")
        return self.value

    def one_of(self, known: Mapping[str, T]) -> T:
        """The value that an allow-list has under this text."""
        if type(self.value) is not str or self.value not in known:
            raise self.refuse(f"it must be one of {', '.join(known) or 'none'}")
        return known[self.value]

    def members(self) -> dict[str, Node]:
        """Members of an object."""
        if type(self.value) is not dict:
            raise self.refuse("it must be an object")
        return {self.at(name).text(): self.at(name, entry) for name, entry in self.value.items()}

    def shaped(self, required: str, optional: str = "") -> dict[str, Node]:
        """Members of an object that has the required names and no unknown ones."""
        members = self.members()
        for name in required.split():
            if name not in members:
                raise self.refuse(f"it must have '{name}'")
        for name in members:
            if name not in f"{required} {optional}".split():
                raise self.refuse(f"it cannot have {name!r}")
        return members

    def elements(self) -> list[Node]:
        """Elements of a list."""
        if type(self.value) is not list:
            raise self.refuse("it must be a list")
        return [self.at(number, entry) for number, entry in enumerate(self.value)]

    def texts(self) -> str | tuple[str, ...]:
        """A text, or those of a list that is not empty."""
        if type(self.value) is str:
            return self.text()
        if not (elements := self.elements()):
            raise self.refuse("it must not be empty")
        return tuple(entry.text() for entry in elements)

    def each(self, build: Callable[[Node], T]) -> dict[str, T]:
        """Members of an object, each built by a function."""
        return {name: build(node) for name, node in self.members().items()}

    def at(self, name: object, value: Any = ...) -> Node:
        """Node of a member or an element; without a value, of its name."""
        shown = str(name) if type(name) is int or is_name(name) else _shown(name)
        path = f"{self.path}.{shown}" if self.path else shown
        return Node(name, path) if value is ... else Node(value, path)


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > _MOST:
        return "a huge number"
    shown = repr(value[:_SHOWN] if isinstance(value, str) else value)
    return f"{shown}…" if isinstance(value, str) and len(value) > _SHOWN else shown


def is_name(value: object) -> bool:
    """Check that Python accepts a value as a name."""
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)


def one_line(text: str) -> str:
    """Escape control characters and line breaks."""
    return printable(text).replace("\n", "\\n")


def printable(text: str) -> str:
    r"""Escape control characters, so that text of a file changes no terminal; keep line breaks.

    The escapes are those of JSON: a JSON document stays the same document.

    >>> printable("a\x1b[2Jb")
    'a\\u001b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(
        entry if entry.isprintable() or entry == "\n" else json.dumps(entry)[1:-1] for entry in text
    )
