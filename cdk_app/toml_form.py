"""TOML form: the native value in a stage file that stands for the text of a setting.

Parsers read text, whether it comes from a file or from a variable. A form converts both ways.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NONE = "none"
# Key of a table by name: its value is for every name that the table does not have.
ALL = "all"
# One of several values in a text: ``forms.deliver=20``.
NAMED = re.compile(r"([a-z0-9_.]+)=(.+)")


@dataclass(frozen=True)
class Form:
    """A TOML type. `text` raises ValueError for a value of another type."""

    type: str
    text: Callable[[Any], str]
    value: Callable[[str], Any]
    # Words for accepted values, where those of the text do not fit.
    accepts: str | None = None


def literal(value: Any) -> str:
    """A value as TOML writes it, in one line."""
    if isinstance(value, Mapping):
        pairs = (f"{_key(name)} = {literal(part)}" for name, part in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def array(part: Form) -> Form:
    """An array; its text has commas between the parts."""

    def text(value: Any) -> str:
        if value == NONE:
            return NONE
        if not isinstance(value, list):
            raise ValueError("it must be an array")
        parts = [part.text(one) for one in value]
        for one in parts:
            if "," in one or one.strip() in ("", NONE):
                raise ValueError(f"{literal(one)} cannot be part of a list")
        return ",".join(parts) or NONE

    return Form(
        "an array",
        text,
        lambda text: [] if text == NONE else [part.value(one.strip()) for one in text.split(",")],
    )


def or_none(form: Form) -> Form:
    """A value, or the string "none"."""
    return Form(
        form.type,
        lambda value: NONE if value == NONE else form.text(value),
        lambda text: NONE if text == NONE else form.value(text),
        form.accepts and f'{form.accepts}, or "{NONE}"',
    )


def switch_or(form: Form) -> Form:
    """True or false, or a value of another type."""

    def text(value: Any) -> str:
        if value.__class__ is bool:
            return BOOLEAN.text(value)
        return "off" if (written := form.text(value)) == NONE else written

    return Form(
        form.type, text, lambda text: text == "on" if text in ("on", "off") else form.value(text)
    )


def by_name(form: Form) -> Form:
    """A value for all names, or a table of values by name."""

    def text(value: Any) -> str:
        if not isinstance(value, Mapping):
            return form.text(value)
        parts = {name: form.text(one) for name, one in _flat(value)}
        everyone = [parts.pop(ALL)] if ALL in parts else []
        return ",".join((*everyone, *(f"{name}={one}" for name, one in parts.items()))) or NONE

    def value(text: str) -> Any:
        parts = [one.strip() for one in text.split(",")]
        matches = [(NAMED.fullmatch(one), one) for one in parts]
        if not any(match for match, _ in matches):
            return form.value(text)
        named = (match.groups() if match else (ALL, one) for match, one in matches)
        return {name: form.value(one) for name, one in named}

    return Form("a table", text, value)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else literal(name)


def _of(type: str, types: tuple[type, ...], text: Callable[[Any], str]) -> Callable[[Any], str]:
    def checked(value: Any) -> str:
        # By class: a boolean is an instance of int.
        if value.__class__ not in types:
            raise ValueError(f"it must be {type}")
        return text(value)

    return checked


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except TypeError:
        raise ValueError("it must have no dates or times") from None


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


STRING = Form("a string", _of("a string", (str,), str), str)
INTEGER = Form("an integer", _of("an integer", (int,), str), int)
INTEGER_OR_STRING = Form(
    "an integer",
    _of("an integer or a string", (int, str), str),
    lambda text: int(text) if text.isdigit() else text,
)
NUMBER = Form("a number", _of("a number", (int, float), str), _number)
BOOLEAN = Form(
    "a boolean",
    _of("true or false", (bool,), lambda value: "on" if value else "off"),
    lambda text: text == "on",
    "true or false",
)
# Whatever JSON has, such as a table of arrays.
JSON = Form("a table", _of("a table", (dict,), _json), json.loads)
