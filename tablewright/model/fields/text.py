"""Text fields: of bounded length, of a given form, one word of several, true or false."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any

from tablewright.model.fields.base import REQUIRED, Field

# Every character that Unicode calls a space, tabs and line ends not among them.
_SPACES = r"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
# Named groups, references to groups, flags: nothing that can be part of a longer expression.
_ENTANGLED = r"\\[1-9]|\(\?[P(]|^\(\?[a-zA-Z]+\)"
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"


_untrusted: ContextVar[Set[str]] = ContextVar("_untrusted", default=frozenset())
# Some expressions need a time that is exponential in the length of the text.
_MOST_UNTRUSTED = 16


@contextmanager
def untrusted_patterns(patterns: Set[str]) -> Iterator[None]:
    """Match these patterns with short texts alone, and refuse longer ones, in this block."""
    token = _untrusted.set(patterns)
    try:
        yield
    finally:
        _untrusted.reset(token)


def _matches(pattern: str, text: str) -> bool:
    if len(text) > _MOST_UNTRUSTED and pattern in _untrusted.get():
        return False
    return re.fullmatch(pattern, text) is not None


class TextField(Field[Any]):
    """Text of bounded length, not empty unless that is said, optionally of a given form."""

    __slots__ = ("form", "max_length", "min_length", "pattern")

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        min_length: int = 1,
        max_length: int = 256,
        pattern: str | None = None,
        form: str | None = None,
    ) -> None:
        super().__init__(stored, default=default)
        self.min_length = min_length
        self.max_length = max_length
        self.pattern = pattern
        self.form = form

    @property
    def most_bytes(self) -> int:
        return 4 * self.max_length

    @property
    def key_pattern(self) -> str:
        if self.pattern and not re.search(_ENTANGLED, self.pattern):
            return self.pattern
        return rf"[\s\S]{{{max(1, self.min_length)},{self.max_length}}}"

    def begins(self, text: str) -> bool:
        return len(text) <= self.max_length and not self._unfit(text)

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("must be text")
        if not self.min_length <= len(value) <= self.max_length:
            raise self.refuse(f"must have {self.min_length} to {self.max_length} characters")
        unfit = self._unfit(value)
        if unfit:
            raise self.refuse(unfit)
        if self.pattern and not _matches(self.pattern, value):
            raise self.refuse(f"must be {self.form or 'of the form ' + self.pattern}")
        return value

    def compared(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("must be text")
        return value

    def _unfit(self, value: str) -> str | None:
        if not value.isprintable():
            return "must not contain control characters, nor spaces other than U+0020"
        return None

    def schema(self) -> dict[str, Any]:
        lengths = {"minLength": self.min_length, "maxLength": self.max_length}
        schema: dict[str, Any] = {"type": "string", **lengths}
        if self.pattern:
            schema["pattern"] = f"^(?:{self.pattern})$"
        return schema


class ProseField(TextField):
    """Text as people write it: emoji, joiners and any space, but no control characters."""

    __slots__ = ()

    def _unfit(self, value: str) -> str | None:
        return "must not contain control characters" if re.search(_CONTROL, value) else None


class LinesField(ProseField):
    """Prose of several lines: a line break, however it was written, is a line feed."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if isinstance(value, str):
            value = value.replace("\r\n", "\n").replace("\r", "\n")
        return super().check(value)

    def _unfit(self, value: str) -> str | None:
        unfit = re.search(_CONTROL, value.replace("\n", ""))
        return "must not contain control characters other than line breaks" if unfit else None


class NameField(TextField):
    """A name as people write it, kept in one spelling: composed (NFC), with one plain space for
    every run of spaces, and none at its ends. So one name is one key, whoever typed it."""

    __slots__ = ()

    def begins(self, text: str) -> bool:
        from unicodedata import normalize  # when it is needed: it is slow to import

        plain = re.sub(_SPACES, " ", normalize("NFC", text)).lstrip(" ")
        return plain == text and super().begins(text)

    def check(self, value: Any) -> str:
        if isinstance(value, str):
            from unicodedata import normalize  # when it is needed: it is slow to import

            value = re.sub(_SPACES, " ", normalize("NFC", value)).strip(" ")
            if not value and self.min_length:
                raise self.refuse(f"must have 1 to {self.max_length} characters that are not blank")
        return super().check(value)

    def _unfit(self, value: str) -> str | None:
        return "must not contain control characters" if re.search(_CONTROL, value) else None


class ChoiceField(Field[Any]):
    """One word of a fixed list."""

    __slots__ = ("choices",)

    def __init__(
        self,
        choices: Sequence[str],
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
    ) -> None:
        super().__init__(stored, default=default)
        self.choices = tuple(choices)

    @property
    def most_bytes(self) -> int:
        return max((len(word.encode()) for word in self.choices), default=0)

    @property
    def key_pattern(self) -> str:
        return "|".join(re.escape(word) for word in self.choices)

    def begins(self, text: str) -> bool:
        return any(word.startswith(text) for word in self.choices)

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise self.refuse("must be one of " + ", ".join(self.choices))
        return value

    def from_plain(self, plain: str) -> Any:
        return self.check(plain)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


class EnumField(ChoiceField):
    """One member of an enumeration, stored as its value, which is a text."""

    __slots__ = ("members",)
    converts = True

    def __init__(
        self, of: type[Enum], stored: str | None = None, *, default: Any = REQUIRED
    ) -> None:
        super().__init__([str(one.value) for one in of], stored, default=default)
        self.members = {str(one.value): one for one in of}

    @property
    def type_name(self) -> str:
        return "Choice"

    def check(self, value: Any) -> Any:
        if isinstance(value, Enum):
            if self.members.get(str(value.value)) is value:
                return value
            raise self.refuse("must be one of " + ", ".join(self.choices))
        return self.members[super().check(value)]

    def from_plain(self, plain: str) -> Any:
        member = self.members.get(plain)
        return self.check(plain) if member is None else member

    def to_plain(self, value: Enum) -> str:
        return str(value.value)

    def to_text(self, value: Enum) -> str:
        return str(value.value)

    def from_text(self, text: str) -> Any:
        return self.members.get(text, text)


class FlagField(Field[Any]):
    """True or false; in the text of a key, a word. DynamoDB has no keys of this type."""

    __slots__ = ()
    kind = "BOOL"
    ordered = False

    @property
    def most_bytes(self) -> int:
        return len("false")

    @property
    def key_pattern(self) -> str:
        return "true|false"

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refuse("must be true or false")
        return value

    def to_text(self, value: bool) -> str:
        return "true" if value else "false"

    def from_text(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text, text)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}
