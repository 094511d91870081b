"""Conditions: what an item must be like to be listed, changed or removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tablewright.model.arguments import check_arguments

if TYPE_CHECKING:
    from tablewright.model.operands import Operand


@check_arguments()
class Condition:
    """Something that holds of an item, or does not; combined with ``&``, ``|`` and ``~``.

    In parentheses, as these bind more tightly than ``==``::

        (Order.total > 10) & ~(Order.state == State.PAID)
    """

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return Junction("AND", (self, other))

    def __or__(self, other: Condition) -> Condition:
        return Junction("OR", (self, other))

    def __invert__(self) -> Condition:
        return Negation(self)

    def __bool__(self) -> bool:
        raise TypeError("a condition is neither true nor false here: combine them with & | ~")

    def __repr__(self) -> str:
        # The same for the same question, whatever the order of a set in it: cursors go by it.
        given = (getattr(self, name) for kind in type(self).__mro__ for name in _slots(kind))
        return f"{type(self).__name__}({', '.join(map(_shown, given))})"

    @property
    def parts(self) -> Sequence[Condition]:
        """The conditions that this one is made of."""
        return ()

    def operands(self) -> Iterator[Operand[Any]]:
        """Every field, or part of one, that is looked at."""
        for part in self.parts:
            yield from part.operands()


def _slots(kind: type) -> tuple[str, ...]:
    return tuple(getattr(kind, "__slots__", ()))


def _shown(value: Any) -> str:
    return repr(sorted(value)) if isinstance(value, set | frozenset) else repr(value)


class _OfOne(Condition):
    __slots__ = ("operand",)

    def __init__(self, operand: Operand[Any]) -> None:
        self.operand = operand

    def operands(self) -> Iterator[Operand[Any]]:
        yield self.operand


class Comparison(_OfOne):
    """An operand and a value, with one of ``= <> < <= > >=`` between them."""

    __slots__ = ("operator", "value")

    def __init__(self, operand: Operand[Any], operator: str, value: Any) -> None:
        super().__init__(operand)
        self.operator = operator
        self.value = value


class Between(_OfOne):
    """An operand between two values, both included."""

    __slots__ = ("high", "low")

    def __init__(self, operand: Operand[Any], low: Any, high: Any) -> None:
        super().__init__(operand)
        self.low = low
        self.high = high


class Membership(_OfOne):
    """An operand that is one of several values."""

    __slots__ = ("values",)

    def __init__(self, operand: Operand[Any], values: Sequence[Any]) -> None:
        super().__init__(operand)
        self.values = tuple(values)


class Function(_OfOne):
    """A function of DynamoDB, of an operand and at most one value."""

    __slots__ = ("argument", "name")

    def __init__(self, name: str, operand: Operand[Any], argument: Any = None) -> None:
        super().__init__(operand)
        self.name = name
        self.argument = argument


class Junction(Condition):
    """Conditions of which all hold (AND), or one at least (OR)."""

    __slots__ = ("_parts", "word")

    def __init__(self, word: str, parts: Sequence[Condition]) -> None:
        self.word = word
        # Flat: a long chain is not a deep one.
        self._parts = tuple(
            part
            for one in parts
            for part in (one.parts if isinstance(one, Junction) and one.word == word else (one,))
        )

    @property
    def parts(self) -> Sequence[Condition]:
        return self._parts


class Negation(Condition):
    """A condition that must not hold."""

    __slots__ = ("of",)

    def __init__(self, of: Condition) -> None:
        self.of = of

    @property
    def parts(self) -> Sequence[Condition]:
        return (self.of,)
