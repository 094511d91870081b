"""Python values to DynamoDB's wire types and back. Numbers are Decimal or int, never float."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Wire = dict[str, Any]

_SETS = {str: "SS", Decimal: "NS", int: "NS", bytes: "BS"}


def encode(value: Any) -> Wire:
    """A value with its wire type. An empty set has none in DynamoDB and is refused."""
    kind = type(value)
    if kind is str:
        return {"S": value}
    if kind is Decimal or kind is int:
        return {"N": str(value)}
    if kind is bool:
        return {"BOOL": value}
    if value is None:
        return {"NULL": True}
    if kind is bytes:
        return {"B": value}
    if isinstance(value, Mapping):
        return {"M": {name: encode(inner) for name, inner in value.items()}}
    if kind is list or kind is tuple:
        return {"L": [encode(inner) for inner in value]}
    if kind is set or kind is frozenset:
        return _encode_set(value)
    if kind is float:
        raise TypeError(f"{value!r} is a float, which is inexact: use Decimal")
    raise TypeError(f"DynamoDB has no type for {kind.__name__}")


def _encode_set(values: set[Any] | frozenset[Any]) -> Wire:
    kinds = {_SETS.get(type(value), "") for value in values}
    if len(kinds) != 1 or "" in kinds:
        raise TypeError("a set must hold at least one value, and values of one kind only")
    (tag,) = kinds
    # Sorted, so that the same set is always the same request.
    return {tag: [str(v) for v in sorted(values)] if tag == "NS" else sorted(values)}


def decode(wire: Wire) -> Any:
    """The value behind a wire type."""
    for tag, raw in wire.items():
        if tag == "S" or tag == "BOOL":
            return raw
        if tag == "N":
            return Decimal(raw)
        if tag == "NULL":
            return None
        if tag == "B":
            return _decode_bytes(raw)
        if tag == "M":
            return {name: decode(inner) for name, inner in raw.items()}
        if tag == "L":
            return [decode(inner) for inner in raw]
        if tag == "SS":
            return set(raw)
        if tag == "NS":
            return {Decimal(number) for number in raw}
        if tag == "BS":
            return {_decode_bytes(inner) for inner in raw}
    raise TypeError(f"{wire!r} is not a DynamoDB value")


def comparable(wire: Wire) -> tuple[str, Any]:
    """A value with its type: two of these are equal if DynamoDB finds that the wires are equal.

    Numbers are compared by value and sets in any order, nested ones too.
    """
    ((tag, raw),) = wire.items()
    if tag == "M":
        return tag, {name: comparable(inner) for name, inner in raw.items()}
    if tag == "L":
        return tag, [comparable(inner) for inner in raw]
    return tag, decode(wire)


def _decode_bytes(raw: str | bytes) -> bytes:
    # Text when botocore's own parser was bypassed, bytes when it was not.
    return b64decode(raw) if isinstance(raw, str) else bytes(raw)
