"""Rows of an archive: an item as it left its table, and where in the stream that was."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from hashlib import blake2b
from typing import Any, NamedTuple

from tablewright.model.archive import ArchivePlan
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.store.records import Item
from tablewright.runtime.streams.changes import Change

_SETS = ("SS", "NS", "BS")
# Of the mark of an item that was put back from an archive; what it was follows.
PUT_BACK = "archive:"


class Row(NamedTuple):
    """An item of an archive. Number and key are those of one record of the stream, and so tell
    whether it is delivered again."""

    sequence: int
    key: str
    at: str
    item: str

    @classmethod
    def of(cls, change: Change, image: Item, keys: Sequence[str]) -> Row:
        """The row for an image in a change."""
        at = f"{change.made:%Y-%m-%dT%H:%M:%S}Z"
        return cls(int(change.sequence), _key(image, keys), at, exact(image))

    @classmethod
    def stored(cls, sequence: str, at: str, item: str, keys: Sequence[str]) -> Row:
        """The row that was stored so."""
        return cls(int(sequence), _key(json.loads(item), keys), at, item)

    @property
    def image(self) -> Item:
        """The item, in DynamoDB's own form."""
        found: Item = json.loads(self.item)
        return found


def image_of(change: Change, plan: ArchivePlan) -> Item | None:
    """What an archive takes of a change, if anything.

    Of deletions, those that DynamoDB makes when an item expires. What was put back from the archive
    and expired again as it was is there already.
    """
    if plan.takes != "expired":
        created = change.record.get("eventName") == "INSERT"
        return change.new if created and RESTORED_FROM not in (change.new or {}) else None
    image = change.old
    if image is None or change.new is not None or not _by_expiry(change, image, plan):
        return None
    return None if image.get(RESTORED_FROM) == mark(image, plan.ttl) else image


def _by_expiry(change: Change, image: Item, plan: ArchivePlan) -> bool:
    author = change.record.get("userIdentity") or {}
    if author.get("principalId") == "dynamodb.amazonaws.com":
        return True
    ends = image.get(plan.ttl or "", {}).get("N")
    return plan.replicated and ends is not None and float(ends) <= change.made.timestamp()


def mark(image: Item, ttl: str | None) -> dict[str, str]:
    """The mark of an item that is put back: tells whether it has been changed since."""
    plain = {name: value for name, value in image.items() if name not in (RESTORED_FROM, ttl)}
    return {"S": PUT_BACK + blake2b(exact(plain).encode(), digest_size=16).hexdigest()}


def day_of(image: Item, change: Change, plan: ArchivePlan) -> str:
    """The day that an item is of; where it has none that can be read, that of the change."""
    for name in plan.days:
        text = image.get(name, {}).get("S", "")[:10]
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            continue
    return f"{change.made:%Y-%m-%d}"


def exact(image: Item) -> str:
    """An item in DynamoDB's own form, as the same text however it is read."""
    ordered = {name: _in_order(value) for name, value in image.items()}
    separators = (",", ":")
    return json.dumps(
        ordered, sort_keys=True, separators=separators, ensure_ascii=False, default=_base64
    )


def _in_order(wire: Any) -> Any:
    """A value with its sets in one order: DynamoDB gives them in any."""
    ((kind, value),) = wire.items()
    if kind in _SETS:
        return {kind: sorted(_base64(one) if isinstance(one, bytes) else one for one in value)}
    if kind == "M":
        return {kind: {name: _in_order(inner) for name, inner in value.items()}}
    if kind == "L":
        return {kind: [_in_order(inner) for inner in value]}
    return wire


def _base64(value: Any) -> str:
    return b64encode(bytes(value)).decode()


def _key(image: Item, keys: Sequence[str]) -> str:
    return exact({name: image[name] for name in keys})


def to_lines(rows: Iterable[Row]) -> bytes:
    """Rows as JSON, one on a line."""
    lines = (
        json.dumps([str(row.sequence), row.at, row.item], ensure_ascii=False) + "\n" for row in rows
    )
    return "".join(lines).encode()


def from_lines(lines: Iterable[bytes], keys: Sequence[str]) -> Iterator[Row]:
    """The rows that `to_lines` made these of."""
    for line in lines:
        sequence, at, item = json.loads(line)
        yield Row.stored(sequence, at, item, keys)
