"""Computed parts of keys: texts that follow from fields, and are stored in keys alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, overload

from tablewright.model.arguments import checked
from tablewright.model.errors import InvalidValue
from tablewright.model.fields.numbers import MoneyField, WholeField
from tablewright.model.fields.time import DateTextField, TimestampTextField

if TYPE_CHECKING:
    from tablewright.model.fields.base import Field

_LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)


class Computed:
    """A part of a key that is computed from fields: whoever asks by it gives these instead.

    `function` takes their values and gives a text of at most `max_length` characters, always the
    same for the same values. Of a record the attribute is that text.

    Example::

        class Link(Entity, key=Key("LINK#{spread}#{code}")):
            code: Field[str] = Text()
            spread = Computed(lambda code: sha256(code.encode()).hexdigest()[:2], code)
    """

    __slots__ = ("_of", "function", "max_length", "name")

    @checked
    def __init__(self, function: Callable[..., str], *of: Field[Any], max_length: int = 64) -> None:
        if not of:
            raise TypeError("Computed: name the fields that are passed to the function, after it")
        self.name = ""
        self.function = function
        self.max_length = max_length
        self._of = of

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, record: None, owner: type) -> Self: ...
    @overload
    def __get__(self, record: Mapping[str, Any], owner: type) -> str: ...
    def __get__(self, record: Any, owner: type) -> Any:
        return self if record is None else self.text(record)

    @property
    def key_pattern(self) -> str:
        """Regular expression of the texts that it has in keys: it matches all of them."""
        return rf"[\s\S]{{1,{self.max_length}}}"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the fields that it is computed from."""
        return tuple(field.name for field in self._of)

    def text(self, values: Mapping[str, Any]) -> str | None:
        """The text for these values, None where one is missing."""
        given = [values.get(name) for name in self.inputs]
        if any(value is None for value in given):
            return None
        text = self.function(*given)
        if not isinstance(text, str) or not 0 < len(text) <= self.max_length:
            reason = f"must be computed as a text of 1 to {self.max_length} characters"
            raise InvalidValue(self.name, reason)
        return text


class Reversed(Computed):
    """A moment, a day, an amount or a whole number whose text sorts the other way round: newest, or
    highest, first in a list that ascends.

    Example::

        class Score(Entity, key=Key("GAME#{game}", "{best}#{player}")):
            game: Field[str] = Text()
            player: Field[str] = Text()
            points: Field[int] = Whole(digits=6)
            best = Reversed(points)
    """

    __slots__ = ("_digits", "_step")

    @checked
    def __init__(self, of: Field[Any]) -> None:
        super().__init__(self._text, of)
        fine = isinstance(of, TimestampTextField) and of.resolution == "us"
        if isinstance(of, TimestampTextField) and not of.any_precision:
            self._digits = 18 if fine else 15
        elif isinstance(of, DateTextField):
            self._digits = 7
        elif isinstance(of, MoneyField) or (isinstance(of, WholeField) and of.lowest >= 0):
            self._digits = of.digits
        else:
            raise TypeError(
                f"Reversed takes a moment, a day, an amount or a whole number that is not negative,"
                f" and not a {of.type_name}"
            )
        # Seconds count as milliseconds, too.
        self._step = timedelta(microseconds=1 if fine else 1000)

    @property
    def key_pattern(self) -> str:
        return f"[0-9]{{{self._digits}}}"

    def _text(self, value: Any) -> str:
        if isinstance(value, str):
            value = datetime.fromisoformat(value) if len(value) > 10 else date.fromisoformat(value)
        if isinstance(value, datetime):
            remaining = (_LAST_MOMENT - value) // self._step
        elif isinstance(value, date):
            remaining = (date.max - value).days
        else:
            text = self._of[0].to_text(value)
            remaining = 10**self._digits - 1 - int(text)
        return str(remaining).zfill(self._digits)


class Digest(Computed):
    """A keyed digest of a secret field, by which items are found that have one value of it.

    Whoever asks gives the value. Equal values have equal digests, and that is all that a key tells;
    a store computes them, with a key of its own (HMAC-SHA-256). In a table with tenants the digests
    of two tenants differ, unless a `shared` key contains them, which is read without a tenant.

    Example::

        class User(Entity, key=Key("USER#{user_id}")):
            user_id: Field[str] = Text()
            email: Field[str] = Text(secret=True)
            email_digest = Digest(email)


        by_email = Index(pk="EPK", keys={User: Key("EMAIL#{email_digest}")})
    """

    __slots__ = ()
    LENGTH = 64
    key_pattern = "[0-9a-f]{64}"

    @checked
    def __init__(self, of: Field[Any]) -> None:
        # As long as any: what a record is measured by before a store has it.
        super().__init__(lambda value: "0" * self.LENGTH, of, max_length=self.LENGTH)

    @property
    def of(self) -> Field[Any]:
        """The field that it is a digest of."""
        return self._of[0]

    def keyed(self, function: Callable[..., str], *tenant: Field[Any]) -> Computed:
        """The same part of a key, computed by a function that has the key, also of the tenant."""
        twin = Computed(function, *self._of, *tenant, max_length=self.max_length)
        twin.name = self.name
        return twin

    def __get__(self, record: Any, owner: type) -> Any:
        if record is not None:
            raise AttributeError(f"{self.name} is known to a store alone")
        return self
