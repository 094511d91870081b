"""Columns: what each field of many items would be in the text of a key.

A part of a key is a field where nearly all items have the same text for both. In which form a
number stands in keys says what kind of field it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from tablewright.designs.inference.kinds import text_kind
from tablewright.designs.inference.observed import Item
from tablewright.designs.inference.sampled.parts import misses_allowed
from tablewright.model.computed import Reversed
from tablewright.model.fields.base import Field
from tablewright.model.fields.numbers import (
    FractionField,
    MoneyField,
    NumberField,
    WholeField,
    number_text,
)
from tablewright.model.fields.time import DateField, TimestampField, iso_utc

Json = dict[str, Any]
Texts = Sequence[str | None]
"""A text for each item, None where it has none."""

_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = range(631_152_000, 4_102_444_800)  # of the years 1990 to 2099
_CERTAIN = 20  # items whose texts are not the same by chance


class Match(NamedTuple):
    """A field that a part of keys is and, for a number, of what kind it is then.

    `reverses` tells that the part is the field in the other order.
    """

    field: str
    kind: Json | None = None
    reverses: bool = False


class Columns:
    """Fields by name, each with its values, one for each item."""

    def __init__(self) -> None:
        self._texts: dict[str, Texts] = {}
        self._others: dict[str, Sequence[Decimal | None]] = {}
        self._number_keys: dict[str, Sequence[Decimal | None]] = {}
        self._kinds: dict[str, Json] = {}

    def add(self, name: str, items: Sequence[Item], attribute: str) -> None:
        """A field that is an attribute."""
        wires = [item.get(attribute) for item in items]
        tags = {tag for wire in wires if wire for tag in wire}
        if tags == {"S"}:
            self.add_texts(name, [wire["S"] if wire else None for wire in wires])
        elif tags == {"N"}:
            self._others[name] = [Decimal(wire["N"]) if wire else None for wire in wires]
        elif tags == {"BOOL"}:
            flags = {True: "true", False: "false"}
            self.add_texts(name, [flags[wire["BOOL"]] if wire else None for wire in wires])

    def add_number_key(self, name: str, items: Sequence[Item], attribute: str) -> None:
        """A number that is a key by itself: in the text of another it can be reversed alone."""
        numbers = [Decimal(item[attribute]["N"]) if attribute in item else None for item in items]
        self._number_keys[name] = numbers

    def add_texts(self, name: str, texts: Texts) -> None:
        """A field that has these texts."""
        self._texts[name] = texts

    @property
    def texts(self) -> Mapping[str, Texts]:
        """The fields that are texts."""
        return self._texts

    def kind(self, name: str) -> Json | None:
        """The kind of a number that was found in a key."""
        return self._kinds.get(name)

    def epochs(self) -> dict[str, Texts]:
        """The numbers that are seconds or milliseconds since 1970, as moments."""
        found: dict[str, Texts] = {}
        for name, column in self._others.items():
            kind = epoch_kind([number for number in column if number is not None])
            if kind and name not in self._kinds:
                step = timedelta(seconds=1 / (1000 if kind.get("resolution") == "ms" else 1))
                found[name] = [
                    None if one is None else iso_utc(_1970 + int(one) * step) for one in column
                ]
        return found

    def settle(self, name: str) -> None:
        """Know a number that items expire by for a moment."""
        if name in self._others:
            numbers = [number for number in self._others[name] if number is not None]
            self._kinds[name] = epoch_kind(numbers) or {"kind": "EpochTimestamp"}

    def match(self, texts: Texts) -> Match | None:
        """The field that a part of keys is, None for one that nothing else has."""
        for name, column in self._texts.items():
            if agree(texts, column):
                return Match(name)
        found = next(self._number_matches(texts), None) or next(self._reversed(texts), None)
        if found and found.kind:
            self._kinds[found.field] = found.kind
        return found

    def _number_matches(self, texts: Texts) -> Iterator[Match]:
        known = [text for text in texts if text is not None]
        length = len(known[0]) if known else 0
        digits = known and all(text.isdigit() and len(text) == length for text in known)
        forms: list[tuple[Json, Callable[[Decimal], str]]] = []
        if digits:
            whole, money = WholeField(digits=length), MoneyField(digits=length)
            forms.append(({"kind": "Whole", "digits": length}, _text_of(whole)))
            forms.append(({"kind": "Money", "digits": length}, _text_of(money)))
        decimals = length - 2
        if decimals > 0 and all(len(text) == length and text[1] == "." for text in known):
            fraction = FractionField(decimals=decimals)
            forms.append(({"kind": "Fraction", "decimals": decimals}, _text_of(fraction)))
        forms.append(({"kind": "Number"}, number_text))
        for name, column in self._others.items():
            for kind, made in forms:
                if self._kinds.get(name, kind) == kind and agree(texts, list(_made(column, made))):
                    yield Match(name, kind)

    def _reversed(self, texts: Texts) -> Iterator[Match]:
        """The field whose other way round a part of keys is."""
        known = [text for text in texts if text is not None]
        length = len(known[0]) if known else 0
        if len(known) < _CERTAIN or not all(t.isdigit() and len(t) == length for t in known):
            return
        whole: Json = {"kind": "Whole", "digits": length}
        field = WholeField(digits=length)
        for name, column in {**self._others, **self._number_keys}.items():
            if self._kinds.get(name, whole) == whole:
                made = [_other_way(field, value) for value in column]
                if agree(texts, made):
                    yield Match(name, whole, reverses=True)
        for name, texts_of in self._texts.items():
            kind = text_kind([text for text in texts_of if text is not None])
            times = {"Date": DateField, "Timestamp": TimestampField}
            made_by = times.get(kind.pop("kind"))
            time = made_by(**kind) if made_by else None
            if time and agree(texts, [_other_way(time, text) for text in texts_of]):
                yield Match(name, reverses=True)


def epoch_kind(numbers: Sequence[Decimal]) -> Json | None:
    """The moments that numbers are, of years in which computers ran; None where they are none."""
    if all(number == int(number) for number in numbers):
        for scale, more in ((1, {}), (1000, {"resolution": "ms"})):
            if all(int(number) // scale in _SECONDS for number in numbers):
                return {"kind": "EpochTimestamp", **more}
    return None


def agree(texts: Texts, column: Texts) -> bool:
    """Whether nearly all items that have the one have the other, and the same."""
    allowed = misses_allowed(sum(text is not None for text in texts))
    for text, other in zip(texts, column, strict=True):
        if text is not None and text != other:
            allowed -= 1
            if allowed < 0:
                return False
    return True


def _text_of(field: NumberField) -> Callable[[Decimal], str]:
    return lambda number: str(field.to_text(field.check(number)))


def _made(column: Sequence[Decimal | None], made: Callable[[Decimal], str]) -> Iterator[str | None]:
    for number in column:
        try:
            yield None if number is None else made(number)
        except (ArithmeticError, ValueError):
            yield None


def _other_way(field: Field[Any], value: str | Decimal | None) -> str | None:
    if value is None:
        return None
    try:
        return Reversed(field.named("field")).text({"field": field.check(value)})
    except (ArithmeticError, ValueError):
        return None
