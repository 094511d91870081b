"""Reader of an archive: its days, and the items of each."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from tablewright.runtime.archive.objects import DAYS, INCOMING, Objects, folder
from tablewright.runtime.archive.parquet import from_parquet
from tablewright.runtime.archive.rows import from_lines
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ObjectMissing
from tablewright.runtime.store.records import Item


class ArchiveReader:
    """Reads the files of an archive as its days name them.

    Example::

        archive = ArchiveReader(connect(session, "s3"), bucket)
        for item in archive.items("2026-01-31"):
            print(item["saleId"]["S"])
    """

    def __init__(self, s3: Caller, bucket: str) -> None:
        self._objects = Objects(s3, bucket)

    def days(self, since: str = "", until: str = "9999-12-31") -> list[str]:
        """The days that the archive has items of, from one to another."""
        return [day for day in self._objects.days(DAYS) if since <= day <= until]

    def items(self, day: str) -> Iterator[Item]:
        """The items of a day, in DynamoDB's own form and in the order in which they came."""
        for name in self._objects.manifest(day).files:
            yield from (row.image for row in from_parquet(self._objects.get(name)))

    def incoming(self, since: str = "", until: str = "9999-12-31") -> Iterator[Item]:
        """What came in and is in no file yet; some of it more than once, or in a file as well."""
        for day in self._objects.days(INCOMING):
            if since <= day <= until:
                for found in self._objects.listed(folder(INCOMING, day)):
                    yield from self._batch(found.name)

    def _batch(self, name: str) -> Iterator[Item]:
        try:
            body = self._objects.get(name)
        except ObjectMissing:
            return  # compacted meanwhile
        for row in from_lines(gzip.decompress(body).splitlines(), ()):
            yield row.image
