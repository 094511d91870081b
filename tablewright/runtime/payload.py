"""Payloads: kept in their item as they are, or compressed, or in a bucket.

One ladder, of which a payload takes the first step that holds it. As it is, unless compression
saves a write unit or three tenths of the bytes; in the item, unless that would grow beyond a limit.
What comes back is, byte for byte, what was sent.

Payloads that have much in common are compressed with a dictionary of it: `dictionaries` are all
that were ever used, the one to write with first.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from tablewright.model.capacity import WRITE_UNIT_BYTES
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Unavailable

PLAIN, ZLIB, S3, S3_ZLIB = "plain", "zlib", "s3", "s3-zlib"

LARGEST = 10 * 1024 * 1024
# An item of 16 KB, stored and changed once, costs about five times as much as one whose payload is
# in a bucket; below, the difference is not worth a second place.
ITEM_BYTES = 16 * 1024
_WORTH = 0.7  # of the bytes, or less
_LEVEL = 6
_NAMED = 6  # bytes at the beginning that name the dictionary


class PayloadTooLarge(TablewrightError, ValueError):
    """A payload is larger than is taken."""


class PayloadDamaged(TablewrightError):
    """What is stored is not what was: it cannot be read back."""


class Packed(NamedTuple):
    """A payload as it is kept: how, how long it was, and the bytes to be kept."""

    encoding: str
    size: int
    body: bytes

    @property
    def outside(self) -> bool:
        """Whether the bytes belong in a bucket and not in the item."""
        return self.encoding in (S3, S3_ZLIB)


def pack(
    payload: bytes,
    *,
    beside: int,
    item_bytes: int = ITEM_BYTES,
    largest: int = LARGEST,
    dictionaries: Sequence[bytes] = (),
) -> Packed:
    """The payload as it is to be kept in an item that has `beside` bytes of other attributes.

    >>> pack(b"{}", beside=400)
    Packed(encoding='plain', size=2, body=b'{}')
    """
    size = len(payload)
    if size > largest:
        raise PayloadTooLarge(f"a payload may have at most {largest} bytes, not {size}")
    compressed = compress(payload, dictionaries)
    pays = _pays(size, len(compressed), beside)
    if not pays and beside + size <= item_bytes:
        return Packed(PLAIN, size, payload)
    if beside + len(compressed) <= item_bytes:
        return Packed(ZLIB, size, compressed)
    return Packed(S3_ZLIB, size, compressed) if pays else Packed(S3, size, payload)


def _pays(plain: int, compressed: int, beside: int) -> bool:
    units = (ceil((beside + size) / WRITE_UNIT_BYTES) for size in (plain, compressed))
    before, after = units
    return after < before or compressed <= _WORTH * plain


def unpack(packed: Packed, *, largest: int = LARGEST, dictionaries: Sequence[bytes] = ()) -> bytes:
    """The payload that was packed; never more bytes than it was said to have."""
    if packed.size > largest:
        raise PayloadTooLarge(f"a payload may have at most {largest} bytes, not {packed.size}")
    payload = packed.body
    if packed.encoding in (ZLIB, S3_ZLIB):
        payload = decompress(packed.body, packed.size, dictionaries)
    elif packed.encoding not in (PLAIN, S3):
        raise PayloadDamaged(f"a payload cannot be read that is stored as '{packed.encoding}'")
    if len(payload) != packed.size:
        raise PayloadDamaged(f"the payload has {len(payload)} bytes, {packed.size} were stored")
    return payload


def compress(payload: bytes, dictionaries: Sequence[bytes] = ()) -> bytes:
    """The payload in zlib's format, which names its dictionary and has a checksum."""
    if dictionaries:
        compressor = zlib.compressobj(_LEVEL, zdict=dictionaries[0])
    else:
        compressor = zlib.compressobj(_LEVEL)
    return compressor.compress(payload) + compressor.flush()


