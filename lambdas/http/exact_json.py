"""JSON with numbers as they were sent: a double would round those of many digits."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def exact_json(value: Any, *, sort_keys: bool = False) -> str:
    """A value of texts, numbers, truth values, lists and maps as JSON on one line.

    >>> exact_json({"b": Decimal("0.12345678901234567890123"), "a": ["é", None]}, sort_keys=True)
    '{"a":["é",null],"b":0.12345678901234567890123}'
    """
    if isinstance(value, (Decimal, int)) and not isinstance(value, bool):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    if isinstance(value, Mapping):
        items = sorted(value.items()) if sort_keys else value.items()
        pairs = (f"{_plain(name)}:{exact_json(v, sort_keys=sort_keys)}" for name, v in items)
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(exact_json(one, sort_keys=sort_keys) for one in value) + "]"
    if value is None or isinstance(value, (str, bool)):
        return _plain(value)
    raise TypeError(f"{type(value).__name__} has no exact form in JSON")


_plain = json.JSONEncoder(ensure_ascii=False).encode
