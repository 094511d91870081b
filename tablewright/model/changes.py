"""Changes of an item: what an update does to a field, or to a part of one."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.model.operands import Operand


class Change:
    """Something that an update does to a field, or to a part of one."""

    __slots__ = ("operand",)

    def __init__(self, operand: Operand[Any]) -> None:
        self.operand = operand
        if hasattr(operand, "of") and not hasattr(operand, "stored"):
            raise operand.field.refuse("has a size that cannot be changed. Change the field")


class Set(Change):
    """Give it a value; `if_missing`, only where it has none."""

    __slots__ = ("if_missing", "value")

    def __init__(self, operand: Operand[Any], value: Any, *, if_missing: bool = False) -> None:
        super().__init__(operand)
        self.value = value
        self.if_missing = if_missing


class Remove(Change):
    """Take its value away."""

    __slots__ = ()


class Add(Change):
    """Add to a number, or add elements to a set."""

    __slots__ = ("amount",)

    def __init__(self, operand: Operand[Any], amount: int | Decimal | Iterable[Any]) -> None:
        super().__init__(operand)
        self.amount = amount


class Subtract(Change):
    """Take elements out of a set."""

    __slots__ = ("elements",)

    def __init__(self, operand: Operand[Any], elements: Iterable[Any]) -> None:
        super().__init__(operand)
        self.elements = elements


class Append(Change):
    """Put elements at the end of a list."""

    __slots__ = ("elements",)

    def __init__(self, operand: Operand[Any], elements: Iterable[Any]) -> None:
        super().__init__(operand)
        self.elements = tuple(elements)
