"""Payload compression: where and how the payload of a submission is stored.

1. Store a payload below 1,024 bytes as it was sent.
2. Compress a larger one. Keep the compressed bytes if they are less than 0.7 of the payload, or if
   the item takes fewer write units with them.
3. Put what does not fit the item into the bucket.

Reading gives back the payload byte for byte. `dictionaries` hold what payloads have in common; the
first one compresses, and all of them can decompress.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import ceil
from typing import Any, Final, NamedTuple

from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.catalog.forms.submissions import POOR_RATIO, ZLIB
from tablewright.model.capacity import WRITE_UNIT_BYTES
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable

LARGEST = 10 * 1024 * 1024
# An item of 16 KB, stored and changed once, costs about five times as much as one whose payload is
# in a bucket; below, the difference is not worth a second place.
ITEM_BYTES = 16 * 1024
_LEVEL = 6
_DICTIONARY_ID_END = 6  # The zlib header ends here with the checksum of the dictionary.
_RATIO = Decimal("0.0001")


class PayloadTooLarge(TablewrightError, ValueError):
    """The payload has more than the allowed bytes."""


class PayloadDamaged(TablewrightError):
    """The stored payload cannot be restored."""


class ProcessedPayload(NamedTuple):
    """A payload in the form to store, and how it was compressed."""

    data: bytes
    compressed: bool
    original_size: int
    storage_size: int
    compression_algorithm: str | None = None
    compression_ratio: Decimal | None = None
    compression_note: str | None = None
    # True if the data does not fit the item.
    in_bucket: bool = False


class PayloadCompressionManager:
    """Compresses payloads, stores the large ones in a bucket, and reads them back.

    `s3` is a boto3 client of S3 behind `Caller`.

    Example::

        payloads = PayloadCompressionManager(Client(session.client("s3")), "bucket")
        processed = payloads.process_payload(body, beside=400)
        record |= payloads.store(processed, key="acme/0194a211-7280-7abc-8def-0123456789ab")
        body = payloads.fetch(record)
    """

    COMPRESSION_THRESHOLD: Final = 1024
    TARGET_COMPRESSION_RATIO: Final = 0.7

    def __init__(
        self,
        s3: Caller,
        bucket: str,
        *,
        dictionaries: Sequence[bytes] = DICTIONARIES,
        item_bytes: int = ITEM_BYTES,
        largest: int = LARGEST,
    ) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._dictionaries = tuple(dictionaries)
        self._item_bytes = item_bytes
        self._largest = largest

    def process_payload(self, payload: bytes, *, beside: int = 0) -> ProcessedPayload:
        """Compress a payload if it is worth it. `beside` are the bytes of the item's other
        attributes. Stores nothing."""
        size = len(payload)
        if size > self._largest:
            raise PayloadTooLarge(
                f"The payload has {size} bytes. Send at most {self._largest} bytes."
            )
        fits = beside + size <= self._item_bytes
        if size < self.COMPRESSION_THRESHOLD and fits:
            return ProcessedPayload(payload, False, size, size)
        compressed = compress(payload, self._dictionaries)
        left = len(compressed)
        fits_compressed = beside + left <= self._item_bytes
        if self._pays(size, left, beside) or (fits_compressed and not fits):
            ratio = (Decimal(left) / size).quantize(_RATIO).normalize()
            about = (True, size, left, ZLIB, ratio)
            return ProcessedPayload(compressed, *about, in_bucket=not fits_compressed)
        return ProcessedPayload(
            payload, False, size, size, compression_note=POOR_RATIO, in_bucket=not fits
        )

    def _pays(self, size: int, compressed: int, beside: int) -> bool:
        before, after = (ceil((beside + n) / WRITE_UNIT_BYTES) for n in (size, compressed))
        return after < before or compressed < self.TARGET_COMPRESSION_RATIO * size

    def store(self, processed: ProcessedPayload, *, key: str) -> dict[str, Any]:
        """Return the payload's fields of a submission. Put the data into the bucket if it does not
        fit the item; a repeated call stores the same object again."""
        fields = processed._asdict()
        if not fields.pop("in_bucket"):
            return fields
        self._s3.call(
            "PutObject",
            {
                "Bucket": self._bucket,
                "Key": key,
                "Body": fields.pop("data"),
                "ContentType": "application/octet-stream",
            },
        )
        return {**fields, "payload_key": key}

    def fetch(self, record: Mapping[str, Any]) -> bytes:
        """Return the payload of a submission as it was sent."""
        size = int(record["original_size"])
        if size > self._largest:
            raise PayloadTooLarge(f"The payload has {size} bytes, more than {self._largest}.")
        key = record.get("payload_key")
        payload = self._read(key) if key else record["data"]
        if record["compressed"]:
            algorithm = record.get("compression_algorithm")
            if algorithm != ZLIB:
                raise PayloadDamaged(f"The payload is compressed by '{algorithm}', not {ZLIB}.")
            payload = decompress(payload, size, self._dictionaries)
        if len(payload) != size:
            raise PayloadDamaged(f"The payload has {len(payload)} bytes; {size} were stored.")
        return bytes(payload)

    def delete(self, key: str) -> None:
        """Delete an object of the bucket, if it exists."""
        self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": key})

    def _read(self, key: str) -> bytes:
        # No stored object is larger than this.
        body = read_object(self._s3, self._bucket, key, self._largest + 1)
        if len(body) > self._largest:
            raise PayloadDamaged(f"The object {key} has more than {self._largest} bytes.")
        return body


def compress(payload: bytes, dictionaries: Sequence[bytes] = ()) -> bytes:
    """Compress a payload to the zlib format, which names its dictionary and has a checksum."""
    if dictionaries:
        compressor = zlib.compressobj(_LEVEL, zdict=dictionaries[0])
    else:
        compressor = zlib.compressobj(_LEVEL)
    return compressor.compress(payload) + compressor.flush()


def decompress(body: bytes, size: int, dictionaries: Sequence[bytes] = ()) -> bytes:
    """Restore a payload of `size` bytes. Never makes more bytes than that."""
    named = int.from_bytes(body[2:_DICTIONARY_ID_END], "big")
    dictionary = next((d for d in dictionaries if zlib.adler32(d) == named), b"")
    try:
        decompressor = zlib.decompressobj(zdict=dictionary)
        # One byte more than expected, so that zlib reads the end of the stream and its checksum.
        payload = decompressor.decompress(body, size + 1)
    except zlib.error as error:
        raise PayloadDamaged(f"The payload cannot be decompressed: {error}") from None
    if not decompressor.eof or decompressor.unused_data or len(payload) != size:
        raise PayloadDamaged(f"The payload does not end after {size} bytes.")
    return payload


def read_object(s3: Caller, bucket: str, key: str, most: int) -> bytes:
    """Return up to `most` bytes of an object. Raises ObjectMissing if it does not exist."""
    answer = s3.call("GetObject", {"Bucket": bucket, "Key": key})
    from botocore.exceptions import BotoCoreError  # S3 is boto3's, imported with its first call

    try:
        body: bytes = answer["Body"].read(most)
    except BotoCoreError as error:  # the connection broke, or the checksum does not match
        raise Unavailable(f"GetObject: {error}") from error
    if len(body) < min(most, answer.get("ContentLength", 0)):
        raise Unavailable("GetObject: the connection ended before the object did")
    return body
