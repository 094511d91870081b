"""Fields that hold more than one value: sets, lists, parts, documents, tallies, bytes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tablewright.model.errors import InvalidRecord, InvalidValue
from tablewright.model.fields.base import DECODED, REQUIRED, Field
from tablewright.model.fields.numbers import NumberField
from tablewright.model.sizes import ITEM_BYTES

if TYPE_CHECKING:
    from tablewright.model.declaration import Part

_NAME_BYTES = 1024
_WORDS = {"S": "texts", "N": "numbers", "B": "bytes", "M": "objects"}
_SETS = {"S": "SS", "N": "NS", "B": "BS"}


class _Many(Field[Any]):
    """Values of one field."""

    __slots__ = ("max_items", "of")
    ordered = False
    converts = True

    def __init__(
        self,
        stored: str | None = None,
        *,
        of: Field[Any],
        max_items: int = 100,
        default: Any = REQUIRED,
    ) -> None:
        super().__init__(stored, default=default)
        self.of = of
        self.max_items = max_items

    @property
    def most_bytes(self) -> int:
        return min(ITEM_BYTES, 3 + self.max_items * (self.of.most_bytes + 1))

    def _checked(self, value: Any) -> list[Any]:
        if len(value) > self.max_items:
            raise self.refuse(f"must have at most {self.max_items} entries")
        try:
            return [self.of.check(one) for one in value]
        except InvalidValue as problem:
            raise self.refuse(f"has an entry that {problem.reason}") from None


class SetOfField(_Many):
    """A set of texts, numbers or bytes. DynamoDB has no empty set, so an empty one is not stored
    at all."""

    __slots__ = ("kind",)

    def __init__(
        self,
        stored: str | None = None,
        *,
        of: Field[Any],
        max_items: int = 100,
        default: Any = REQUIRED,
    ) -> None:
        super().__init__(stored, of=of, max_items=max_items, default=default)
        if of.kind not in _SETS:
            raise TypeError(f"a set is of texts, numbers or bytes, not of {of.type_name}")
        self.kind = _SETS[of.kind]

    def check(self, value: Any) -> set[Any] | None:
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise self.refuse(f"must be a list of {_WORDS.get(self.of.kind, 'values')}")
        return set(self._checked(value)) or None

    def to_plain(self, value: set[Any]) -> set[Any]:
        return {self.of.to_plain(one) for one in value} if self.of.converts else value

    def from_plain(self, plain: set[Any]) -> set[Any]:
        if self.of.is_stored_plainly:
            self.of.read(next(iter(plain)))  # the others are of the same type
            return plain
        return set(map(self.of.read, plain))

    def read_missing(self) -> set[Any]:
        return set()

    def schema(self) -> dict[str, Any]:
        items = {"type": "array", "items": self.of.schema(), "uniqueItems": True}
        return {**items, "maxItems": self.max_items}


class ListOfField(_Many):
    """Values in an order, which may be none at all, as a tuple."""

    __slots__ = ()
    kind = "L"

    def check(self, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise self.refuse(f"must be a list of {_WORDS.get(self.of.kind, 'values')}")
        return tuple(self._checked(value))

    def to_plain(self, value: tuple[Any, ...]) -> list[Any]:
        return [self.of.to_plain(one) for one in value] if self.of.converts else list(value)

    def from_plain(self, plain: list[Any]) -> tuple[Any, ...]:
        kind, of = DECODED[self.of.kind], self.of
        convert = None if of.is_stored_plainly else of.from_plain
        return tuple(
            [
                of.read(one) if type(one) is not kind else one if convert is None else convert(one)
                for one in plain
            ]
        )

    def part(self, step: Any) -> Field[Any] | None:
        return self.of if isinstance(step, int) and 0 <= step < self.max_items else None

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.of.schema(), "maxItems": self.max_items}


class PartOfField(Field[Any]):
    """A part: a map whose members are fields of their own."""

    __slots__ = ("of",)
    kind = "M"
    ordered = False
    converts = True

    def __init__(
        self, of: type[Part], stored: str | None = None, *, default: Any = REQUIRED
    ) -> None:
        super().__init__(stored, default=default)
        self.of = of

    @property
    def most_bytes(self) -> int:
        members = self.of.__part__.fields
        return 3 + sum(len(one.stored.encode()) + one.most_bytes + 1 for one in members)

    def check(self, value: Any) -> Part:
        if isinstance(value, self.of) and getattr(value, "__checked__", False):
            return value
        if not isinstance(value, Mapping):
            raise self.refuse("must be an object")
        try:
            return self.of(**value)
        except InvalidRecord as problem:
            raise self.refuse("is wrong: " + "; ".join(map(str, problem.problems))) from None

    def to_plain(self, value: Part) -> dict[str, Any]:
        return self.of.__part__.to_plain(value)

    def from_plain(self, plain: Mapping[str, Any]) -> Part:
        return self.of._stored(self.of.__part__.from_plain(plain))

    def part(self, step: Any) -> Field[Any] | None:
        members: tuple[Field[Any], ...] = self.of.__part__.fields
        return next((one for one in members if one is step), None)

    def schema(self) -> dict[str, Any]:
        members = self.of.__part__.fields
        return {
            "type": "object",
            "properties": {one.name: one.schema() for one in members},
            "required": [one.name for one in members if not one.optional],
        }


class DocumentField(Field[Any]):
    """A map of names to texts, numbers, truth values, lists and further maps."""

    __slots__ = ("max_bytes",)
    kind = "M"
    ordered = False
    _DEPTH = 8

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        max_bytes: int = 4096,
    ) -> None:
        super().__init__(stored, default=default)
        self.max_bytes = max_bytes

    @property
    def most_bytes(self) -> int:
        return 2 * self.max_bytes  # in JSON, which is written with a byte or two less for an entry

    def check(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise self.refuse("must be an object")
        return dict(self.check_value(value, 0))

    def check_value(self, value: Any, depth: int) -> Any:
        """Check a value inside the document, at so many levels."""
        import json  # when it is needed: it is slow to import

        checked = self._checked(value, self._DEPTH - depth)
        size = len(json.dumps(checked, default=str, ensure_ascii=False).encode())
        if size > self.max_bytes:
            raise self.refuse(f"must have at most {self.max_bytes} bytes as JSON, not {size}")
        return checked

    def part(self, step: Any) -> Field[Any] | None:
        return DocumentValueField(self, 1) if isinstance(step, str) and step else None

    def _checked(self, value: Any, depth: int) -> Any:
        if depth < 0:
            raise self.refuse(f"must not be nested deeper than {self._DEPTH} levels")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._encodable(value)
        if isinstance(value, (int, Decimal)):
            return NumberField().named(self.name).check(value)
        if isinstance(value, Mapping):
            return {self._key(key): self._checked(v, depth - 1) for key, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._checked(inner, depth - 1) for inner in value]
        raise self.refuse(f"cannot hold a value of type {type(value).__name__}")

    def _key(self, key: Any) -> str:
        if not isinstance(key, str) or not key:
            raise self.refuse("must have texts as names")
        return self._encodable(key)

    def _encodable(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self.refuse("must hold valid Unicode text") from None
        return text

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


class DocumentValueField(Field[Any]):
    """A value inside a document, of any type that a document can hold."""

    __slots__ = ("_depth", "_of")
    kind = ""

    def __init__(self, of: DocumentField, depth: int) -> None:
        super().__init__()
        self.named(of.name)
        self._of, self._depth = of, depth

    def check(self, value: Any) -> Any:
        return self._of.check_value(value, self._depth)

    def compared(self, value: Any) -> Any:
        return value  # another program may have stored what a document cannot hold

    def part(self, step: Any) -> Field[Any] | None:
        sound = step >= 0 if isinstance(step, int) else isinstance(step, str) and step
        return DocumentValueField(self._of, self._depth + 1) if sound else None


class BinaryField(Field[Any]):
    """Bytes, stored as they are; in the text of a key, as hexadecimal digits."""

    __slots__ = ("max_bytes",)
    kind = "B"

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        max_bytes: int = 4096,
    ) -> None:
        super().__init__(stored, default=default)
        self.max_bytes = max_bytes

    @property
    def most_bytes(self) -> int:
        return self.max_bytes

    def check(self, value: Any) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise self.refuse("must be bytes")
        if len(value) > self.max_bytes:
            raise self.refuse(f"must have at most {self.max_bytes} bytes, not {len(value)}")
        return bytes(value)

    @property
    def key_pattern(self) -> str:
        return "(?:[0-9a-f]{2})+"

    def begins(self, text: str) -> bool:
        return not set(text) - set("0123456789abcdef")

    def to_text(self, value: bytes) -> str:
        return value.hex()

    def from_text(self, text: str) -> bytes:
        return bytes.fromhex(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "contentEncoding": "base64"}


class TallyField(Field[Any]):
    """Numbers under names that are not known beforehand, each stored as an attribute of its own
    whose name begins with `prefix`: only so can each be added to without reading the others."""

    __slots__ = ("prefix",)
    kind = "N"
    ordered = False

    def __init__(self, *, prefix: str, default: Any = REQUIRED) -> None:
        super().__init__("", default=default)
        self.prefix = prefix

    def check(self, value: Any) -> dict[str, Decimal] | None:
        if not isinstance(value, Mapping):
            raise self.refuse("must be an object of numbers")
        number = NumberField().named(self.name)
        return {self._key(name): number.check(count) for name, count in value.items()} or None

    def _key(self, name: Any) -> str:
        # Any text that can be part of an attribute's name.
        try:
            if isinstance(name, str) and len(name.encode()) <= _NAME_BYTES:
                return name
        except UnicodeEncodeError:
            pass
        raise self.refuse(f"must be numbers under valid texts of at most {_NAME_BYTES} bytes")

    def read_missing(self) -> dict[str, Decimal]:
        return {}

    def part(self, step: Any) -> Field[Any] | None:
        return NumberField().named(self.name) if isinstance(step, str) and self._key(step) else None

    def attributes(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {self.prefix + name: count for name, count in value.items()}

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "number"}}
