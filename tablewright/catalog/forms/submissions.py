"""Submissions and what becomes of them: deliveries, requests.

A busy tenant's submissions are spread over shards, and so is every index key that they and their
deliveries have: an index that is not spread like its table throttles the table.
"""

from decimal import Decimal

from tablewright.model import (
    IN_KEY,
    Binary,
    Choice,
    Entity,
    EpochShards,
    Expiry,
    Key,
    Prose,
    Text,
    TimeId,
    Timestamp,
    Whole,
)

PENDING = "PENDING"
SUBMISSION_STATUSES = (PENDING, "DELIVERED", "FAILED", "QUARANTINED")
# A failed attempt after which another follows is RETRYING; the last one, FAILED.
ATTEMPT_STATUSES = (PENDING, "SUCCEEDED", "RETRYING", "FAILED")
# What was made up to try a destination with: delivered as all others, and not counted.
TEST = "test"
# Where the payload is, and how: in the item as it was sent, or compressed, or in a bucket.
PAYLOAD_ENCODINGS = ("plain", "zlib", "s3", "s3-zlib")
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

_ID = "[A-Za-z0-9][A-Za-z0-9._~:@-]*"
_ID_FORM = "letters, digits and . _ ~ : @ -, beginning with a letter or digit"


def tenant_id(stored: str | None = None) -> Text:
    """Also an IAM session tag, whose values may not hold other characters."""
    return Text(
        "tenant_id",
        stored,
        max_length=64,
        pattern="[A-Za-z0-9][A-Za-z0-9_.-]*",
        form="letters, digits, '_', '.' and '-', beginning with a letter or digit",
    )


def named_id(name: str, stored: str | None = None) -> Text:
    """An id is part of addresses, in which other characters do not arrive as they were sent."""
    return Text(name, stored, max_length=64, pattern=_ID, form=_ID_FORM)


def payload_key(tenant_id: str, submission_id: str) -> str:
    """Where in the bucket a submission's payload is, if it is not in its item."""
    return f"{tenant_id}/{submission_id}"


# The id tells when a submission was made, and the tenant's epochs how many shards there were then.
_OF_SUBMISSION = EpochShards(by="submission_id", whose="tenant_id", dated="timestamp")
# A delivery has a time of its own, but is found where its submission is.
_OF_DELIVERY = EpochShards(by="submission_id", whose="tenant_id")

SUBMISSION = Entity(
    "Submission",
    describes="What somebody sent by a form, with its payload or the place of it.",
    key=Key("TENANT#{tenant_id}#{shard}", "SUB#{submission_id}", shards=_OF_SUBMISSION),
    indexed={
        "GSI1": Key("TENANT#{tenant_id}#{shard}", "TS#{timestamp}", shards=_OF_SUBMISSION),
        "GSI2": Key(
            "TENANT#{tenant_id}#STATUS#{shard}", "{status}#{timestamp}", shards=_OF_SUBMISSION
        ),
        "GSI3": Key(
            "TENANT#{tenant_id}#FORM#{form_id}#{shard}", "TS#{timestamp}", shards=_OF_SUBMISSION
        ),
    },
    fields=(
        tenant_id(),
        TimeId("submission_id"),
        Timestamp("timestamp"),
        named_id("form_id"),
        Choice("status", SUBMISSION_STATUSES),
        # What the sender said that the payload is.
        Text("content_type", optional=True, max_length=127),
        Choice("payload_encoding", PAYLOAD_ENCODINGS),
        Whole("payload_bytes"),
        Binary("payload", optional=True, max_bytes=INLINE_BYTES),
        Text("payload_key", optional=True, max_length=1024),
        Text("domain", optional=True, max_length=253),
        Choice("purpose", (TEST,), optional=True),
        Timestamp("updated_at"),
        Timestamp("expires_at", optional=True),
    ),
    expires=Expiry("expires_at"),
    example={
        "tenant_id": "acme",
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "timestamp": "2025-01-26T10:04:00.000Z",
        "form_id": "contact",
        "status": PENDING,
        "content_type": "application/json",
        "payload_encoding": "plain",
        "payload_bytes": Decimal(67),
        "payload": b'{"name":"Ada Lovelace","email":"ada@example.com","message":"Hello"}',
        "domain": "example.com",
        "updated_at": "2025-01-26T10:04:00.000Z",
    },
)

