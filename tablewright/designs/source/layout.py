"""Layout of Python expressions: one line where that fits, else a line for each entry."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from tablewright.designs.description.node import printable

WIDTH = 100
_STEP = 4


class Literal(NamedTuple):
    """A text, which is broken between words where it is too long for a line."""

    text: str


class Bracketed(NamedTuple):
    """Entries between brackets: a call, a class's head, a tuple, a dictionary, a set."""

    opening: str
    entries: tuple[tuple[str, Expression], ...]
    closing: str


Expression = str | Literal | Bracketed
"""Names and numbers are strings: they are never broken."""


def flat(expression: Expression) -> str:
    """An expression on one line."""
    if isinstance(expression, str):
        return expression
    if isinstance(expression, Literal):
        return quoted(expression.text)
    opening, entries, closing = expression
    comma = "," if opening == "(" and len(entries) == 1 else ""  # a tuple of one entry
    body = ", ".join(f"{lead}{flat(entry)}" for lead, entry in entries)
    return f"{opening}{body}{comma}{closing}"


def lines(expression: Expression, prefix: str, suffix: str, indent: int) -> list[str]:
    """An expression on one line if it fits, or else with a line for each entry."""
    margin = " " * indent
    line = f"{margin}{prefix}{flat(expression)}{suffix}"
    if len(line) <= WIDTH or isinstance(expression, str):
        return [line]
    if isinstance(expression, Literal):
        room = WIDTH - indent - len(prefix) - len(suffix) - 2
        pieces = [quoted(one) for one in _pieces(expression.text, room)]
        pieces[0] = prefix + pieces[0]
        pieces[-1] += suffix
        return [f"{margin}{one}" for one in pieces]
    opening, entries, closing = expression
    within = [one for lead, entry in entries for one in lines(entry, lead, ",", indent + _STEP)]
    return [f"{margin}{prefix}{opening}", *within, f"{margin}{closing}{suffix}"]


def call(
    function: str, *positional: Expression, named: Iterable[tuple[str, Expression]] = ()
) -> Bracketed:
    """A call, with the arguments that have names after those that have none."""
    entries = [*(("", one) for one in positional), *((f"{name}=", one) for name, one in named)]
    return Bracketed(f"{function}(", tuple(entries), ")")


def listed(entries: Iterable[Expression], brackets: str) -> Bracketed:
    """A tuple, a list or a set, by its brackets."""
    return Bracketed(brackets[0], tuple(("", one) for one in entries), brackets[1])


def mapping(entries: Iterable[tuple[str, Expression]]) -> Bracketed:
    """A dictionary, of keys that are written as they are given."""
    return Bracketed("{", tuple((f"{key}: ", one) for key, one in entries), "}")


def plain(value: str | int) -> Expression:
    """A text, a number or a flag."""
    if isinstance(value, str):
        return Literal(value)
    large = not isinstance(value, bool) and abs(value) >= 10_000
    return f"{value:_}" if large else repr(value)


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
