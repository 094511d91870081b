"""Fields: what an attribute holds, what it is called in storage, how it is written in a key."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from unicodedata import normalize

from tablewright.model.errors import InvalidValue
from tablewright.model.sizes import ITEM_BYTES

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")
_SECONDS = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_HOUR = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{2})")
# Every character that Unicode calls a space, tabs and line ends not among them.
_SPACES = re.compile(r"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# In place of a stored name: the field stands in the item's keys and nowhere else.
IN_KEY = ""


class Field(ABC):
    """One attribute: `name` in Python, `stored` in the table, or IN_KEY.

    `ordered` tells whether key texts sort like the values; only such fields can be asked for by
    range. `kind` is the attribute's type in DynamoDB.
    """

    __slots__ = ("name", "optional", "stored")
    kind = "S"
    ordered = True

    def __init__(self, name: str, stored: str | None = None, *, optional: bool = False) -> None:
        self.name = name
        self.stored = name if stored is None else stored
        self.optional = optional

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def label(self) -> str:
        """What the field is called outside the program."""
        return self.stored or self.name

    @property
    def most_bytes(self) -> int:
        """The most that a value can have, stored or in a key; by default, what an item may."""
        return ITEM_BYTES

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value in its canonical form, None for one that is as good as absent.

        Raises InvalidValue when it does not fit.
        """

    def attributes(self, value: Any) -> dict[str, Any]:
        """What is stored for the value."""
        return {self.stored: value} if self.stored else {}

    def to_text(self, value: Any) -> str:
        """The value as it stands in a key."""
        return str(value)

    def from_text(self, text: str) -> Any:
        """The value that `to_text` made the text from."""
        return text

    def accepts_text(self, text: str) -> bool:
        """Whether this can be a value's text in a key: tells keys of different entities apart."""
        try:
            return self.check(text) is not None
        except InvalidValue:
            return False

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The value as JSON Schema, for OpenAPI documents."""

    def _in_utc(self, moment: datetime) -> str:
        try:
            return timestamp(moment)
        except (ValueError, OverflowError):
            reason = "must be a time with its time zone, of the years 1 to 9999 in UTC"
            raise self.refuse(reason) from None

    def refuse(self, reason: str) -> InvalidValue:
        return InvalidValue(self.name, reason)


class Text(Field):
    """Non-empty text of bounded length, optionally of a given form."""

    __slots__ = ("form", "max_length", "pattern")

    def __init__(
        self,
        name: str,
        stored: str | None = None,
        *,
        optional: bool = False,
        max_length: int = 256,
        pattern: str | None = None,
        form: str | None = None,
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.max_length = max_length
        self.pattern = pattern
        self.form = form

    @property
    def most_bytes(self) -> int:
        return 4 * self.max_length

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise self.refuse("must be text")
        if not value or len(value) > self.max_length:
            raise self.refuse(f"must have 1 to {self.max_length} characters")
        unfit = self._unfit(value)
        if unfit:
            raise self.refuse(unfit)
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise self.refuse(f"must be {self.form or 'of the form ' + self.pattern}")
        return value

    def _unfit(self, value: str) -> str | None:
        if not value.isprintable():
            return "must not contain control characters, nor spaces other than U+0020"
        return None

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": self.max_length}
        if self.pattern:
            schema["pattern"] = f"^(?:{self.pattern})$"
        return schema


class Prose(Text):
    """Text as people write it: emoji, joiners and any space, but no control characters."""

    __slots__ = ()

    def _unfit(self, value: str) -> str | None:
        return "must not contain control characters" if _CONTROL.search(value) else None


class Lines(Prose):
    """Prose of several lines: a line break, however it was written, is a line feed."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if isinstance(value, str):
            value = value.replace("\r\n", "\n").replace("\r", "\n")
        return super().check(value)

    def _unfit(self, value: str) -> str | None:
        unfit = _CONTROL.search(value.replace("\n", ""))
        return "must not contain control characters other than line breaks" if unfit else None


