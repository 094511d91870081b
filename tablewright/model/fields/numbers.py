"""Number fields: exact, and in keys of a fixed width where their order matters."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import Any

from tablewright.model.fields.base import REQUIRED, Field

_CENT = Decimal("0.01")
# The numbers that DynamoDB can keep exactly.
_DIGITS = 38
_MAGNITUDES = range(-130, 126)
# The longest text of such a number: sign, digits and point, exponent.
_TEXT_BYTES = _DIGITS + 8
_EXACT = Context(prec=_DIGITS)


class NumberField(Field[Any]):
    """A number, as Decimal; its text has no fixed width, so it cannot be asked for by range."""

    __slots__ = ()
    kind = "N"
    ordered = False
    # The bounds, and what every value is a multiple of; None without.
    lowest: Any = None
    highest: Any = None
    step: Decimal | None = None

    @property
    def most_bytes(self) -> int:
        return _TEXT_BYTES

    def check(self, value: Any) -> Decimal:
        number = self._decimal(value)
        if not number:
            return Decimal(0)
        if number.adjusted() not in _MAGNITUDES:
            raise self.refuse("must lie between 1E-130 and 9.9E+125 in magnitude")
        if len(number.as_tuple().digits) > _DIGITS:
            shorter = number.normalize(_EXACT)
            if shorter != number:
                raise self.refuse(f"must have at most {_DIGITS} digits, zeros at the end apart")
            return shorter
        return number

    def check_amount(self, value: Any) -> Any:
        """Check a number that is added to a value: it may be negative."""
        amount = NumberField.check(self, value)
        if self.step is not None and _exponent(amount) < _exponent(self.step):
            raise self.refuse(f"can be added to only in steps of {self.step}, not {amount}")
        return int(amount) if self.step == 1 else amount

    @property
    def key_pattern(self) -> str:
        return r"-?[0-9]+(?:\.[0-9]+)?(?:E[+-][0-9]+)?"

    def begins(self, text: str) -> bool:
        return False

    def compared(self, value: Any) -> Decimal:
        return NumberField.check(self, value)

    def to_text(self, value: Any) -> str:
        return number_text(value)

    def from_text(self, text: str) -> Any:
        return Decimal(text)

    def from_number(self, text: str) -> Any:
        """The value of a number as DynamoDB writes it."""
        return Decimal(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "number"}

    def _decimal(self, value: Any) -> Decimal:
        # bool is an int and float is inexact: neither is what a caller means by a number.
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            inexact = ", a Decimal and not a float" if isinstance(value, float) else ""
            raise self.refuse(f"must be a number{inexact}")
        try:
            number = Decimal(value)
        except InvalidOperation:
            raise self.refuse("must be a number of a size that can be kept") from None
        if not number.is_finite():
            raise self.refuse("must be a finite number")
        return number


class MoneyField(NumberField):
    """An amount with two decimals, not negative; in keys: cents, padded to `digits`."""

    __slots__ = ("digits",)
    ordered = True
    converts = True
    lowest = 0
    step = _CENT

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        digits: int = 10,
    ) -> None:
        super().__init__(stored, default=default)
        self.digits = digits

    @property
    def highest(self) -> Decimal:
        return Decimal(10**self.digits - 1).scaleb(-2, _EXACT)

    def check(self, value: Any) -> Decimal:
        amount = self._decimal(value)
        if amount < 0:
            raise self.refuse("must not be negative")
        # Compared before it is rounded: 1E+999999999 must not become a billion digits.
        if amount > self.highest:
            raise self.refuse(f"must be at most {self.highest}")
        # Not abs, which rounds to the precision of the context.
        rounded = amount.copy_abs().quantize(_CENT, context=_EXACT)
        if rounded != amount:
            raise self.refuse("must have at most two decimals")
        return rounded

    def from_plain(self, plain: Decimal) -> Decimal:
        # Another program may have stored more decimals, or more digits: they are not rounded.
        if plain.adjusted() > _DIGITS - 3:
            return plain
        amount = plain.quantize(_CENT, context=_EXACT)
        return amount if amount == plain else plain

    def from_number(self, text: str) -> Decimal:
        # Most amounts have their cents already.
        return Decimal(text) if text[-3:-2] == "." else self.from_plain(Decimal(text))

    @property
    def key_pattern(self) -> str:
        return f"[0-9]{{{self.digits}}}"

    def to_text(self, value: Decimal) -> str:
        return str(int(value.scaleb(2, _EXACT))).zfill(self.digits)

    def from_text(self, text: str) -> Decimal:
        return Decimal(int(text)).scaleb(-2, _EXACT)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": float(self.highest)}


class FractionField(NumberField):
    """A number from 0 to 1; in keys it has `decimals`, so that texts sort like values. A value
    with more decimals is refused there."""

    __slots__ = ("decimals",)
    ordered = True
    lowest, highest = 0, 1

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        decimals: int = 2,
    ) -> None:
        super().__init__(stored, default=default)
        self.decimals = decimals

    def check(self, value: Any) -> Decimal:
        number = super().check(value)
        if not 0 <= number <= 1:
            raise self.refuse("must lie between 0 and 1")
        # Not abs, which rounds to the precision of the context.
        return number.copy_abs()

    @property
    def key_pattern(self) -> str:
        zeros, digits = f"0{{{self.decimals}}}", f"[0-9]{{{self.decimals}}}"
        return rf"1\.{zeros}|0\.{digits}" if self.decimals else "[01]"

    def to_text(self, value: Decimal) -> str:
        rounded = value.quantize(Decimal(1).scaleb(-self.decimals), context=_EXACT)
        if rounded != value:
            raise self.refuse(
                f"must have at most {self.decimals} decimals in a key, not {value}: round it, or "
                f"declare Fraction(decimals=…)"
            )
        return str(rounded)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": 1}


class WholeField(NumberField):
    """A whole number from `lowest`, not negative; in keys padded to `digits`, so that texts sort
    like values."""

    __slots__ = ("digits", "lowest")
    ordered = True
    converts = True
    step = Decimal(1)

    def __init__(
        self,
        stored: str | None = None,
        *,
        default: Any = REQUIRED,
        digits: int = 10,
        lowest: int = 0,
    ) -> None:
        super().__init__(stored, default=default)
        self.digits = digits
        self.lowest = lowest

    @property
    def highest(self) -> int:
        return int(10**self.digits - 1)

    def check(self, value: Any) -> Any:
        number = self._decimal(value)
        highest = self.highest
        fits = self.lowest <= number <= highest and number == number.to_integral_value()
        if not fits:
            raise self.refuse(f"must be a whole number from {self.lowest} to {highest}")
        return int(number)

    def from_plain(self, plain: Decimal) -> int:
        if plain != int(plain):
            raise self.refuse("must be a whole number")
        return int(plain)

    def from_number(self, text: str) -> int:
        return int(text) if text.isdigit() else self.from_plain(Decimal(text))

    @property
    def key_pattern(self) -> str:
        return f"-?[0-9]{{1,{self.digits}}}" if self.lowest < 0 else f"[0-9]{{{self.digits}}}"

    def to_text(self, value: int) -> str:
        return str(value).zfill(self.digits)

    def from_text(self, text: str) -> int:
        return int(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}


def number_text(value: Decimal | int) -> str:
    """The one text of a number: 5, 5.0 and 5E0 are one, and stand in one key."""
    return str(Decimal(value).normalize(_EXACT))


def _exponent(number: Decimal) -> int:
    return int(number.normalize(_EXACT).as_tuple().exponent)
