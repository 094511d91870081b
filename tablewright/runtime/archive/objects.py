"""Objects of an archive's bucket: their names, and the calls that they need.

``incoming/day=…/`` has what the stream brought, an object for each batch; ``files/day=…/`` the
files of a day; ``days/day=…/symlink.txt`` names those of them that are the day. Athena reads what
that names and nothing else, so a day changes by one write.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from tablewright.runtime.aws import Caller

INCOMING, FILES, DAYS = "incoming/", "files/", "days/"
_MANIFEST = "symlink.txt"
# As many digits as a sequence number can have: names sort like numbers.
_DIGITS = 40


class Found(NamedTuple):
    """An object that is listed: its name and since when it is there."""

    name: str
    since: datetime


class Manifest(NamedTuple):
    """The files of a day; `version` is None where there is none yet."""

    files: tuple[str, ...] = ()
    version: str | None = None


class Objects:
    """The bucket of an archive."""

    def __init__(self, s3: Caller, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def put(self, name: str, body: bytes, **conditions: str) -> None:
        self._s3.call(
            "PutObject", {"Bucket": self._bucket, "Key": name, "Body": body, **conditions}
        )

    def get(self, name: str) -> bytes:
        answer = self._s3.call("GetObject", {"Bucket": self._bucket, "Key": name})
        body: bytes = answer["Body"].read()
        return body

    def delete(self, name: str) -> None:
        self._s3.call("DeleteObject", {"Bucket": self._bucket, "Key": name})

    def listed(self, prefix: str) -> Iterator[Found]:
        for page in self._pages({"Prefix": prefix}):
            for found in page.get("Contents", ()):
                yield Found(found["Key"], found["LastModified"])

    def days(self, prefix: str) -> list[str]:
        """The days that there is something of beneath a prefix."""
        pages = self._pages({"Prefix": f"{prefix}day=", "Delimiter": "/"})
        folders = (one["Prefix"] for page in pages for one in page.get("CommonPrefixes", ()))
        return sorted(folder.rstrip("/").rpartition("=")[2] for folder in folders)

    def manifest(self, day: str) -> Manifest:
        """Which files are a day."""
        name = folder(DAYS, day) + _MANIFEST
        if not list(self.listed(name)):
            return Manifest()
        answer = self._s3.call("GetObject", {"Bucket": self._bucket, "Key": name})
        lines = answer["Body"].read().decode().split()
        start = len(self._address(""))
        return Manifest(tuple(line[start:] for line in lines), answer["ETag"])

    def commit(self, day: str, files: list[str], before: Manifest) -> None:
        """Say that these files are the day; raises Conflict when another run was first."""
        body = "".join(f"{self._address(name)}\n" for name in files).encode()
        unchanged = {"IfMatch": before.version} if before.version else {"IfNoneMatch": "*"}
        self.put(folder(DAYS, day) + _MANIFEST, body, **unchanged)

    def _address(self, name: str) -> str:
        return f"s3://{self._bucket}/{name}"

    def _pages(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        asked = {"Bucket": self._bucket, **asked}
        while True:
            page = self._s3.call("ListObjectsV2", asked)
            yield page
            if not page.get("IsTruncated"):
                return
            asked["ContinuationToken"] = page["NextContinuationToken"]


def folder(prefix: str, day: str) -> str:
    return f"{prefix}day={day}/"


def name_of(prefix: str, day: str, first: int, body: bytes, ending: str) -> str:
    """A name that follows from what is in the object: written again, it is the same object."""
    digest = blake2b(body, digest_size=16).hexdigest()
    return f"{folder(prefix, day)}{first:0{_DIGITS}}-{digest}.{ending}"


def first_of(name: str) -> int:
    """The sequence number of the first row in an object of this name."""
    return int(name.rpartition("/")[2][:_DIGITS])
