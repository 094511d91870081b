"""Files of content in a bucket: addresses to upload and download them by, and their removal.

An address to upload by is signed for one file: its type, its size and its checksum. What was asked
for is signed with it as metadata of the object, so nothing needs to remember it. The id of an
upload tells when it was asked for: of two, the later one is what the content is to have.
"""

import json
import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

from lambdas.portal.contract import FILES_PREFIX
from tablewright.catalog.portal.content import Content
from tablewright.model import Field, InvalidValue, TimeId
from tablewright.model.fields.time import iso_utc
from tablewright.runtime import strict_json
from tablewright.runtime.aws import Caller
from tablewright.runtime.deferred_client import DeferredClient
from tablewright.runtime.ids import uuid7

UPLOAD_SECONDS = 15 * 60
DOWNLOAD_SECONDS = 5 * 60
_METADATA = "asked"
# What the moment of an id is exact to.
_TICK = timedelta(milliseconds=1)
_UPLOAD_ID: Field[str] = TimeId().named("upload_id")

# Signs an operation with its parameters, for so many seconds.
Presign = Callable[[str, dict[str, Any], int], str]


class Place(NamedTuple):
    """Where an upload goes."""

    content_id: str
    upload_id: str

    @property
    def key(self) -> str:
        return f"{FILES_PREFIX}{self.content_id}/{self.upload_id}"

    @classmethod
    def of(cls, key: str) -> "Place | None":
        """The place with this key, if it is one of ours."""
        content_id, _, upload_id = key.removeprefix(FILES_PREFIX).partition("/")
        try:
            place = cls(Content.content_id.check(content_id), _UPLOAD_ID.check(upload_id))
        except InvalidValue:
            return None
        return place if place.key == key else None


class RequestedFile(NamedTuple):
    """A file that somebody wants to upload."""

    file_name: str
    content_type: str
    size_bytes: int
    sha256: str  # in hexadecimal digits, as people and tools write it
    user_id: str | None = None  # who asked for the address
    approved: bool = False  # whether that user's changes need no approval

    @property
    def checksum(self) -> str:
        """As S3 writes it."""
        return b64encode(bytes.fromhex(self.sha256)).decode()

    def to_text(self) -> str:
        # Metadata are headers, at most 2 KB of ASCII; names of files are not.
        text = json.dumps(self._asdict(), ensure_ascii=False, separators=(",", ":"))
        return urlsafe_b64encode(text.encode()).decode()

    @classmethod
    def from_text(cls, text: str) -> "RequestedFile | None":
        try:
            return cls(**strict_json.parse(urlsafe_b64decode(text)))
        except (ValueError, TypeError):
            return None


class Files:
    """The bucket that the files are in."""

    def __init__(self, s3: Caller, presign: Presign, bucket: str) -> None:
        self._s3 = s3
        self._presign = presign
        self.bucket = bucket

    @classmethod
    def of(cls, s3: DeferredClient, bucket: str) -> "Files":
        return cls(s3, s3.presign, bucket)

    def upload(self, content_id: str, file: RequestedFile, now: datetime) -> dict[str, Any]:
        """What to send in order to upload this file and no other."""
        place = Place(content_id, uuid7(now))
        params = {
            **self._object(place.key),
            "ContentType": file.content_type,
            "ContentLength": file.size_bytes,
            "ChecksumSHA256": file.checksum,
            "Metadata": {_METADATA: file.to_text()},
        }
        return {
            "upload_id": place.upload_id,
            "method": "PUT",
            "url": self._presign("put_object", params, UPLOAD_SECONDS),
            "headers": {
                "content-type": file.content_type,
                "content-length": str(file.size_bytes),
                "x-amz-checksum-sha256": file.checksum,
                f"x-amz-meta-{_METADATA}": file.to_text(),
            },
            "expires_at": iso_utc(now + timedelta(seconds=UPLOAD_SECONDS)),
        }

    def download(self, content: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """An address by which the content's file can be had."""
        params = {
            **self._object(content["s3_key"]),
            "ResponseContentType": content["content_type"],
            "ResponseContentDisposition": disposition(content["file_name"]),
        }
        return {
            "url": self._presign("get_object", params, DOWNLOAD_SECONDS),
            **{name: content[name] for name in ("file_name", "content_type", "size_bytes")},
            "expires_at": iso_utc(now + timedelta(seconds=DOWNLOAD_SECONDS)),
        }

    def uploaded(self, key: str) -> tuple[RequestedFile, dict[str, Any]] | None:
        """The request for the file with this key, and the fields that its content gets; None if it
        is not what was asked for.

        Raises ObjectMissing when it is not there.
        """
        head = self._s3.call("HeadObject", {**self._object(key), "ChecksumMode": "ENABLED"})
        file = RequestedFile.from_text(head.get("Metadata", {}).get(_METADATA, ""))
        if file is None or not _is(file, head):
            return None
        return file, {
            "s3_uri": f"s3://{self.bucket}/{key}",
            "s3_bucket": self.bucket,
            "s3_key": key,
            "file_name": file.file_name,
            "content_type": file.content_type,
            "size_bytes": file.size_bytes,
            "uploaded_at": iso_utc(head["LastModified"]),
        }

    def clear(self, content_id: str, *, asked_until: datetime, keep: Collection[str] = ()) -> None:
        """Remove a content's objects that were asked for until this moment, but for some keys."""
        self.clear_before(content_id, uuid7(asked_until + _TICK, bytes(10)), keep=keep)

    def clear_before(self, content_id: str, upload_id: str, *, keep: Collection[str] = ()) -> None:
        """Remove a content's objects that were asked for before an upload, but for some keys."""
        for place in self.places(f"{FILES_PREFIX}{content_id}/"):
            if place.upload_id < upload_id and place.key not in keep:
                self.remove(place.key)

    def remove(self, key: str) -> None:
        self._s3.call("DeleteObject", self._object(key))

    def places(self, prefix: str = FILES_PREFIX, after: str | None = None) -> Iterator[Place]:
        """The objects under a prefix, in the order of their keys, from after one of them."""
        params: dict[str, Any] = {"Bucket": self.bucket, "Prefix": prefix}
        while True:
            params |= {"StartAfter": after} if after else {}
            page = self._s3.call("ListObjectsV2", params)
            keys = [found["Key"] for found in page.get("Contents", [])]
            yield from (place for place in map(Place.of, keys) if place)
            if not page.get("IsTruncated"):
                return
            after = keys[-1]

    def _object(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": key}


def disposition(file_name: str) -> str:
    """A header that has browsers save a file under its name, never show it.

    >>> disposition('Überblick "A".pdf')
    'attachment; filename="_berblick _A_.pdf"; filename*=UTF-8\\'\\'%C3%9Cberblick%20%22A%22.pdf'
    """
    plain = re.sub(r'[^ -~]|["\\%]', "_", file_name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"


def _is(file: RequestedFile, head: Mapping[str, Any]) -> bool:
    found = (head["ContentType"], head["ContentLength"], head.get("ChecksumSHA256"))
    return found == (file.content_type, file.size_bytes, file.checksum)
