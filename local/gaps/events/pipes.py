"""Gap: pipes have no filter, no input template and do not reach an event bus.

A pipe from a DynamoDB stream to an event bus works through the stream as a mapping does: filter,
batches, retry limit, bisection and dead-letter queue, with the permissions of the pipe's role.
Other targets stay as ministack serves them.
"""

import logging
import time
from typing import Any

from botocore.exceptions import ClientError
from ministack.services import lambda_svc
from ministack.services import pipes as service

from local.gaps import expected
from local.gaps.events.input_template import at, render
from local.gaps.functions import failure_destination as given_up
from local.gaps.functions.stream_batches import Batch, Record, Settings, remains
from local.gaps.functions.stream_work import READ_LIMIT, Work
from local.gaps.iam import roles

log = logging.getLogger("local.gaps")

_PARAMETERS = ("SourceParameters", "TargetParameters")
_ENTRIES_PER_CALL = 10

_work: dict[str, Work] = {}


def close() -> None:
    handler = expected.handler("AWS::Pipes::Pipe")
    stock = expected.function(service, "_poll_pipe", "_ddb", "pipe", "pipe_account_id")
    expected.function(service, "_dynamodb_stream_source", "stream_arn")
    for name in ("_pipes", "_positions"):
        expected.attribute(service, name)
    expected.function(lambda_svc, "_apply_filter_criteria", "records", "esm")
    roles.check()
    create, update = handler["create"], handler["update"]

    def create_with_parameters(logical_id: str, props: dict[str, Any], stack_name: str) -> Any:
        created = create(logical_id, props, stack_name)
        _keep_parameters(created[0], props)
        return created

    def update_with_parameters(physical_id: str, old: Any, new: dict[str, Any], *rest: Any) -> Any:
        updated = update(physical_id, old, new, *rest)
        _keep_parameters(updated[0], new)
        return updated

    def poll(dynamodb: Any, pipe: dict[str, Any], account: str) -> None:
        source = service._dynamodb_stream_source(pipe.get("Source", ""))
        if source is None or ":events:" not in pipe.get("Target", ""):
            stock(dynamodb, pipe, account)
        elif pipe.get("CurrentState") == "RUNNING":
            _advance(dynamodb, pipe, source[1])

    handler.update(create=create_with_parameters, update=update_with_parameters)
    service._poll_pipe = poll


def _keep_parameters(name: str, props: dict[str, Any]) -> None:
    service._pipes[name].update({key: props.get(key) or {} for key in _PARAMETERS})


def _advance(dynamodb: Any, pipe: dict[str, Any], table: str) -> None:
    work = _work.setdefault(pipe["Arn"], Work(wake=lambda seconds: None))
    source = pipe.get("SourceParameters") or {}
    stream = source.get("DynamoDBStreamParameters") or {}
    settings = _settings(stream)
    # Until there is nothing more to do now: the next look is a second away.
    while not work.waits:
        if not work.todo:
            first, last = (
                dynamodb.stream_start_position(table),
                dynamodb.stream_end_position(table),
            )
            start = min(max(int(service._positions.get(pipe["Arn"], first)), first), last)
            records = dynamodb.stream_records_since(table, start, READ_LIMIT)
            position = work.fill(start, records, settings, lambda record: _matches(source, record))
            service._positions[pipe["Arn"]] = position
        if not work.todo:
            return
        _deliver_next(pipe, work, settings, (stream.get("DeadLetterConfig") or {}).get("Arn"))


def _deliver_next(
    pipe: dict[str, Any], work: Work, settings: Settings, dead_letters: str | None
) -> None:
    batch = work.todo[0]
    # Whatever goes wrong here must not be tried again at once.
    work.wait()
    credentials = _credentials(pipe)
    if credentials is None:
        return
    try:
        result = _put(pipe, credentials, batch)
    except ClientError as error:
        log.error("%s: %s", pipe["Arn"], error)
        result = {"error": True}
    left = remains(batch, result, settings, time.time())
    if left.given_up:
        given_up.by_pipe(pipe, dead_letters, credentials, left.given_up, left.reason)
    service._positions[pipe["Arn"]] = work.settle(left)


def _credentials(pipe: dict[str, Any]) -> roles.Credentials | None:
    """Those of the pipe's role, when it may read the stream."""
    try:
        credentials = roles.assumed(pipe["RoleArn"], pipe["Name"][:64])
    except ClientError as error:
        log.error("%s: %s", pipe["Arn"], error)
        return None
    if action := roles.refused(credentials, roles.READ_STREAM, pipe["Source"]):
        log.error("%s: its role may not %s", pipe["Arn"], action)
        return None
    return credentials


def _put(pipe: dict[str, Any], credentials: roles.Credentials, batch: Batch) -> dict[str, Any]:
    """Put each record as an event; the answer names those that the bus did not take."""
    events = roles.client(credentials, "events")
    failures = []
    for start in range(0, len(batch.records), _ENTRIES_PER_CALL):
        chunk = batch.records[start : start + _ENTRIES_PER_CALL]
        answers = events.put_events(Entries=[_entry(pipe, record) for record in chunk])["Entries"]
        failures += [
            {"itemIdentifier": record["dynamodb"]["SequenceNumber"]}
            for record, answer in zip(chunk, answers, strict=True)
            if "ErrorCode" in answer
        ]
    return {"body": {"batchItemFailures": failures}}


def _entry(pipe: dict[str, Any], record: Record) -> dict[str, Any]:
    target = pipe.get("TargetParameters") or {}
    bus = target.get("EventBridgeEventBusParameters") or {}
    reserved = {
        "aws.pipes.pipe-arn": pipe["Arn"],
        "aws.pipes.pipe-name": pipe["Name"],
        "aws.pipes.source-arn": pipe["Source"],
        "aws.pipes.target-arn": pipe["Target"],
        "aws.pipes.event": record,
        "aws.pipes.event.json": record,
    }
    return {
        "EventBusName": pipe["Target"],
        "Source": _given(bus.get("Source"), record) or f"Pipe {pipe['Name']}",
        "DetailType": _given(bus.get("DetailType"), record) or "Event from aws:dynamodb",
        "Resources": bus.get("Resources") or [],
        "Detail": render(target.get("InputTemplate") or "<$>", record, reserved),
    }


def _given(value: str | None, record: Record) -> str | None:
    """A parameter is a text, or a path to one in the record."""
    return str(at(record, value)) if value and value.startswith("$.") else value


def _matches(source: dict[str, Any], record: Record) -> bool:
    return bool(lambda_svc._apply_filter_criteria([record], source))


def _settings(stream: dict[str, Any]) -> Settings:
    bisect = stream.get("OnPartialBatchItemFailure") == "AUTOMATIC_BISECT"
    named = {**stream, "BisectBatchOnFunctionError": bisect}
    return Settings.of({**named, "FunctionResponseTypes": ["ReportBatchItemFailures"]})
