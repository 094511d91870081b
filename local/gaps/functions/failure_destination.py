"""The record of a batch that was given up, sent to where its consumer wants to hear of it."""

import json
import logging
import uuid
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local.gaps.functions.stream_batches import Batch
from local.gaps.iam import roles

log = logging.getLogger("local.gaps")

# ministack's streams have one shard.
_SHARD = "shardId-00000000000000000000-00000000"


def by_function(mapping: dict[str, Any], config: dict[str, Any], batch: Batch, reason: str) -> None:
    """To the on-failure destination of a mapping."""
    request = {
        "requestId": str(uuid.uuid4()),
        "functionArn": config["FunctionArn"],
        "condition": reason,
        "approximateInvokeCount": batch.invocations,
    }
    response = {
        "statusCode": 200,
        "executedVersion": config.get("Version") or "$LATEST",
        "functionError": "Unhandled",
    }
    wanted = (mapping.get("DestinationConfig") or {}).get("OnFailure") or {}
    _send(
        wanted.get("Destination"),
        lambda: roles.of_function(config),
        f"aws/lambda/{mapping['UUID']}/{_SHARD}",
        batch,
        {
            "requestContext": request,
            "responseContext": response,
            **_batch_information(batch, mapping["EventSourceArn"]),
        },
    )


def by_pipe(
    pipe: dict[str, Any],
    destination: str | None,
    credentials: roles.Credentials,
    batch: Batch,
    reason: str,
) -> None:
    """To the dead-letter queue of a pipe."""
    context = {"partnerResourceArn": pipe["Arn"], "condition": reason}
    record = {"context": context, **_batch_information(batch, pipe["Source"])}
    _send(destination, lambda: credentials, f"aws/pipes/{pipe['Name']}", batch, record)


def _send(
    destination: str | None, credentials: Any, folder: str, batch: Batch, record: dict[str, Any]
) -> None:
    # The log hears of it in any case: nothing is dropped in silence.
    log.warning("gave up a batch, told to %s: %s", destination or "nobody", json.dumps(record))
    if not destination:
        return
    try:
        _deliver(destination, credentials(), folder, batch, record)
    except (BotoCoreError, ClientError) as error:
        log.error("%s did not hear of a batch that was given up: %s", destination, error)


def _deliver(
    destination: str,
    credentials: roles.Credentials,
    folder: str,
    batch: Batch,
    record: dict[str, Any],
) -> None:
    service, name = destination.split(":")[2], destination.split(":")[-1]
    client = roles.client(credentials, service)
    if service == "sqs":
        # Not asked for: the role need not be allowed to.
        url = f"{client.meta.endpoint_url}/{destination.split(':')[4]}/{name}"
        client.send_message(QueueUrl=url, MessageBody=json.dumps(record))
    elif service == "sns":
        client.publish(TopicArn=destination, Message=json.dumps(record))
    elif service == "s3":
        # Only a bucket gets the records themselves.
        whole = {**record, "payload": json.dumps({"Records": batch.records})}
        time = datetime.now(UTC).strftime("%Y/%m/%d/%Y-%m-%dT%H.%M.%S")
        key = f"{folder}/{time}-{uuid.uuid4()}"
        client.put_object(Bucket=name, Key=key, Body=json.dumps(whole).encode())
    else:
        log.error("%s cannot hear of batches that were given up", destination)


def _batch_information(batch: Batch, stream_arn: str) -> dict[str, Any]:
    first, last = (batch.records[index]["dynamodb"] for index in (0, -1))
    return {
        "version": "1.0",
        "timestamp": _iso(datetime.now(UTC)),
        "DDBStreamBatchInfo": {
            "shardId": _SHARD,
            "startSequenceNumber": first["SequenceNumber"],
            "endSequenceNumber": last["SequenceNumber"],
            "approximateArrivalOfFirstRecord": _arrival(first),
            "approximateArrivalOfLastRecord": _arrival(last),
            "batchSize": len(batch.records),
            "streamArn": stream_arn,
        },
    }


def _arrival(record: dict[str, Any]) -> str:
    return _iso(datetime.fromtimestamp(float(record["ApproximateCreationDateTime"]), UTC))


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
