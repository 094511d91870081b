"""Events that are counted: what a change of the form table adds to which counts.

A submission counts when it is stored, an attempt when something has come of it; if that is
corrected, so is the count. What is removed or expires stays counted, and is not counted again when
it comes back from a backup. Days and hours are those of the submission or attempt; that an event
has been counted is remembered under the second of its change, by which it can be delivered again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DAY, HOUR
from tablewright.catalog.forms.stream import FAILED, OUTCOMES, SUCCEEDED
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.model import InvalidRecord, InvalidValue, Record
from tablewright.model.errors import KeyMismatch
from tablewright.model.restored import RESTORED_FROM
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.counters import Event

_SUBMISSIONS = Records(Forms.__design__, Submission.__entity__)
_ATTEMPTS = Records(Forms.__design__, DeliveryAttempt.__entity__)
_KEYS = Forms.__design__.key.names
_GSI1 = Forms.__design__.indexes["GSI1"]


class Fact(NamedTuple):
    """Something that happened to a tenant at a moment, and what it adds to the counts."""

    tenant_id: str
    moment: str
    numbers: dict[str, Any]


class Events(NamedTuple):
    """One change as it is counted by day and by hour."""

    day: Event
    hour: Event


def is_submission(change: Change) -> bool:
    return _is(_SUBMISSIONS, change)


def is_attempt(change: Change) -> bool:
    return _is(_ATTEMPTS, change)


def counted(change: Change) -> Events | None:
    """What a change adds to the counts; raises InvalidRecord for an item that is unsound.

    An old image that is unsound was never counted, so there is nothing to be taken back.
    """
    if change.new is None or (change.old is None and RESTORED_FROM in change.new):
        return None
    if "purpose" in change.new:
        return None  # made up, to try a destination with
    if is_submission(change):
        return events(change, [] if change.old else [submitted(change.new)])
    if is_attempt(change):
        return events(change, corrected(sound(change.old), outcome(change.new)))
    return None


def submitted(image: Item, by: int = 1) -> Fact:
    """A submission was stored."""
    names = ("tenant_id", "timestamp", "form_id")
    optional = ("domain", "original_size", "storage_size")
    record = _read(_SUBMISSIONS, image, names, optional=optional)
    numbers: dict[str, Any] = {"submission_count": by, "form_stats": {record["form_id"]: by}}
    if record.get("domain"):
        numbers["domain_stats"] = {record["domain"]: by}
    if "storage_size" in record:
        numbers["bytes_sent"] = by * record["original_size"]
        numbers["bytes_stored"] = by * record["storage_size"]
    return Fact(record["tenant_id"], record["timestamp"], numbers)


def outcome(image: Item | None, by: int = 1) -> Fact | None:
    """What came of an attempt; nothing as long as it is under way."""
    if image is None:
        return None
    names = ("tenant_id", "destination_id", "timestamp", "status")
    record = _read(_ATTEMPTS, image, names)
    if record["status"] not in OUTCOMES:
        return None
    one = {record["destination_id"]: by}
    if record["status"] == SUCCEEDED:
        numbers: dict[str, Any] = {"delivery_count": by, "destination_stats": one}
    else:
        numbers = {"error_count": by, "destination_errors": one}
    if record["status"] == FAILED:
        numbers["destination_failures"] = one
    return Fact(record["tenant_id"], record["timestamp"], numbers)


def sound(image: Item | None) -> Fact | None:
    """What came of an attempt before, taken back; nothing for an unsound one."""
    try:
        return outcome(image, -1)
    except (InvalidRecord, KeyMismatch):
        return None


def corrected(before: Fact | None, after: Fact | None) -> list[Fact]:
    """The new outcome less the old one."""
    return [fact for fact in (before, after) if fact]


def events(change: Change, facts: Sequence[Fact]) -> Events | None:
    if not facts:
        return None
    # Of the change and not of the item: a mark must outlive every delivery of the change, however
    # old the item is that was changed.
    group = {"tenant_id": facts[0].tenant_id, "second": change.made, "part": _part(change)}
    return Events(
        Event(change.id, {**group, "period": DAY}, _sums(facts, "date", 10)),
        Event(change.id, {**group, "period": HOUR}, _sums(facts, "datetime", 13)),
    )


def _sums(facts: Sequence[Fact], field: str, length: int) -> Iterator[tuple[Record, Any]]:
    for fact in facts:
        period = fact.moment[:length].replace("T", "-")
        yield {"tenant_id": fact.tenant_id, field: period}, fact.numbers


def _part(change: Change) -> str:
    """The tenant's shard, which the index keys of submissions and attempts both end with."""
    (key,) = (change.new or {}).get(_GSI1.key.partition[0], {"S": ""}).values()
    try:
        return Submission.__entity__.indexed[_GSI1.name].partition[0].parse(key)["shard"]
    except KeyMismatch:
        return "0"


def _is(records: Records, change: Change) -> bool:
    try:
        records.key_texts(change.key, None)
    except KeyMismatch:
        return False
    return True


def _read(
    records: Records, image: Item, names: Sequence[str], optional: Sequence[str] = ()
) -> Record:
    """These fields of an item, and no others: the payload is nobody's business here."""
    stored = records.stored_names((*names, *optional))
    part = {name: image[name] for name in (*_KEYS, *stored) if name in image}
    unread = frozenset(records.entity.by_name).difference(names)
    try:
        record = records.to_record(part, unread=unread)
    except MalformedItem as error:
        problem = InvalidValue(error.attribute, error.rule)
        raise InvalidRecord(records.entity.name, [problem]) from None
    values = {name: value for name, value in record.items() if name in (*names, *optional)}
    checked = records.entity.check(values, partial=True)
    missing = [InvalidValue(name, "is required") for name in names if name not in checked]
    if missing:
        raise InvalidRecord(records.entity.name, missing)
    return checked