ATTEMPT = Entity(
    "DeliveryAttempt",
    describes="One try to deliver a submission to a destination, and what came of it.",
    key=Key(
        "TENANT#{tenant_id}#SUB#{submission_id}", "DEST#{destination_id}#ATTEMPT#{attempt_num}"
    ),
    indexed={
        "GSI1": Key(
            "TENANT#{tenant_id}#{shard}", "DELIVERY#{status}#{timestamp}", shards=_OF_DELIVERY
        ),
        "GSI2": Key(
            "TENANT#{tenant_id}#DEST#{destination_id}#{shard}",
            "STATUS#{status}#{timestamp}",
            shards=_OF_DELIVERY,
        ),
    },
    fields=(
        tenant_id(IN_KEY),
        TimeId("submission_id", IN_KEY),
        named_id("destination_id", IN_KEY),
        Whole("attempt_num", IN_KEY, digits=3),
        Choice("status", ATTEMPT_STATUSES),
        Timestamp("timestamp"),
        Whole("response_status", optional=True, digits=3),
        Whole("duration_ms", optional=True),
        Prose("error", optional=True, max_length=300),
        # Of an attempt that is under way: when another may take it over, and whose it is.
        Timestamp("next_attempt_at", optional=True),
        Text("claimed_by", optional=True, max_length=64),
        Choice("purpose", (TEST,), optional=True),
        Timestamp("expires_at", optional=True),
    ),
    expires=Expiry("expires_at"),
    example={
        "tenant_id": "acme",
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "destination_id": "crm",
        "attempt_num": Decimal(1),
        "status": "RETRYING",
        "timestamp": "2025-01-26T10:04:01.250Z",
        "response_status": Decimal(503),
        "duration_ms": Decimal(181),
        "error": "the destination answered 503",
        "next_attempt_at": "2025-01-26T10:04:09.000Z",
    },
)

REQUEST = Entity(
    "Request",
    describes="Which submission a request with this idempotency key made, for a week.",
    # A digest, because what clients choose as a key may hold anything.
    key=Key("TENANT#{tenant_id}#KEY#{key_digest}", "REQUEST"),
    fields=(
        tenant_id(IN_KEY),
        Text("key_digest", IN_KEY, pattern="[0-9a-f]{64}"),
        TimeId("submission_id"),
        Text("body_digest", pattern="[0-9a-f]{64}"),
        # Of a key under which an upload was submitted: the digest of the upload's own claim.
        Text("made_by", optional=True, pattern="[0-9a-f]{64}"),
        Timestamp("created_at"),
        # Of what may go into the bucket: where, and when its submission was stored, which happens
        # once. An object of a claim that ends without is nobody's.
        Text("payload_key", optional=True, max_length=1024),
        Timestamp("stored_at", optional=True),
    ),
    expires=Expiry("created_at", days=REPEATABLE_DAYS),
    example={
        "tenant_id": "acme",
        "key_digest": "0" * 64,
        "submission_id": "0194a211-7280-7abc-8def-0123456789ab",
        "body_digest": "f" * 64,
        "created_at": "2025-01-26T10:04:00.000Z",
    },
)

WINDOW = Entity(
    "RequestWindow",
    describes="How many requests a tenant has made in a minute, if there is a limit to them.",
    # The minute in the partition key: no two windows heat the same partition.
    key=Key("TENANT#{tenant_id}#REQUESTS#{minute}", "WINDOW"),
    fields=(
        tenant_id(IN_KEY),
        Timestamp("minute", IN_KEY, seconds=True),
        Whole("requests"),
    ),
    expires=Expiry("minute", days=WINDOW_DAYS),
    example={
        "tenant_id": "acme",
        "minute": "2025-01-26T10:04:00Z",
        "requests": Decimal(17),
    },
)
