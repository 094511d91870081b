"""Import submissions and daily metrics that the published Form-Bridge code wrote.

    python -m lambdas.forms.import_form_bridge --from FormBridgeData --to prod-FormBridgeData \\
        --region us-east-1 --form contact --dry-run

Reads the published table and creates what this table lacks; neither table loses anything. A
published submission gets an id that follows from its tenant, timestamp and old id, which it keeps
as `published_id`: so the command can be stopped and repeated. Imported items are marked: the
stream delivers and counts none of them again.
"""

import argparse
import gzip
import json
import sys
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.sharding.strategy import FormBridgeShardingStrategy
from lambdas.http.exact_json import exact_json
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DailyMetrics
from tablewright.catalog.forms.submissions import INLINE_BYTES, Submission
from tablewright.commands.items import segments
from tablewright.commands.items.bring_back import IF_IT_WERE_DONE, OUTCOMES, BringBack, live_table
from tablewright.commands.items.segments import Rate
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.time import iso_utc
from tablewright.model.restored import RESTORED_FROM
from tablewright.model.time_ids import moment_of
from tablewright.runtime.aws import Caller
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.store import Store

SUBMISSION, DAY = "SUB#", "METRICS#DAY#"
STATE = "import-form-bridge.json"


class NoBucket:
    """In place of S3: every published payload fits its item."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("The payload does not fit the item.")


class PublishedItems:
    """Converts items of the published table to items of this one."""

    def __init__(self, store: Store, source: str, form_id: str | None) -> None:
        self._sharding = FormBridgeShardingStrategy(store)
        self._submissions, self._days = (
            Records(Forms.__design__, kind.__entity__, store.epochs)
            for kind in (Submission, DailyMetrics)
        )
        self._payloads = PayloadCompressionManager(NoBucket(), "", item_bytes=INLINE_BYTES)
        self._mark = {RESTORED_FROM: {"S": source}}
        self._form_id = form_id

    def convert(self, item: Item) -> Item:
        """Return the item of this table. Raises ValueError for an item that has none."""
        values = {name: decode(wire) for name, wire in item.items()}
        is_submission = values["SK"].startswith(SUBMISSION)
        converted = self._submission(values) if is_submission else self._day(values)
        return {**converted, **self._mark}

    def _submission(self, values: dict[str, Any]) -> Item:
        tenant_id, published_id = values["tenant_id"], values["SK"].removeprefix(SUBMISSION)
        made = _utc(values["GSI1SK"].removeprefix("TS#"))
        digest = sha256(f"{tenant_id}#{published_id}".encode()).digest()
        submission_id = uuid7(made, digest[:10])
        timestamp = moment_of(submission_id)
        record = {
            "tenant_id": tenant_id,
            "submission_id": submission_id,
            "published_id": published_id,
            "timestamp": timestamp,
            "shard_id": self._sharding.get_shard_id(tenant_id, submission_id),
            "form_id": values.get("form_id") or self._form_id,
            "status": values["GSI2SK"].partition("#")[0],
            "content_type": "application/json",
            "updated_at": timestamp,
        }
        if "ttl" in values:
            record["expires_at"] = iso_utc(datetime.fromtimestamp(int(values["ttl"]), UTC))
        processed = self._payloads.process_payload(_payload(values))
        record |= self._payloads.store(processed, key="")
        item = self._submissions.to_item(Submission(**record))
        # In the form that a scan returns, so that a repeated run finds the item the same.
        return {**item, "data": {"B": b64encode(item["data"]["B"]).decode()}}

    def _day(self, values: dict[str, Any]) -> Item:
        names = ("submission_count", "form_stats", "destination_stats")
        counts = {name: values[name] for name in names if name in values}
        tenant_id, date = values["PK"].removeprefix("TENANT#"), values["SK"].removeprefix(DAY)
        return self._days.to_item(DailyMetrics(tenant_id=tenant_id, date=date, **counts))


def _utc(text: str) -> datetime:
    """Read a timestamp; the published code writes UTC without a zone."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _payload(values: dict[str, Any]) -> bytes:
    if values.get("compressed"):
        try:
            return gzip.decompress(b64decode(values["data"], validate=True))
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"The payload is damaged: {error}") from None
    return exact_json(values["data"]).encode()


def importing(
    convert: Callable[[Item], Item], work: BringBack
) -> Callable[[list[Item]], Counter[str]]:
    """Return what settles a page of published items; one that cannot be converted is refused."""

    def settle(items: list[Item]) -> Counter[str]:
        converted, refused = list[Item](), 0
        for item in items:
            try:
                converted.append(convert(item))
            except (TablewrightError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                refused += 1
                key = {name: item[name] for name in ("PK", "SK")}
                segments.say(f"Refused: {json.dumps(key)}: {error}")
        # A submission that the published code stored in two shards is one here.
        keys = [(item["PK"]["S"], item["SK"]["S"]) for item in converted]
        again = [at for at, key in enumerate(keys) if key in keys[:at]]
        counts = work.settle([one for at, one in enumerate(converted) if at not in again])
        for at in again:
            counts += work.settle([converted[at]])
        return counts + Counter(refused=refused)

    return settle


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return segments.carry_out(lambda: _import(options, segments.patient_caller(options)))


def _import(options: argparse.Namespace, caller: Caller) -> int:
    store = Store(Forms, options.target, caller)
    work = BringBack(
        caller,
        live_table(caller, options.target),
        lambda item: item,
        rate=Rate(options.rate),
        dry_run=options.dry_run,
        now=datetime.now(UTC),
    )
    published = PublishedItems(store, options.source, options.form)
    request = {
        "TableName": options.source,
        "FilterExpression": "begins_with(SK, :submission) OR begins_with(SK, :day)",
        "ExpressionAttributeValues": {":submission": {"S": SUBMISSION}, ":day": {"S": DAY}},
    }
    counts = segments.go_through(
        options,
        caller,
        request,
        importing(published.convert, work),
        of=f"{options.source} to {options.target}",
        state=STATE,
        items=caller.call("DescribeTable", {"TableName": options.source})["Table"]["ItemCount"],
    )
    segments.summary(
        counts, IF_IT_WERE_DONE if options.dry_run else OUTCOMES, dry_run=options.dry_run
    )
    return 1 if counts["refused"] else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lambdas.forms.import_form_bridge",
        description="Import submissions and daily metrics that the published code wrote.",
    )
    parser.add_argument("--from", dest="source", required=True, help="the published table")
    parser.add_argument("--to", dest="target", required=True, help="the table of a stage")
    parser.add_argument("--region", required=True, help="the region of both")
    parser.add_argument("--form", help="form id of submissions that name no form_id")
    segments.add_options(parser, state=STATE)
    return parser


if __name__ == "__main__":
    sys.exit(main())
