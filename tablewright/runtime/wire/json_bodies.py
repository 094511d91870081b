"""JSON of requests and answers: by the standard library, and by orjson once that pays."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

# orjson imports dataclasses, inspect and uuid: a tenth of a start, which it makes up for on about
# so many bytes. Many environments of a function end before they have handled them.
PAYS_AFTER = 256 * 1024


def _as_json(value: Any) -> str | int:
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode("ascii")
    if hasattr(value, "timestamp"):  # a datetime, whose module seldom needs to be imported
        return int(value.timestamp())
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


_encode = json.JSONEncoder(separators=(",", ":"), default=_as_json).encode


class JsonBodies:
    """Bodies as JSON. Where orjson is installed, it takes over after so many bytes, and at once
    where somebody has imported it already."""

    def __init__(self, pays_after: float = PAYS_AFTER) -> None:
        self._left = pays_after
        self._orjson: ModuleType | None = sys.modules.get("orjson")

    def dumps(self, params: dict[str, Any]) -> bytes:
        """The body of a request; binary values go as base64."""
        if self._orjson is not None:
            try:
                option = self._orjson.OPT_PASSTHROUGH_DATETIME
                body: bytes = self._orjson.dumps(params, _as_json, option)
                return body
            except TypeError:  # an integer of more than 64 bits, half of a surrogate pair
                return _encode(params).encode()
        plain = _encode(params).encode()
        self._count(plain)
        return plain

    def loads(self, body: bytes) -> Any:
        """What a body says; raises ValueError where it is no JSON."""
        if self._orjson is not None:
            return self._orjson.loads(body)
        self._count(body)
        try:
            return json.loads(body)
        except RecursionError:
            raise ValueError("JSON of more levels than any answer has") from None

    def _count(self, body: bytes) -> None:
        self._left -= len(body)
        if self._left > 0:
            return
        try:
            import orjson
        except ImportError:  # of the extra `fast`
            self._left = inf
        else:
            self._orjson = orjson
