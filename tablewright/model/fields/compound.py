"""Fields that hold more than one value: sets, documents, tallies, bytes."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.model.errors import InvalidValue
from tablewright.model.fields.base import REQUIRED, Field
from tablewright.model.fields.numbers import NumberField

_NAME_BYTES = 1024


class TextSetField(Field[Any]):
    """A set of texts. DynamoDB has no empty set, so an empty one is not stored at all."""

    __slots__ = ("max_items", "of")
    kind = "SS"
    ordered = False

    def __init__(
        self,
        stored: str | None = None,
        *,
        of: Field[str],
        max_items: int = 100,
        default: Any = REQUIRED,
    ) -> None:
        super().__init__(stored, default=default)
        self.of = of
        self.max_items = max_items

    @property
    def most_bytes(self) -> int:
        return self.max_items * (self.of.most_bytes + 1)

    def check(self, value: Any) -> set[str] | None:
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise self.refuse("must be a list of texts")
        if len(value) > self.max_items:
            raise self.refuse(f"must have at most {self.max_items} entries")
        try:
            return {self.of.check(text) for text in value} or None
        except InvalidValue as problem:
            raise self.refuse(f"has an entry that {problem.reason}") from None

    def schema(self) -> dict[str, Any]:
        items = {"type": "array", "items": self.of.schema(), "uniqueItems": True}
        return {**items, "maxItems": self.max_items}


class TextListField(Field[Any]):
    """Texts in an order, which may be none at all, as a tuple."""

    __slots__ = ("max_items", "of")
    kind = "L"
    ordered = False
    converts = True

    def __init__(
        self,
        stored: str | None = None,
        *,
        of: Field[str],
        default: Any = REQUIRED,
        max_items: int = 100,
    ) -> None:
        super().__init__(stored, default=default)
        self.of = of
        self.max_items = max_items

    @property
    def most_bytes(self) -> int:
        return 3 + self.max_items * (self.of.most_bytes + 1)

    def check(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise self.refuse("must be a list of texts")
        if len(value) > self.max_items:
            raise self.refuse(f"must have at most {self.max_items} entries")
        try:
            return tuple(self.of.check(text) for text in value)
        except InvalidValue as problem:
            raise self.refuse(f"has an entry that {problem.reason}") from None

    def to_plain(self, value: tuple[str, ...]) -> list[str]:
        return list(value)

    def from_plain(self, plain: list[str]) -> tuple[str, ...]:
        return tuple(plain)

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.of.schema(), "maxItems": self.max_items}


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
        checked = self._checked(value, self._DEPTH)
        size = len(json.dumps(checked, default=str, ensure_ascii=False).encode())
        if size > self.max_bytes:
            raise self.refuse(f"must have at most {self.max_bytes} bytes as JSON, not {size}")
        return dict(checked)

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


class BinaryField(Field[Any]):
    """Bytes, stored as they are; they cannot stand in a key."""

    __slots__ = ("max_bytes",)
    kind = "B"
    ordered = False

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

    def attributes(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {self.prefix + name: count for name, count in value.items()}

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "number"}}
