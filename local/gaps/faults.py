"""Faults on demand: functions that fail or time out, tables that throttle, regions that are lost.

Not a gap of ministack but a wish of ours: to see what the application does then. What is faulty
until when stands in the file LOCAL_FAULTS, which `python -m local fault` writes.
"""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from ministack import app
from ministack.core import router
from ministack.core.responses import error_response_json
from ministack.services import apigateway, cloudwatch, dynamodb, lambda_svc

from local.gaps import expected
from local.gaps.iam.statements import statements

_READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems")
_WRITES = (
    *("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
    "BatchExecuteStatement",
)
# How often a request to a lost region looks whether the region is back.
_LOST_SECONDS = 0.2
_DISPATCH = ("func", "config", "event", "request_id", "started")


def close() -> None:
    file = os.environ.get("LOCAL_FAULTS")
    if not file:
        return
    faults = Faults(Path(file))
    _break_functions(faults)
    _break_tables(faults)
    _break_regions(faults)


class Faults:
    """What is faulty at the moment."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def active(self, kind: str, target: str) -> bool:
        try:
            listed = json.loads(self._file.read_text())
        except (FileNotFoundError, ValueError):
            return False
        return any(
            fault["kind"] == kind and fault["target"] == target and fault["until"] > time.time()
            for fault in listed
        )


def _break_functions(faults: Faults) -> None:
    execute = expected.function(lambda_svc, "_execute_function_dispatch", *_DISPATCH)
    expected.attribute(lambda_svc, "_emit_lambda_logs")
    expected.function(lambda_svc, "_throttle_response", "reason_code", "msg", "retry_after")

    def dispatch(
        func: Any, config: dict[str, Any], event: Any, request_id: str, started: float
    ) -> dict[str, Any]:
        name = config.get("FunctionName", "")
        if faults.active("region", config.get("FunctionArn", ":::").split(":")[3]):
            lost = "The region is lost."
            return dict(lambda_svc._throttle_response("ConcurrentInvocationLimitExceeded", lost))
        if faults.active("fail", name):
            body = {"errorMessage": "It was told to fail.", "errorType": "InjectedFault"}
        elif faults.active("timeout", name):
            seconds = int(config.get("Timeout", 3))
            time.sleep(seconds)
            message = f"{request_id} Task timed out after {seconds}.00 seconds"
            body = {"errorMessage": message, "errorType": "Sandbox.Timedout"}
        else:
            return dict(execute(func, config, event, request_id, started))
        log = f"[ERROR] {body['errorType']}: {body['errorMessage']}"
        took = int((time.time() - started) * 1000)
        lambda_svc._emit_lambda_logs(func, request_id, log, True, took)
        return {"body": body, "error": True, "log": log}

    lambda_svc._execute_function_dispatch = dispatch


def _break_tables(faults: Faults) -> None:
    parameters = ("method", "path", "headers", "body", "query_params")
    handle = expected.function(dynamodb, "handle_request", *parameters)
    expected.function(
        cloudwatch, "record_metric", "namespace", "metric_name", "value", "unit", "dimensions"
    )

    async def handle_request(
        method: str, path: str, headers: dict[str, str], body: bytes, query_params: Any
    ) -> Any:
        action = headers.get("x-amz-target", "").partition(".")[2]
        if action in (*_READS, *_WRITES):
            for table, index in _tables(body):
                if faults.active("throttle", table):
                    kind = "Read" if action in _READS else "Write"
                    where = {"TableName": table}
                    where |= {"GlobalSecondaryIndexName": index} if index else {}
                    metric = f"{kind}ThrottleEvents"
                    cloudwatch.record_metric("AWS/DynamoDB", metric, 1, "Count", where)
                    return _refusal()
        return await handle(method, path, headers, body, query_params)

    dynamodb.handle_request = handle_request


def _break_regions(faults: Faults) -> None:
    """A region that is lost answers nothing: neither what is signed for it, nor its APIs."""
    serve = expected.function(app, "app", "scope", "receive", "send")
    expected.function(router, "extract_signed_region", "headers", "query_params")
    expected.function(apigateway, "find_api_scope", "api_id")

    async def served(scope: dict[str, Any], receive: Any, send: Any) -> None:
        region = _region(scope) if scope["type"] == "http" else None
        if region is None or not faults.active("region", region):
            await serve(scope, receive, send)
            return
        while faults.active("region", region):
            try:
                message = await asyncio.wait_for(receive(), _LOST_SECONDS)
            except TimeoutError:
                continue
            if message["type"] == "http.disconnect":
                return

    app.app = served


def _region(scope: dict[str, Any]) -> str | None:
    parts = scope["path"].split("/")
    if parts[1:3] == ["_aws", "execute-api"]:
        owner = apigateway.find_api_scope(parts[3])
        return str(owner[1]) if owner else None
    headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
    signed = router.extract_signed_region(headers, None)
    return str(signed) if signed else None


def _tables(body: bytes) -> list[tuple[str, str | None]]:
    """The tables of a request, and the index that is asked."""
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return []
    named = [(request.get("TableName"), request.get("IndexName"))]
    named += [(table, None) for table in request.get("RequestItems") or {}]
    named += [(one.table, None) for one in statements(request)]
    for item in request.get("TransactItems") or []:
        named += [(detail.get("TableName"), None) for detail in item.values()]
    return [(name.rpartition("/")[2], index) for name, index in named if isinstance(name, str)]


def _refusal() -> Any:
    return error_response_json(
        "ProvisionedThroughputExceededException",
        "The level of configured provisioned throughput for the table was exceeded. "
        "Consider increasing your provisioning level with the UpdateTable API.",
        400,
    )
