"""Shards: spreading one logical partition over several, by a function of the item's own id.

Reads visit all shards, so any function is compatible with any other; they differ in how evenly
they spread. The first is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.model.arguments import checked
from tablewright.model.errors import InvalidValue

ShardFunction = Callable[[str, int], int]
"""Function of an id and a number of shards that gives one of these, counted from zero."""


def uniform(text: str, count: int) -> int:
    """An even spread whatever the ids look like."""
    from hashlib import blake2b  # when it is needed: it is slow to import

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") % count


def last_character(text: str, count: int) -> int:
    """The last character's code; even only when the last characters are.

    >>> [last_character(id, 10) for id in ("sale_abc0", "sale_abc1", "sale_abca")]
    [8, 9, 7]
    """
    return _utf16_codes(text)[-1] % count


def java_hash(text: str, count: int) -> int:
    """Java's String.hashCode, in absolute value; what JavaScript ports of it compute as well."""
    code = 0
    for unit in _utf16_codes(text):
        code = (code * 31 + unit) & 0xFFFFFFFF
    signed = code - (1 << 32) if code & 0x80000000 else code
    return abs(signed) % count


def shard_of(function: ShardFunction, by: str, text: str, count: int) -> str:
    """The shard that a function chooses for an id; lists read no other than these."""
    shard = function(text, count)
    if type(shard) is not int or not 0 <= shard < count:
        raise InvalidValue(
            by, f"has the shard {shard!r}. The function must return one from 0 to {count - 1}"
        )
    return str(shard)


def _utf16_codes(text: str) -> Sequence[int]:
    # charCodeAt and hashCode see UTF-16 units, not characters.
    if text.isascii():
        return text.encode()
    raw = text.encode("utf-16-le")
    return tuple(int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2))


class Shards:
    """Shards of a partition: `count` of them, chosen by a function of the field `by`.

    Example::

        Key("ALL#{shard}", "AT#{placed_at}", shards=Shards(10, by="order_id"))
    """

    __slots__ = ("by", "count", "function")

    @checked
    def __init__(self, count: int, *, by: str, function: ShardFunction = uniform) -> None:
        self.count = count
        self.by = by
        self.function = function

    def __str__(self) -> str:
        return f"{self.count} by {self.by}"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The fields that decide the shard."""
        return (self.by,)

    @property
    def dated(self) -> str | None:
        """The field by whose range the shards of a list can be narrowed: here there is none."""
        return None

    def of(self, text: str) -> str:
        """The shard that an id belongs to, as it stands in the key."""
        return shard_of(self.function, self.by, text, self.count)

    def all(self) -> list[str]:
        """Every shard, as it stands in a key."""
        return [str(number) for number in range(self.count)]

    def place(self, texts: Mapping[str, str], epochs: Any) -> str:
        """The shard of an item with these field texts."""
        if self.by not in texts:
            raise InvalidValue(self.by, "is required, because it decides the shard")
        return self.of(texts[self.by])

    def among(
        self, texts: Mapping[str, str], since: str | None, until: str | None, epochs: Any
    ) -> list[str]:
        """The shards that can hold what is asked for with these texts, in this range of `dated`."""
        return self.all()
