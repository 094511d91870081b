"""Submissions and what becomes of them: deliveries, requests.

A busy tenant's submissions are spread over shards, and so is every index key that they and their
deliveries have: an index that is not spread like its table throttles the table.
"""

from __future__ import annotations

from decimal import Decimal

from tablewright.model import (
    IN_KEY,
    Binary,
    Choice,
    Entity,
    EpochShards,
    Expiry,
    Field,
    Flag,
    Key,
    Number,
    Prose,
    Text,
    TimeId,
    TimestampText,
    Whole,
)

PENDING = "PENDING"
SUBMISSION_STATUSES = (PENDING, "DELIVERED", "FAILED", "QUARANTINED")
# A failed attempt after which another follows is RETRYING; the last one, FAILED.
ATTEMPT_STATUSES = (PENDING, "SUCCEEDED", "RETRYING", "FAILED")
# What was made up to try a destination with: delivered as all others, and not counted.
TEST = "test"
ZLIB = "zlib"
POOR_RATIO = "poor_compression_ratio"
# An item may have 400 KB; what is not payload needs far less than the rest.
INLINE_BYTES = 380 * 1024
REPEATABLE_DAYS = 7
# Where senders put what is too large for a request, and how long that waits for its submission.
# No tenant's id begins like this: the payloads of submissions are kept under those.
UPLOADS = "_uploads/"
UPLOAD_DAYS = 1
# Where payloads are laid out that are too large for an answer, and how long they stay there.
LINKS = "_links/"
LINK_DAYS = 1
WINDOW_DAYS = 1

_ID = "[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]*"
_ID_FORM = "letters, digits and . _ ~ : @ -, and must not begin with a dot"
MAX_ID_LENGTH = 128


def tenant(stored: str | None = None) -> Field[str]:
    """A tenant's id. It is an IAM session tag, the name of a folder of payloads and secrets, and
    the part of a key name before the colon: so it has no other characters."""
    return Text(
        stored,
        max_length=MAX_ID_LENGTH,
        pattern="[A-Za-z0-9][A-Za-z0-9_.@+=-]*",
        form="letters, digits and _ . @ + = -, beginning with a letter or digit",
    )


def named_id(stored: str | None = None) -> Field[str]:
    """An id is part of addresses, in which other characters do not arrive as they were sent."""
    return Text(stored, max_length=MAX_ID_LENGTH, pattern=_ID, form=_ID_FORM)


def payload_key(tenant_id: str, submission_id: str) -> str:
    """Where in the bucket a submission's payload is, if it is not in its item."""
    return f"{tenant_id}/{submission_id}"


# The id tells when a submission was made, and the tenant's epochs how many shards there were then.
OF_SUBMISSION = EpochShards(by="submission_id", whose="tenant_id", dated="timestamp")
# A delivery has a time of its own, but is found where its submission is.
OF_DELIVERY = EpochShards(by="submission_id", whose="tenant_id")


class Submission(
    Entity,
    key=Key("TENANT#{tenant_id}#{shard}", "SUB#{submission_id}", shards=OF_SUBMISSION),
    expires=Expiry("expires_at"),
    example={
        "tenant_id": "acme",
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "timestamp": "2025-01-26T10:04:00.000Z",
        "form_id": "contact",
        "status": PENDING,
        "content_type": "application/json",
        "shard_id": "0",
        "compressed": False,
        "original_size": 67,
        "storage_size": 67,
        "data": b'{"name":"Ada Lovelace","email":"ada@example.com","message":"Hello"}',
        "domain": "example.com",
        "updated_at": "2025-01-26T10:04:00.000Z",
    },
):
    """What somebody sent by a form, with its payload or the place of it."""

    tenant_id: Field[str] = tenant()
    submission_id: Field[str] = TimeId()
    timestamp: Field[str] = TimestampText(resolution="ms")
    form_id: Field[str] = named_id()
    status: Field[str] = Choice(SUBMISSION_STATUSES)
    # What the sender said that the payload is.
    content_type: Field[str | None] = Text(max_length=127, default=None)
    # Repeats the shard of the keys.
    shard_id: Field[str | None] = Text(max_length=2, pattern="[0-9]+", default=None)
    compressed: Field[bool] = Flag()
    compression_algorithm: Field[str | None] = Choice((ZLIB,), default=None)
    # Bytes of the payload as it was sent, and of the stored data.
    original_size: Field[int] = Whole()
    storage_size: Field[int | None] = Whole(default=None)
    compression_ratio: Field[Decimal | None] = Number(default=None)
    # Tells that compression was tried and was not worth it.
    compression_note: Field[str | None] = Choice((POOR_RATIO,), default=None)
    # Absent if the data is in the bucket, under `payload_key`.
    data: Field[bytes | None] = Binary(max_bytes=INLINE_BYTES, default=None)
    payload_key: Field[str | None] = Text(max_length=1024, default=None)
    domain: Field[str | None] = Text(max_length=253, default=None)
    # The id in the published table that the submission was imported from.
    published_id: Field[str | None] = Text(max_length=1024, default=None)
    purpose: Field[str | None] = Choice((TEST,), default=None)
    updated_at: Field[str] = TimestampText(resolution="ms")
    expires_at: Field[str | None] = TimestampText(default=None, resolution="ms")


