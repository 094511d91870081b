"""Version history: every version of a document, and the latest one under a key that is known.

After the sort keys for version control in AWS's documentation of DynamoDB: v0 is a copy of the
latest version, and says which one that is. Both have keys of one form, so that an attribute of the
table tells them apart.
"""

from datetime import UTC, datetime

from tablewright.model import (
    Check,
    Entity,
    Field,
    Get,
    Key,
    Lines,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Upsert,
    Whole,
    replaced,
)
from tablewright.runtime import NotFound, Store

_TEXT = {
    "document": "handbook",
    "text": "Doors close at six.",
    "author": "ann",
    "saved_at": datetime(2026, 11, 17, 9, tzinfo=UTC),
}


class Latest(Entity, key=Key("DOCUMENT#{document}", "v0"), example={**_TEXT, "number": 3}):
    """A document as it is now."""

    document: Field[str] = Text()
    number: Field[int] = Whole(digits=6)
    text: Field[str] = Lines(max_length=100_000)
    author: Field[str] = Text()
    saved_at: Field[datetime] = Timestamp(resolution="ms")


class Version(Entity, key=Key("DOCUMENT#{document}", "v{number}"), example={**_TEXT, "number": 3}):
    """A document as it was saved once. Nothing changes it."""

    document: Field[str] = Text()
    number: Field[int] = Whole(digits=6, lowest=1)
    text: Field[str] = Lines(max_length=100_000)
    author: Field[str] = Text()
    saved_at: Field[datetime] = Timestamp(resolution="ms")


class VersionHistory(Table, pk="PK", sk="SK", entity_type="type"):
    """Documents and all their versions."""

    latest = Get(Latest, consistent=True, describes="A document as it is now.")
    point_to = Upsert(Latest, describes="Make another version the latest.")
    keep = Put(Version, create=True, describes="Keep a version.")
    kept = Check(Version, describes="See, while saving, that the version before is there.")
    version = Get(Version, describes="A document as it was in one version.")
    history = Query(
        Version,
        range=Version.number,
        select=(Version.document, Version.number, Version.author, Version.saved_at),
        descending=True,
        describes="Versions of a document, newest first, without their texts.",
    )


def save(store: Store, version: Version) -> None:
    """Save the version after the latest; raises TransactionRefused where somebody was faster."""
    key, before = {"document": version.document}, version.number - 1
    values = {name: version[name] for name in ("number", "text", "author", "saved_at")}
    follows = [store.to_check(VersionHistory.kept, key, number=before)] if before else []
    store.transact_write(
        store.to_put(VersionHistory.keep, version),
        store.to_update(VersionHistory.point_to, key, values, when=Latest.number == before),
        *follows,
    )


def restore(store: Store, document: str, number: int, by: str, at: datetime) -> Version:
    """Save an old version anew, as the latest."""
    old = store.get(VersionHistory.version, document=document, number=number)
    latest = store.get(VersionHistory.latest, document=document)
    if old is None or latest is None:
        raise NotFound(f"{document} has no version {number}")
    new = replaced(old, number=latest.number + 1, author=by, saved_at=at)
    save(store, new)
    return new
