"""Deletion of payloads: the object in the bucket goes when its item has gone.

An object belongs to a submission, or to a request that was to become one. A submission with an
object is stored once, whatever is repeated (`lambdas.forms.submission.intake`); so nobody begins
to refer to an object while it is being removed here.
"""

from typing import Any, NamedTuple

from lambdas.forms.metrics.events import is_submission
from lambdas.forms.payload_compression import PayloadCompressionManager
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Request, Submission, payload_key
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.errors import KeyMismatch
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.streams.changes import Change

_SUBMISSIONS = Records(Forms.__design__, Submission.__entity__)
_REQUESTS = Records(Forms.__design__, Request.__entity__)
_PLACE, _ID, _STORED = "payload_key", "submission_id", "stored_at"


class OrphanedPayload(NamedTuple):
    """An object that a removed item leaves behind, and the item's key."""

    payload_key: str
    item: Item


def orphaned_payload(change: Change) -> OrphanedPayload | None:
    """The object that a change leaves without an item, if any; raises InvalidRecord for one that
    cannot have been the item's."""
    gone = change.old if change.new is None else None
    if not gone or _PLACE not in gone:
        return None
    expected = _expected(change, gone)
    if expected is None:
        return None
    if gone[_PLACE] != {"S": expected}:
        raise InvalidRecord(
            Submission.__entity__.name, [InvalidValue(_PLACE, f"must be {expected}")]
        )
    return OrphanedPayload(expected, change.key)


def _expected(change: Change, gone: Item) -> str | None:
    if is_submission(change):
        return payload_key(**_ids(_SUBMISSIONS.key_texts(change.key, None)))
    try:
        texts = _REQUESTS.key_texts(change.key, None)
    except KeyMismatch:
        return None
    if _STORED in gone:
        return None  # it became a submission, which has the object now
    return payload_key(**_ids({**texts, _ID: gone.get(_ID, {}).get("S", "")}))


def _ids(texts: dict[str, str]) -> dict[str, Any]:
    return {name: texts[name] for name in ("tenant_id", _ID)}


class PayloadDeletion:
    """Removes objects that belong to nothing any more."""

    def __init__(
        self, caller: Caller, table_name: str, payloads: PayloadCompressionManager
    ) -> None:
        self._caller = caller
        self._table_name = table_name
        self._payloads = payloads

    def delete(self, orphan: OrphanedPayload) -> None:
        """Remove an object, unless its item is back: a record may be redriven weeks later, when
        the item has been restored."""
        params = {"TableName": self._table_name, "Key": orphan.item, "ConsistentRead": True}
        item = self._caller.call("GetItem", params).get("Item", {})
        if item.get(_PLACE) != {"S": orphan.payload_key}:
            self._payloads.delete(orphan.payload_key)
