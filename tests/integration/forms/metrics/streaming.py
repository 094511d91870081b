"""The form table's stream as an event source mapping passes it on to a function."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lambdas.forms.metrics.change_consumer import ChangeConsumer
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.payload_deletion import PayloadDeletion
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.stream import COUNTED_CHANGES, REMOVED_PAYLOADS
from tablewright.model import Record
from tablewright.runtime.aws import Caller
from tablewright.runtime.store.batches import delete_request, write_all
from tablewright.runtime.store.records import Records
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.transport import Transport
from tablewright.testing import Database
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.submission.submitting import BUCKET, Edge

Json = dict[str, Any]
COUNTS = ("DailyMetrics", "HourlyMetrics")


def everything(database: Database, table: str | None = None) -> list[Json]:
    """All records of the stream so far, in order, in the form that Lambda gives them."""
    return [_plain(record) for record in database.changes(table)]


def _plain(value: Any) -> Any:
    """As it is in JSON: moments are numbers, bytes are base64."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value.timestamp() if isinstance(value, datetime) else value


def passes(record: Json, filters: Sequence[Json] = (*COUNTED_CHANGES, *REMOVED_PAYLOADS)) -> bool:
    """Whether a record matches one of the patterns, by the rules of event filtering."""
    return any(_matches(record, pattern) for pattern in filters)


def _matches(value: Any, pattern: Any) -> bool:
    """A pattern names paths; where a path leads to nothing, the value is None."""
    if isinstance(pattern, dict):
        inside = value if isinstance(value, dict) else {}
        return all(_matches(inside.get(name), inner) for name, inner in pattern.items())
    return any(_holds(value, one) for one in pattern)


def _holds(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if "exists" in wanted:
        return (value is not None) is wanted["exists"]
    return isinstance(value, str) and value.startswith(wanted["prefix"])


class Stream:
    """The stream of a form table, what is counted of it, and a bucket."""

    def __init__(self, forms: FormTable) -> None:
        self.database = forms.database
        self.dynamo = Edge(forms.database.caller)

    def records(self) -> list[Json]:
        """What the mapping passes on."""
        return [record for record in everything(self.database) if passes(record)]

    def consumer(self, caller: Caller | None = None) -> ChangeConsumer:
        caller = caller or self.dynamo
        deletion = PayloadDeletion(caller, "forms", PayloadCompressionManager(caller, BUCKET))
        return ChangeConsumer(self.database.store(Forms, caller), deletion)

    def deliver(
        self, records: Sequence[Json] | None = None, caller: Caller | None = None
    ) -> list[str]:
        """Deliver records, by default all; gives the sequence numbers that were refused."""
        records = self.records() if records is None else records
        return refused(self.consumer(caller).count(records, lambda *_: None))

    def keep(self, records: Sequence[Json], caller: Caller | None = None) -> list[str]:
        """Deliver records and keep those that fail; gives their sequence numbers."""
        kept: list[str] = []

        def failed(change: Change, _: Exception) -> bool:
            kept.append(change.sequence)
            return True

        assert refused(self.consumer(caller).count(records, failed)) == []
        return kept

    def redrive(self, records: Sequence[Json]) -> list[str]:
        return refused(self.consumer().redrive(records, lambda *_: None))

    def counts(self) -> dict[tuple[str, str], Record]:
        """All counts by tenant and by day or hour, without the key's fields."""
        found = {}
        for item in self.database.items():
            for name in COUNTS:
                if item["SK"]["S"].startswith(f"METRICS#{'DAY' if 'Da' in name else 'HOUR'}#"):
                    records = Records(Forms.__design__, Forms.__design__.entities[name])
                    record = dict(records.to_record(item))
                    period = record.pop("date", None) or record.pop("datetime")
                    found[record.pop("tenant_id"), period] = record
        return found

    def forget(self) -> None:
        """Remove all counts, and the marks of what was counted."""
        requests = [
            delete_request({name: item[name] for name in ("PK", "SK")})
            for item in self.database.items()
            if item["SK"]["S"].startswith(("METRICS#", "COUNTED"))
        ]
        write_all(Transport(self.dynamo), "forms", requests)


def refused(answer: Json) -> list[str]:
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def sequence(record: Json) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
