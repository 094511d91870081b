"""Stream consumer of the form table: counts changes, deletes payloads of removed items."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.forms.clients import Clients
from lambdas.forms.contract import CountEnvironment
from lambdas.forms.metrics.change_consumer import ChangeConsumer
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.payload_deletion import PayloadDeletion
from lambdas.stream import keep_failed
from tablewright.runtime.deadline import in_time
from tablewright.runtime.streams.changes import Change

logger = Logger()


@cache
def consumer() -> ChangeConsumer:
    environment = CountEnvironment.read()
    clients = Clients.of(environment)
    payloads = PayloadCompressionManager(clients.s3, environment.payloads_bucket)
    deletion = PayloadDeletion(clients.dynamo, clients.table_name, payloads)
    return ChangeConsumer(clients.store(), deletion)


if CountEnvironment.is_set():
    consumer()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive of what was given up."""
    records = event["Records"]
    work = consumer().redrive if event.get("redrive") else consumer().count
    answer = work(records, keep_failed(event, _report))
    logger.info(
        "counted",
        records=len(records),
        failed=len(answer["batchItemFailures"]),
        redrive=bool(event.get("redrive")),
    )
    return answer


def _report(change: Change, reason: str) -> None:
    # The item's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a record cannot be counted or forgotten",
        sequence=change.sequence,
        key={name: wire.get("S") for name, wire in change.key.items()},
        reason=reason,
    )
