"""Layout of Python expressions: in one line where that fits, else as ruff and Black do it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from tablewright.designs.description.node import printable

WIDTH = 100
_STEP = 4


class Atom(NamedTuple):
    """What is never broken: a name, a number."""

    text: str

    def flat(self) -> str:
        return self.text

    def lines(self, prefix: str, suffix: str, indent: int) -> list[str]:
        return [f"{' ' * indent}{prefix}{self.text}{suffix}"]


class Literal(NamedTuple):
    """A text, which is broken between words where it is too long for a line."""

    text: str

    def flat(self) -> str:
        return quoted(self.text)

    def lines(self, prefix: str, suffix: str, indent: int) -> list[str]:
        room = WIDTH - indent - len(prefix) - len(suffix) - 2
        pieces = _pieces(self.text, room) if len(self.flat()) > room + 2 else [self.text]
        *firsts, last = map(quoted, pieces)
        leads = [prefix, *[""] * len(firsts)]
        ends = [*[""] * len(firsts), suffix]
        return [
            f"{' ' * indent}{lead}{piece}{end}"
            for lead, piece, end in zip(leads, [*firsts, last], ends, strict=True)
        ]


class Bracketed(NamedTuple):
    """Entries between brackets: a call, a class's head, a tuple, a dictionary, a set."""

    opening: str
    entries: tuple[tuple[str, Expression], ...]
    closing: str
    # Whether entries may stand on one line between those of the brackets, as arguments may.
    together: bool = True
    comma: bool = False  # after the one entry of a tuple

    def flat(self) -> str:
        return f"{self.opening}{self._body()}{',' * self.comma}{self.closing}"

    def lines(self, prefix: str, suffix: str, indent: int) -> list[str]:
        flat = f"{' ' * indent}{prefix}{self.flat()}{suffix}"
        if len(flat) <= WIDTH or not self.entries:
            return [flat]
        inner, body = indent + _STEP, self._body()
        one = len(self.entries) == 1
        if (self.together or one) and inner + len(body) <= WIDTH and not self.comma:
            within = [" " * inner + body]
        else:
            end = "" if one and not self.comma else ","
            within = [
                line for lead, entry in self.entries for line in entry.lines(lead, end, inner)
            ]
        margin = " " * indent
        return [f"{margin}{prefix}{self.opening}", *within, f"{margin}{self.closing}{suffix}"]

    def _body(self) -> str:
        return ", ".join(f"{lead}{entry.flat()}" for lead, entry in self.entries)


Expression = Atom | Literal | Bracketed


def call(
    function: str, *positional: Expression, named: Iterable[tuple[str, Expression]] = ()
) -> Bracketed:
    """A call, with the arguments that have names after those that have none."""
    entries = [("", one) for one in positional]
    entries += [(f"{name}=", one) for name, one in named]
    return Bracketed(f"{function}(", tuple(entries), ")")


def sequence(entries: Iterable[Expression]) -> Bracketed:
    """A tuple."""
    given = tuple(("", one) for one in entries)
    return Bracketed("(", given, ")", together=False, comma=len(given) == 1)


def listed(entries: Iterable[Expression], brackets: str = "[]") -> Bracketed:
    """A list or, between braces, a set."""
    given = tuple(("", one) for one in entries)
    return Bracketed(brackets[0], given, brackets[1], together=False)


def mapping(entries: Iterable[tuple[str, Expression]]) -> Bracketed:
    """A dictionary, of keys that are written as they are given."""
    given = tuple((f"{key}: ", one) for key, one in entries)
    return Bracketed("{", given, "}", together=False)


def plain(value: str | int) -> Expression:
    """A text, a number or a flag."""
    if isinstance(value, str):
        return Literal(value)
    large = not isinstance(value, bool) and abs(value) >= 10_000
    return Atom(f"{value:_}" if large else repr(value))


def quoted(text: str) -> str:
    """A text as Python has it, between double quotes unless it has such.

    >>> print(quoted("it's"), quoted('a "word"'))
    "it's" 'a "word"'
    """
    if "\\" in text and text.isprintable() and '"' not in text and not text.endswith("\\"):
        return f'r"{text}"'
    # Of a text with both quotes, repr escapes the single ones.
    body = repr(f"'\"{text}")[len("'\\'\"") : -1]
    if text.count('"') > text.count("'"):
        return f"'{body}'"
    body = body.replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def docstring(text: str, indent: int) -> list[str]:
    """A docstring of one paragraph."""
    margin = " " * indent
    safe = " ".join(text.split()).replace("\\", "\\\\")
    if '"""' in safe or safe.endswith('"'):
        safe = safe.replace('"', '\\"')
    safe = "".join(one if one.isprintable() else repr(one)[1:-1] for one in safe)
    if len(margin) + len(safe) + 6 <= WIDTH:
        return [f'{margin}"""{safe}"""']
    first, *rest = textwrap.wrap(safe, WIDTH - indent, initial_indent=" " * 3, **_WHOLE_WORDS)
    return [f'{margin}"""{first.strip()}', *(margin + line for line in rest), f'{margin}"""']


def comment(text: str, indent: int) -> list[str]:
    """A comment, in as many lines as it needs."""
    lines = textwrap.wrap(text, WIDTH - indent - 2, **_WHOLE_WORDS)
    return [f"{' ' * indent}# {printable(line)}" for line in lines]


class _Wrapping(NamedTuple):
    break_long_words: bool = False
    break_on_hyphens: bool = False


_WHOLE_WORDS = _Wrapping()._asdict()


def _pieces(text: str, room: int) -> list[str]:
    """A text in pieces of at most so many characters, as they are written, broken after spaces."""
    pieces = [""]
    for word in text.replace(" ", " \0").split("\0"):
        if pieces[-1] and len(repr(pieces[-1] + word)) - 2 > room:
            pieces.append("")
        pieces[-1] += word
    return pieces
