"""Shipments: what is delivered, by whichever destination, and what came of an attempt."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from tablewright.runtime import strict_json
from tablewright.runtime.errors import StoreError, Throttled, Unavailable
from tablewright.runtime.strict_json import InvalidJson

JSON, UNKNOWN = "application/json", "application/octet-stream"


class Shipment(NamedTuple):
    """What is delivered, and where to; `key_ids` are those of the secrets that sign it."""

    tenant_id: str
    submission_id: str
    form_id: str
    timestamp: str
    destination_id: str
    settings: Mapping[str, Any]
    payload: bytes
    stored_type: str | None = None
    key_ids: tuple[str, ...] = ()

    @property
    def idempotency_key(self) -> str:
        """The same however often it is sent, so that a receiver can tell."""
        return f"{self.submission_id}:{self.destination_id}"

    @property
    def content_type(self) -> str:
        """What the sender said that the payload is; where that was not kept, what it looks like."""
        return self.stored_type or (JSON if is_json(self.payload) else UNKNOWN)

    @property
    def references(self) -> dict[str, Any]:
        """What the submission is found by, in place of its payload."""
        return {
            "tenant_id": self.tenant_id,
            "submission_id": self.submission_id,
            "form_id": self.form_id,
            "timestamp": self.timestamp,
            "content_type": self.content_type,
            "original_size": len(self.payload),
        }


class DeliveryOutcome(NamedTuple):
    """What came of an attempt.

    Without an error it succeeded. With one, `again` says whether another attempt can help, after
    `wait` seconds at the earliest, and `disables` that the destination wants no more at all. No
    error repeats anything of the payload, the answer or a secret.
    """

    error: str | None = None
    again: bool = False
    response_status: int | None = None
    wait: float | None = None
    disables: bool = False


class Destination(Protocol):
    """A kind of destination."""

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        """Make one attempt. Raises StoreError when what is needed for it cannot be had."""
        ...


def refused(error: str) -> DeliveryOutcome:
    """An attempt that no repetition can help."""
    return DeliveryOutcome(error)


def of_error(error: StoreError) -> DeliveryOutcome:
    """What came of a call to AWS that failed: its operation and code, and nothing that was sent."""
    said = ": ".join(str(error).split(": ")[:2])
    return DeliveryOutcome(said[:300], again=isinstance(error, Throttled | Unavailable))


def as_text(payload: bytes) -> str | None:
    """The payload as text, None when it is none.

    >>> as_text(b"caf\\xc3\\xa9"), as_text(b"\\xff")
    ('café', None)
    """
    try:
        return payload.decode()
    except UnicodeDecodeError:
        return None


def is_json(payload: bytes) -> bool:
    """Whether the payload is JSON, and not only what Python takes for it.

    >>> is_json(b'{"a": 1}'), is_json(b'{"a": NaN}'), is_json(b"a=1")
    (True, False, False)
    """
    try:
        strict_json.parse(payload, number=str)
    except InvalidJson:
        return False
    return True
