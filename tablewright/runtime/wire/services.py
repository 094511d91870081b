"""Services of AWS that speak JSON, and STS."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from tablewright.runtime.wire.protocol import Service
from tablewright.runtime.wire.sts import STS

try:
    import orjson
except ImportError:  # of the extra `fast`
    orjson = None  # type: ignore[assignment]


def _base64(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


_encode = json.JSONEncoder(separators=(",", ":"), default=_base64).encode
_loads: Callable[[bytes], Any] = json.loads if orjson is None else orjson.loads


def _dump(_: str, params: dict[str, Any]) -> bytes:
    """The body of a request; binary values go as base64."""
    if orjson is not None:
        try:
            return orjson.dumps(params, _base64)
        except TypeError:  # such as an integer of more than 64 bits, or half of a surrogate pair
            pass
    return _encode(params).encode()


def _of_json(name: str, target: str, version: str, *, blobs: tuple[str, ...] = ()) -> Service:
    def load(body: bytes) -> Any:
        answer = _loads(body or b"{}")
        for blob in blobs:
            if blob in answer:
                answer[blob] = b64decode(answer[blob])
        return answer

    content_type = f"application/x-amz-json-{version}"
    return Service(name, target, content_type, _dump, load if name != "dynamodb" else _loads)


SERVICES = {
    service.name: service
    for service in (
        # Binary attributes stay base64: the store decodes those that it reads.
        _of_json("dynamodb", "DynamoDB_20120810.", "1.0"),
        _of_json("sqs", "AmazonSQS.", "1.0"),
        _of_json("events", "AWSEvents.", "1.1"),
        _of_json("secretsmanager", "secretsmanager.", "1.1", blobs=("SecretBinary",)),
        _of_json("kms", "TrentService.", "1.1", blobs=("CiphertextBlob", "Plaintext")),
        STS,
    )
}