def decompress(body: bytes, size: int, dictionaries: Sequence[bytes] = ()) -> bytes:
    """What was compressed to `body`, if it had `size` bytes; no more than that is ever made."""
    named = int.from_bytes(body[2:_NAMED], "big")
    dictionary = next((one for one in dictionaries if zlib.adler32(one) == named), b"")
    try:
        decompressor = zlib.decompressobj(zdict=dictionary)
        # One more than expected, so that the end of the stream and its checksum are looked at.
        payload = decompressor.decompress(body, size + 1)
    except zlib.error as error:
        raise PayloadDamaged(f"the payload cannot be decompressed: {error}") from None
    if not decompressor.eof or decompressor.unused_data or len(payload) != size:
        raise PayloadDamaged(f"the payload does not end after {size} bytes")
    return payload


class Payloads:
    """Keeps payloads beside items: gives the fields to store, and takes them back.

    `s3` is a boto3 client of S3 behind `Caller`. What goes into the bucket is there before its
    item is, and storing it again stores the same.

    Example::

        payloads = Payloads(Client(session.client("s3")), "bucket")
        record |= payloads.keep(body, key="acme/0194a211-7280-7abc-8def-0123456789ab", beside=400)
        body = payloads.fetch(record)
    """

    def __init__(
        self,
        s3: Caller,
        bucket: str,
        *,
        dictionaries: Sequence[bytes] = (),
        item_bytes: int = ITEM_BYTES,
        largest: int = LARGEST,
    ) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._dictionaries = tuple(dictionaries)
        self._item_bytes = item_bytes
        self._largest = largest

    def pack(self, payload: bytes, *, beside: int) -> Packed:
        """The payload as it is to be kept; nothing is stored by this."""
        return pack(
            payload,
            beside=beside,
            item_bytes=self._item_bytes,
            largest=self._largest,
            dictionaries=self._dictionaries,
        )

    def keep(self, payload: bytes, *, key: str, beside: int) -> dict[str, Any]:
        """The payload's fields of a record; one too large for the item is put in the bucket."""
        return self.keep_packed(self.pack(payload, beside=beside), key=key)

    def keep_packed(self, packed: Packed, *, key: str) -> dict[str, Any]:
        """The fields of a payload that is packed already; one `outside` is put in the bucket."""
        fields = {
            "payload_encoding": packed.encoding,
            "payload_bytes": packed.size,
            "stored_bytes": len(packed.body),
        }
        if not packed.outside:
            return {**fields, "payload": packed.body}
        self._s3.call(
            "PutObject",
            {
                "Bucket": self._bucket,
                "Key": key,
                "Body": packed.body,
                "ContentType": "application/octet-stream",
            },
        )
        return {**fields, "payload_key": key}

    def fetch(self, record: Mapping[str, Any]) -> bytes:
        """The payload of a record as it was sent."""
        encoding, size = record["payload_encoding"], int(record["payload_bytes"])
        packed = Packed(encoding, size, b"")
        body = self._read(record["payload_key"]) if packed.outside else record["payload"]
        whole = packed._replace(body=body)
        return unpack(whole, largest=self._largest, dictionaries=self._dictionaries)

    def forget(self, key: str) -> None:
        """Remove what was kept in the bucket; what is not there is removed already."""
        self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": key})

    def _read(self, key: str) -> bytes:
        # What we put there is never larger than this.
        body = read_object(self._s3, self._bucket, key, self._largest + 1)
        if len(body) > self._largest:
            raise PayloadDamaged(f"the object {key} is larger than any payload")
        return body


def read_object(s3: Caller, bucket: str, key: str, most: int) -> bytes:
    """Up to so many bytes of an object; raises ObjectMissing where there is none."""
    answer = s3.call("GetObject", {"Bucket": bucket, "Key": key})
    from botocore.exceptions import BotoCoreError  # S3 is boto3's, imported with its first call

    try:
        body: bytes = answer["Body"].read(most)
    except BotoCoreError as error:  # the connection broke, or what came is not what was stored
        raise Unavailable(f"GetObject: {error}") from error
    if len(body) < min(most, answer.get("ContentLength", 0)):
        raise Unavailable("GetObject: the connection ended before the object did")
    return body
