"""Operands: what conditions and changes are about, a field or a part of one.

They are written as Python has them, and carried out by DynamoDB::

    (Order.total > 10) & Order.state.is_in("OPEN", "PAID") & ~Order.note.exists()
    Order.visits.add(1), Order.note.remove(), Order.address.at(Address.city).set("Paris")
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from tablewright.model.arguments import check_arguments, described
from tablewright.model.changes import Add, Append, Change, Remove, Set, Subtract
from tablewright.model.conditions import Between, Comparison, Condition, Function, Membership

if TYPE_CHECKING:
    from tablewright.model.fields.base import Field

    Path = tuple[str | int | Field[Any], ...]

# The types of fields that a function is for.
_SETS = ("SS", "NS", "BS")
_KINDS: dict[str, tuple[str, ...]] = {
    "begins_with": ("S", "B"),
    "contains": ("S", "B", "L", *_SETS),
    "size": ("S", "B", "L", "M", *_SETS),
    "subtract": _SETS,
    "append": ("L",),
}
_STEPS = {
    "L": "Write a position from 0 on, below max_items",
    "M": "Write a field of the part, or a name in a document",
    "": "Write names, and positions from 0",
}
_TYPES = ("S", "N", "B", "BOOL", "NULL", "L", "M", *_SETS)
V = TypeVar("V")
T = TypeVar("T")


@check_arguments()
class Operand(Generic[V]):
    """A field, a part of a field, or the size of one.

    Compared by ``==``, ``!=``, ``<``, ``<=``, ``>`` and ``>=`` with a value it is a condition; so
    are the results of `between`, `is_in`, `exists` and the like. `set`, `add` and the like are
    changes. What is compared or set is checked, and has the type, of the field.

    Example::

        store.update(Shop.change, order, Order.visits.add(1), when=Order.state == State.OPEN)
        store.each(Shop.of_customer, customer="ann", where=(Order.total > 5) & Order.note.exists())
    """

    __slots__ = ()
    __hash__ = object.__hash__

    @property
    def field(self) -> Any:
        """The field that this is, or is a part of."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """The names, fields and positions that lead from the field to the part."""
        return ()

    @property
    def leaf(self) -> Any:
        """The field of the part: it checks what the part is set to, or compared with."""
        return self.field

    def __eq__(self, other: V) -> Condition:  # type: ignore[override]
        return Comparison(self, "=", other)

    def __ne__(self, other: V) -> Condition:  # type: ignore[override]
        return Comparison(self, "<>", other)

    @overload
    def __lt__(
        self: Operand[Decimal] | Operand[Decimal | None], other: Decimal | int
    ) -> Condition: ...
    @overload
    def __lt__(self, other: V) -> Condition: ...
    def __lt__(self, other: Any) -> Condition:
        return Comparison(self, "<", other)

    @overload
    def __le__(
        self: Operand[Decimal] | Operand[Decimal | None], other: Decimal | int
    ) -> Condition: ...
    @overload
    def __le__(self, other: V) -> Condition: ...
    def __le__(self, other: Any) -> Condition:
        return Comparison(self, "<=", other)

    @overload
    def __gt__(
        self: Operand[Decimal] | Operand[Decimal | None], other: Decimal | int
    ) -> Condition: ...
    @overload
    def __gt__(self, other: V) -> Condition: ...
    def __gt__(self, other: Any) -> Condition:
        return Comparison(self, ">", other)

    @overload
    def __ge__(
        self: Operand[Decimal] | Operand[Decimal | None], other: Decimal | int
    ) -> Condition: ...
    @overload
    def __ge__(self, other: V) -> Condition: ...
    def __ge__(self, other: Any) -> Condition:
        return Comparison(self, ">=", other)

    @overload
    def between(
        self: Operand[Decimal] | Operand[Decimal | None], low: Decimal | int, high: Decimal | int
    ) -> Condition: ...
    @overload
    def between(self, low: V, high: V) -> Condition: ...
    def between(self, low: Any, high: Any) -> Condition:
        """From one value to another, both included."""
        try:
            is_reversed = bool(low > high)
        except TypeError:
            is_reversed = False  # values of types that the store refuses, or without an order
        if is_reversed:
            values = f"{described(low)} and {described(high)}"
            raise self.field.refuse(f"has no value between {values}. Write the lower one first")
        return Between(self, low, high)

    @overload
    def is_in(
        self: Operand[Decimal] | Operand[Decimal | None], *values: Decimal | int
    ) -> Condition: ...
    @overload
    def is_in(self, *values: V) -> Condition: ...
    def is_in(self, *values: Any) -> Condition:
        """One of these values, at most a hundred."""
        if not 1 <= len(values) <= 100:
            raise self.field.refuse(f"needs 1 to 100 values for is_in, not {len(values)}")
        if isinstance(values[0], list) and self.field.kind not in ("L", "M", *_SETS):
            raise self.field.refuse("needs values one by one. Write is_in(*values)")
        return Membership(self, values)

    def exists(self) -> Condition:
        """That there is a value."""
        return Function("attribute_exists", self)

    def is_missing(self) -> Condition:
        """That there is no value."""
        return Function("attribute_not_exists", self)

    def is_of_type(self, kind: str) -> Condition:
        """Of this type of DynamoDB: S, N, B, BOOL, NULL, L, M, SS, NS or BS."""
        if kind not in _TYPES:
            raise self.field.refuse(f"cannot be of type {kind!r}. Name one of {', '.join(_TYPES)}")
        return Function("attribute_type", self, kind)

    def begins_with(self: Operand[str] | Operand[str | None], text: str | bytes) -> Condition:
        """A text that begins so."""
        self._require_kind("begins_with")
        self._require_part("begin with", text)
        return Function("begins_with", self, text)

    def contains(self, part: Any) -> Condition:
        """A text that has this part, or a set or list that has this element."""
        self._require_kind("contains")
        self._require_part("contain", part)
        return Function("contains", self, part)

    def size(self) -> Operand[int]:
        """The number of characters, bytes or elements: ``Order.tags.size() > 2``."""
        self._require_kind("size")
        return Size(self)

    @overload
    def at(self, part: Field[T], /) -> Operand[T]: ...
    @overload
    def at(self, position: int, part: Field[T], /) -> Operand[T]: ...
    @overload
    def at(self, *path: str | int | Field[Any]) -> Operand[Any]: ...
    def at(self, *path: str | int | Field[Any]) -> Operand[Any]:
        """A part of what the field holds: ``Order.address.at(Address.city)``, with names for the
        members of a document and positions for the elements of a list."""
        if not path:
            raise self.field.refuse("has no part at(). Write names, or positions from 0")
        return PartOperand(self, path)

    def _require_part(self, verb: str, part: Any) -> None:
        kind = {"S": str, "B": bytes}.get(self.leaf.kind, object)
        if part is None or not isinstance(part, kind):
            raise self.field.refuse(f"cannot {verb} {described(part)}. Name a part of its value")

    def _require_kind(self, function: str) -> None:
        leaf, kinds = self.leaf, _KINDS[function]
        if leaf.kind and leaf.kind not in kinds:  # what is in a document can be of any type
            types = ", ".join(kinds)
            raise self.field.refuse(
                f"is a {leaf.type_name}, and {function} is for fields of {types}"
            )

    def set(self, value: V) -> Change:
        """Give it a value."""
        return Set(self, value)

    def set_if_missing(self, value: V) -> Change:
        """Set the field where it has no value yet."""
        if value is None:
            raise self.field.refuse("needs a value for set_if_missing. Use remove() for none")
        return Set(self, value, if_missing=True)

    def remove(self) -> Change:
        """Take its value away; a field with a default has that then."""
        return Remove(self)

    def add(self: Operand[Any], amount: int | Decimal | Iterable[Any]) -> Change:
        """Add to a number, which begins at its default or at zero, or add elements to a set.

        Many who add at once lose nothing: DynamoDB adds. A negative number is taken off.
        """
        return Add(self, amount)

    def subtract(self: Operand[Any], elements: Iterable[Any]) -> Change:
        """Take elements out of a set."""
        self._require_kind("subtract")
        return Subtract(self, elements)

    def append(self: Operand[Any], *elements: Any) -> Change:
        """Put elements at the end of a list, which begins with its default or empty."""
        self._require_kind("append")
        return Append(self, elements)


class PartOperand(Operand[Any]):
    """A part of a field."""

    __slots__ = ("_leaf", "_of", "_path")

    def __init__(self, of: Operand[Any], path: Path) -> None:
        self._of = of
        self._path = (*of.path, *path)
        self._leaf = of.leaf
        for step in path:
            holder, self._leaf = self._leaf, self._leaf.part(step)
            if self._leaf is None:
                steps = ", ".join(str(getattr(one, "name", repr(one))) for one in path)
                remedy = _STEPS.get(holder.kind, f"A {holder.type_name} has no parts")
                raise self.field.refuse(f"has no part at({steps}). {remedy}")

    def __repr__(self) -> str:
        return f"{self._of.field!r}.at{self._path!r}"

    @property
    def field(self) -> Any:
        return self._of.field

    @property
    def path(self) -> Path:
        return self._path

    @property
    def leaf(self) -> Any:
        return self._leaf


class Size(Operand[int]):
    """The size of a field or of a part of one."""

    __slots__ = ("of",)

    def __init__(self, of: Operand[Any]) -> None:
        self.of = of

    def __repr__(self) -> str:
        return f"{self.of!r}.size()"

    @property
    def field(self) -> Any:
        return self.of.field

    @property
    def path(self) -> Path:
        return self.of.path