class Name(Text):
    """A name as people write it, kept in one spelling: composed (NFC), with one plain space for
    every run of spaces, and none at its ends. So one name is one key, whoever typed it."""

    __slots__ = ()

    def check(self, value: Any) -> str:
        if isinstance(value, str):
            value = _SPACES.sub(" ", normalize("NFC", value)).strip(" ")
            if not value:
                raise self.refuse(f"must have 1 to {self.max_length} characters that are not blank")
        return super().check(value)

    def _unfit(self, value: str) -> str | None:
        return "must not contain control characters" if _CONTROL.search(value) else None


class Choice(Field):
    """One word of a fixed list."""

    __slots__ = ("choices",)

    def __init__(
        self,
        name: str,
        choices: Sequence[str],
        stored: str | None = None,
        *,
        optional: bool = False,
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.choices = tuple(choices)

    @property
    def most_bytes(self) -> int:
        return max((len(word.encode()) for word in self.choices), default=0)

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise self.refuse("must be one of " + ", ".join(self.choices))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


class Flag(Field):
    """True or false. It cannot stand in a key: DynamoDB has no such keys."""

    __slots__ = ()
    kind = "BOOL"
    ordered = False

    @property
    def most_bytes(self) -> int:
        return 1

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refuse("must be true or false")
        return value

    def accepts_text(self, text: str) -> bool:
        return False

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class Date(Field):
    """A calendar day, ``YYYY-MM-DD``, that exists."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DD")

    def check(self, value: Any) -> str:
        if type(value) is date:
            return value.isoformat()
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            raise self.refuse("must be a date of the form YYYY-MM-DD")
        try:
            return date.fromisoformat(value).isoformat()
        except ValueError:
            raise self.refuse("must be a day that exists") from None

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


class Hour(Field):
    """An hour of a day in UTC, ``YYYY-MM-DD-HH``."""

    __slots__ = ()

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DD-HH")

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            return self._in_utc(value)[:13].replace("T", "-")
        if not isinstance(value, str) or not _HOUR.fullmatch(value):
            raise self.refuse("must be an hour of the form YYYY-MM-DD-HH")
        try:
            hour_begin(value)
        except ValueError:
            raise self.refuse("must be an hour that exists") from None
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_HOUR.pattern}$"}


def hour_begin(text: str) -> datetime:
    """The moment that an hour begins at."""
    day, hour = text[:10], text[11:]
    return datetime.fromisoformat(f"{day}T{hour}:00:00+00:00")


class Timestamp(Field):
    """A moment in UTC, ``YYYY-MM-DDTHH:MM:SS.mmmZ``: fixed width, so text order is time order.

    With `seconds`, to the second: ``YYYY-MM-DDTHH:MM:SSZ``.
    """

    __slots__ = ("seconds",)

    def __init__(
        self,
        name: str,
        stored: str | None = None,
        *,
        optional: bool = False,
        seconds: bool = False,
    ) -> None:
        super().__init__(name, stored, optional=optional)
        self.seconds = seconds

    @property
    def most_bytes(self) -> int:
        return len("YYYY-MM-DDTHH:MM:SS.mmmZ")

    def check(self, value: Any) -> str:
        if isinstance(value, datetime):
            text = self._in_utc(value)
            return f"{text[:19]}Z" if self.seconds else text
        if not isinstance(value, str) or not self._form.fullmatch(value):
            fraction = "" if self.seconds else ".mmm"
            raise self.refuse(f"must be a UTC time of the form YYYY-MM-DDTHH:MM:SS{fraction}Z")
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise self.refuse("must be a time that exists") from None
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time", "pattern": f"^{self._form.pattern}$"}

    @property
    def _form(self) -> re.Pattern[str]:
        return _SECONDS if self.seconds else _TIMESTAMP


def timestamp(moment: datetime) -> str:
    """A moment as `Timestamp` stores it; refuses one that does not say its time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time without a time zone is ambiguous: pass an aware datetime")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
