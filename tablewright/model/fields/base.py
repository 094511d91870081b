"""Fields: what an attribute holds, what it is called in storage, how it is written in a key."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from tablewright.model.arguments import checked
from tablewright.model.errors import InvalidValue
from tablewright.model.operands import Operand
from tablewright.model.sizes import ITEM_BYTES

V = TypeVar("V")


class Required:
    """In place of a default: the field has none, and must be given."""


REQUIRED = Required()

ANY_TEXT = r"[\s\S]+"
"""Regular expression of any text that can stand in a key."""

# The Python type that each type of DynamoDB is decoded to.
DECODED: dict[str, type] = {
    "S": str,
    "N": Decimal,
    "B": bytes,
    "BOOL": bool,
    "M": dict,
    "L": list,
    **dict.fromkeys(("SS", "NS", "BS"), set),
}

IN_KEY = ""
"""In place of a stored name: the field stands in the item's keys and nowhere else."""


class Field(Operand[V]):
    """One attribute: `name` in Python, `stored` in the table, or IN_KEY.

    Of an entity's class it is the field, which conditions and changes are made of; of a record it
    is the value. `ordered` tells whether key texts sort like the values; only such fields can be
    asked for by range. `kind` is the attribute's type in DynamoDB; `converts`, that it holds
    another Python type than the one that is stored; `secret`, that it is encrypted before.
    """

    __slots__ = ("_own_name", "default", "name", "optional", "secret", "stored")
    kind = "S"
    ordered = True
    converts = False

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
    ) -> None:
        self.name = ""
        self.secret = False
        self.stored = stored or ""
        self._own_name = stored is None
        self.optional = default is not REQUIRED
        self.default = None if default is REQUIRED else default

    def __init_subclass__(cls) -> None:
        cls.__init__ = checked(cls.__init__)  # type: ignore[method-assign]

    def __set_name__(self, owner: type, name: str) -> None:
        self.named(self.name or name)

    def named(self, name: str) -> Self:
        """This field under a name, for one that belongs to no entity."""
        self.name = name
        if self._own_name:
            self.stored = name
        return self

    if TYPE_CHECKING:

        @overload
        def __get__(self, record: None, owner: type) -> Self: ...
        @overload
        def __get__(self, record: object, owner: type) -> V: ...
        def __get__(self, record: object, owner: type) -> Any: ...

        # What a record is made with. There is none when the program runs: values lie beside it.
        def __set__(self, record: object, value: V) -> None: ...

    else:

        def __get__(self, record: Any, owner: type) -> Any:
            # A record's own values come first; this is for those that it has not.
            if record is None:
                return self
            if self.name in getattr(record, "__unread__", ()):
                why = "the index does not project it"
                why += ", or the store has no keys for it" if self.secret else ""
                raise AttributeError(f"{self.name} was not read: {why}")
            return self.new_default()

    def new_default(self) -> Any:
        """Return the default, copied if it could be changed: records do not share it."""
        return deepcopy(self.default) if type(self.default) in (set, dict) else self.default

    def in_key(self) -> Self:
        """The same field, standing in keys alone."""
        twin = object.__new__(type(self))
        for kind in type(self).__mro__:
            for slot in getattr(kind, "__slots__", ()):
                setattr(twin, slot, getattr(self, slot))
        twin.stored = IN_KEY
        return twin

    @property
    def field(self) -> Field[Any]:
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def type_name(self) -> str:
        """The name of the specifier that it is declared with."""
        return type(self).__name__.removesuffix("Field")

    @property
    def can_be_missing(self) -> bool:
        """Whether an item may have no value for it."""
        return self.optional and self.default is None

    @property
    def label(self) -> str:
        """What the field is called outside the program."""
        return self.stored or self.name

    @property
    def most_bytes(self) -> int:
        """The most that a value can have, stored or in a key; by default, what an item may."""
        return ITEM_BYTES

    def check(self, value: Any) -> Any:
        """The value in its canonical form, None for one that is as good as absent.

        Raises InvalidValue when it does not fit.
        """
        raise NotImplementedError

    def time_text(self, value: Any) -> str:
        """The date or time that a value is, as a text."""
        return self.to_text(value)

    def compared(self, value: Any) -> Any:
        """The form of a value that this field's are compared with, of the same type: it need not be
        one that the field can have."""
        return self.check(value)

    def attributes(self, value: Any) -> dict[str, Any]:
        """What is stored for the value."""
        return {self.stored: self.to_plain(value)} if self.stored else {}

    def to_plain(self, value: Any) -> Any:
        """The value as it is stored: of a type that DynamoDB has."""
        return value

    def from_plain(self, plain: Any) -> Any:
        """The value that `to_plain` made this from."""
        return plain

    def read(self, plain: Any) -> Any:
        """Read a stored value that any program may have written; raises an error if its type is
        not the declared one."""
        kind = type(plain)
        if kind is DECODED[self.kind] or (kind is int and self.kind == "N"):
            return self.from_plain(plain)
        raise self.refuse(f"must be of type {self.kind}")

    def part(self, step: Any) -> Field[Any] | None:
        """The field of a part, to which a step of a path leads; None if there is none."""
        return None

    @property
    def is_stored_plainly(self) -> bool:
        """True if every stored value of the field's type is a value of the field."""
        return type(self).from_plain is Field.from_plain

    def read_missing(self) -> Any:
        """Read a required field of an item that has no attribute for it."""
        raise self.refuse("is required")

    def to_text(self, value: Any) -> str:
        """The value as it stands in a key."""
        return str(value)

    def from_text(self, text: str) -> Any:
        """The value that `to_text` made the text from."""
        return text

    @property
    def samples(self) -> tuple[str, ...]:
        """Texts of a fixed form, one of which continues any beginning of a value's text; none for
        values of no fixed form."""
        return ()

    @property
    def key_pattern(self) -> str:
        """Regular expression of the texts that values have in keys: it matches all of them.

        It has no named groups, references to groups or flags for the whole expression.
        """
        return ANY_TEXT

    def begins(self, text: str) -> bool:
        """True if the text of a value in a key can begin so."""
        samples = self.samples
        return not samples or any(self.fits_text(text + one[len(text) :]) for one in samples)

    def accepts_text(self, text: str) -> bool:
        """Whether this can be a value's text in a key: tells keys of different entities apart."""
        try:
            return self.check(text) is not None
        except InvalidValue:
            return False

    def fits_text(self, text: str) -> bool:
        """True if a value of this field stands in a key as exactly this text."""
        try:
            return bool(self.to_text(self.check(self.from_text(text))) == text)
        except (ArithmeticError, InvalidValue, ValueError):
            return False

    def schema(self) -> dict[str, Any]:
        """The value as JSON Schema, for OpenAPI documents."""
        raise NotImplementedError

    def refuse(self, reason: str) -> InvalidValue:
        """The error that says why a value does not fit."""
        return InvalidValue(self.name, reason)
