"""Parsers of settings: numbers, words, lists, and values by name."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from cdk_app import toml_form
from cdk_app.setting import Parser
from cdk_app.toml_form import BOOLEAN, INTEGER, INTEGER_OR_STRING, NAMED, NONE, STRING, Form
from stacks.shared.by_name import ByName

# Of tags, tickers and whatever else is listed: a function's environment has 4 KB.
_MOST = 50

T = TypeVar("T")


def whole(unit: str, low: int, high: int) -> Parser[int]:
    """A whole number within bounds."""

    def read(text: str) -> int:
        plain = text.isascii() and text.isdigit() and len(text) <= len(str(high))
        if not plain or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    return Parser(f"{unit}, {low} to {high}", read, INTEGER)


def one_of(*words: str) -> Parser[str]:
    """One of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return Parser(either(words), read)


def choice(choices: Mapping[str, T], accepts: str | None = None, form: Form = STRING) -> Parser[T]:
    """What one of some words stands for."""
    found = one_of(*choices).then(choices.__getitem__)
    return Parser(accepts or found.accepts, found.read, form)


def switch() -> Parser[bool]:
    return choice({"on": True, "off": False}, form=BOOLEAN)


def matching(form: re.Pattern[str], accepts: str, toml: Form = STRING) -> Parser[str]:
    """A text of a form."""

    def read(text: str) -> str:
        if not form.fullmatch(text):
            raise ValueError
        return text

    return Parser(accepts, read, toml)


def or_none(parser: Parser[T]) -> Parser[T | None]:
    """A value, or none."""
    return Parser(
        f"{parser.accepts}, or {NONE}",
        lambda text: None if text == NONE else parser.read(text),
        toml_form.or_none(parser.toml),
    )


def listed(part: Parser[T]) -> Parser[tuple[T, ...]]:
    """Values between commas, each once."""

    def read(text: str) -> tuple[T, ...]:
        parts = dict.fromkeys(one.strip() for one in text.split(",") if one.strip())
        if not parts:
            raise ValueError
        if len(parts) > _MOST:
            raise ValueError(f"it has {len(parts)} entries, and there may be {_MOST}")
        return tuple(_each(part, one) for one in parts)

    return Parser(f"a list, each {part.accepts}", read, toml_form.array(part.toml))


def or_empty(parser: Parser[tuple[T, ...]]) -> Parser[tuple[T, ...]]:
    """A list, or none."""
    return Parser(
        f"{parser.accepts}, or {NONE}",
        lambda text: () if text == NONE else parser.read(text),
        parser.toml,
    )


def some_of(names: tuple[str, ...]) -> Parser[tuple[str, ...]]:
    """All of some names, none of them, or those that are listed."""
    named = listed(one_of(*names))
    every = {"on": names, "off": ()}
    return Parser(
        f"on, off, or {named.accepts}",
        lambda text: every[text] if text in every else named.read(text),
        toml_form.switch_or(named.toml),
    )


def pair(most: int, accepts: str) -> Parser[tuple[int, int]]:
    """Two numbers with a slash between them."""
    number = whole("", 1, most)

    def read(text: str) -> tuple[int, int]:
        one, _, other = text.partition("/")
        return number.read(one), number.read(other)

    return Parser(f"{accepts}, 1 to {most} each", read)


def one_or_two(most: int, accepts: str) -> Parser[tuple[int, ...]]:
    """One number, or two with a slash between them."""
    number = whole("", 1, most)

    def read(text: str) -> tuple[int, ...]:
        one, slash, other = text.partition("/")
        return (number.read(one), number.read(other)) if slash else (number.read(one),)

    return Parser(f"{accepts}, 1 to {most} each", read, INTEGER_OR_STRING)


def by_name(value: Parser[T], otherwise: str, names: Iterable[str]) -> Parser[ByName[T]]:
    """A value for all, and others for what is named, between commas: ``100/200,forms=500/900``."""
    known = tuple(names)

    def read(text: str) -> ByName[T]:
        found: dict[str | None, T] = {}
        for part in filter(None, (one.strip() for one in text.split(","))):
            match = NAMED.fullmatch(part)
            name, written = match.groups() if match else (None, part)
            if name is not None and name not in known:
                raise ValueError(f"'{name}' is not one of {', '.join(known)}")
            if name in found:
                raise ValueError(f"{name or 'what is for all'} is there twice")
            found[name] = _each(value, written)
        if not found:
            raise ValueError
        default = found.pop(None) if None in found else value.read(otherwise)
        return ByName(default, {name: one for name, one in found.items() if name})

    return Parser(
        f"{value.accepts}; one for all names, or a table of names, {toml_form.ALL} for the others",
        read,
        toml_form.by_name(value.toml),
    )


def numbers_by_name(value: Parser[int], names: Iterable[str]) -> Parser[Mapping[str, int]]:
    """Numbers of what is named, between commas: ``forms.deliver=20,forms.submit=50``."""
    known = tuple(names)

    def read(text: str) -> Mapping[str, int]:
        if text == NONE:
            return {}
        found = {}
        for part in text.split(","):
            name, _, number = part.strip().partition("=")
            if name not in known:
                raise ValueError(f"'{name}' is not one of {', '.join(known)}")
            if name in found:
                raise ValueError(f"{name} is there twice")
            found[name] = _each(value, number)
        return found

    return Parser(
        f"a table of names, each {value.accepts}, or {NONE}",
        read,
        toml_form.or_none(toml_form.by_name(value.toml)),
    )


def either(words: Iterable[str]) -> str:
    """Words as in a sentence: a, b or c."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _each(parser: Parser[T], text: str) -> T:
    try:
        return parser.read(text)
    except ValueError as error:
        raise ValueError(str(error) or f"'{text}' is not accepted") from None
