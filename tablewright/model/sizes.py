"""Sizes of items, by the rules that DynamoDB documents: names and values in UTF-8, numbers at about
half a byte a digit."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

ITEM_BYTES = 400 * 1024
# What an encrypted value has beside its text: how it was encrypted, and what it is.
SECRET_BYTES = 37


def value_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, (int, Decimal)):
        digits = "".join(map(str, Decimal(value).as_tuple().digits)).strip("0") or "0"
        return (len(digits) + 1) // 2 + 1 + (1 if value < 0 else 0)
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, Mapping):
        return 3 + sum(len(name.encode()) + value_bytes(v) + 1 for name, v in value.items())
    if isinstance(value, (list, tuple)):
        return 3 + sum(value_bytes(inner) + 1 for inner in value)
    return sum(value_bytes(inner) for inner in value)  # a set


def item_bytes(attributes: Mapping[str, Any]) -> int:
    return sum(len(name.encode()) + value_bytes(value) for name, value in attributes.items())


def secret_bytes(value: Any) -> int:
    """The most that a value has encrypted: texts and bytes as they are, all else as JSON."""
    if isinstance(value, str | bytes):
        return SECRET_BYTES + value_bytes(value)
    return SECRET_BYTES + _json_bytes(value)


def _json_bytes(value: Any) -> int:
    """The most that a value has as JSON, with the names of DynamoDB's types."""
    import json  # when it is needed: it is slow to import

    if isinstance(value, str):
        return 8 + len(json.dumps(value, ensure_ascii=False).encode())
    if isinstance(value, bool) or value is None:
        return 14
    if isinstance(value, bytes):
        return 12 + len(value) * 4 // 3
    if isinstance(value, Mapping):
        return 8 + sum(_json_bytes(name) + _json_bytes(v) for name, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return 9 + sum(1 + _json_bytes(inner) for inner in value)
    return 10 + len(str(value))
