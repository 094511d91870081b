"""Service: what a client must know about a service of AWS to speak to it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Operation(NamedTuple):
    """Traits that botocore's model gives the members of an operation."""

    # Idempotency token: a UUID where the caller passes none.
    token: str = ""
    # Members of the answer at its top that are bytes.
    blobs: tuple[str, ...] = ()
    # Members of the answer at any depth that are moments.
    moments: tuple[str, ...] = ()
    # Members of the request that choose another endpoint, which botocore alone can do.
    boto3_only: tuple[str, ...] = ()

    def decode(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Decode bytes and moments in place; raises ValueError if they cannot be."""
        for name in self.blobs:
            if name in answer:
                answer[name] = b64decode(answer[name])
        if self.moments:
            _decode_moments(answer, self.moments)
        return answer


def _decode_moments(value: Any, names: tuple[str, ...]) -> None:
    from datetime import UTC, datetime

    if isinstance(value, list):
        for element in value:
            _decode_moments(element, names)
    elif isinstance(value, dict):
        for name, member in value.items():
            if name in names and isinstance(member, int | float):
                value[name] = datetime.fromtimestamp(member, UTC)
            else:
                _decode_moments(member, names)


class Service(NamedTuple):
    """A service's protocol: what requests carry, and how their answers are read.

    Errors are read as AWS's JSON has them: the code in `__type`, the text in `message`.
    """

    name: str
    # Before the operation, in the header that names it; services without it name it in the body.
    target: str
    content_type: str
    dump: Callable[[str, dict[str, Any]], bytes]
    load: Callable[[bytes], Any]
    operations: Mapping[str, Operation]
    # Headers of every request, each with its end.
    headers: str = ""