class DeliveryAttempt(
    Entity,
    key=Key(
        "TENANT#{tenant_id}#SUB#{submission_id}", "DEST#{destination_id}#ATTEMPT#{attempt_num}"
    ),
    expires=Expiry("expires_at"),
    example={
        "tenant_id": "acme",
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "destination_id": "crm",
        "attempt_num": 1,
        "status": "RETRYING",
        "timestamp": "2025-01-26T10:04:01.250Z",
        "response_status": 503,
        "duration_ms": 181,
        "error": "the destination answered 503",
        "next_attempt_at": "2025-01-26T10:04:09.000Z",
    },
):
    """One try to deliver a submission to a destination, and what came of it."""

    tenant_id: Field[str] = tenant(IN_KEY)
    submission_id: Field[str] = TimeId(IN_KEY)
    destination_id: Field[str] = named_id(IN_KEY)
    attempt_num: Field[int] = Whole(IN_KEY, digits=3)
    status: Field[str] = Choice(ATTEMPT_STATUSES)
    timestamp: Field[str] = TimestampText(resolution="ms")
    response_status: Field[int | None] = Whole(digits=3, default=None)
    duration_ms: Field[int | None] = Whole(default=None)
    error: Field[str | None] = Prose(max_length=300, default=None)
    # Of an attempt that is under way: when another may take it over, and whose it is.
    next_attempt_at: Field[str | None] = TimestampText(default=None, resolution="ms")
    claimed_by: Field[str | None] = Text(max_length=64, default=None)
    purpose: Field[str | None] = Choice((TEST,), default=None)
    expires_at: Field[str | None] = TimestampText(default=None, resolution="ms")


class Request(
    Entity,
    # A digest, because what clients choose as a key may hold anything.
    key=Key("TENANT#{tenant_id}#KEY#{key_digest}", "REQUEST"),
    expires=Expiry("created_at", days=REPEATABLE_DAYS),
    example={
        "tenant_id": "acme",
        "key_digest": "0" * 64,
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "body_digest": "f" * 64,
        "created_at": "2025-01-26T10:04:00.000Z",
    },
):
    """Which submission a request with this idempotency key made, for a week."""

    tenant_id: Field[str] = tenant(IN_KEY)
    key_digest: Field[str] = Text(IN_KEY, pattern="[0-9a-f]{64}")
    submission_id: Field[str] = TimeId()
    body_digest: Field[str] = Text(pattern="[0-9a-f]{64}")
    # Of a key under which an upload was submitted: the digest of the upload's own claim.
    made_by: Field[str | None] = Text(pattern="[0-9a-f]{64}", default=None)
    created_at: Field[str] = TimestampText(resolution="ms")
    # Of what may go into the bucket: where, and when its submission was stored, which happens
    # once. An object of a claim that ends without is nobody's.
    payload_key: Field[str | None] = Text(max_length=1024, default=None)
    stored_at: Field[str | None] = TimestampText(default=None, resolution="ms")


class RequestWindow(
    Entity,
    # The minute in the partition key: no two windows heat the same partition.
    key=Key("TENANT#{tenant_id}#REQUESTS#{minute}", "WINDOW"),
    expires=Expiry("minute", days=WINDOW_DAYS),
    example={
        "tenant_id": "acme",
        "minute": "2025-01-26T10:04:00Z",
        "requests": 17,
    },
):
    """How many requests a tenant has made in a minute, if there is a limit to them."""

    tenant_id: Field[str] = tenant(IN_KEY)
    minute: Field[str] = TimestampText(IN_KEY, resolution="s")
    requests: Field[int] = Whole()
