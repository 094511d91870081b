"""Gap: mappings from a DynamoDB stream know neither partial failures, bisection nor retry limits.

By itself ministack retries a failing batch for ever, one batch at a time for all mappings. Here
each mapping works for itself and in order, and its position only moves past what is done or
given up. The function's role must be allowed to read the stream, as in AWS.
"""

import logging
import threading
import time
from typing import Any

from ministack.core.arn import ArnParseError, parse_arn
from ministack.core.responses import _request_account_id, _request_region
from ministack.services import dynamodb, lambda_svc

from local.gaps import expected
from local.gaps.functions import failure_destination as given_up
from local.gaps.functions.stream_batches import Settings, remains
from local.gaps.functions.stream_work import READ_LIMIT, Work
from local.gaps.iam import roles

log = logging.getLogger("local.gaps")

_REFUSED_SECONDS = 2.0

_work: dict[str, Work] = {}


def close() -> None:
    expected.function(lambda_svc, "_poll_dynamodb_streams")
    expected.function(lambda_svc, "_iter_all_esms")
    expected.function(lambda_svc, "_execute_function", "func", "event")
    expected.function(lambda_svc, "_apply_filter_criteria", "records", "esm")
    expected.function(lambda_svc, "_dispatch_esm_batch", "esm_id", "fn", "args")
    expected.function(lambda_svc, "_get_func_record_for_qualifier", "name", "qualifier")
    expected.function(lambda_svc, "_dynamodb_stream_table_from_arn_spec", "spec")
    for name in ("_dynamodb_stream_positions", "_esm_inflight", "_esm_wake"):
        expected.attribute(lambda_svc, name)
    for position in ("stream_start_position", "stream_end_position"):
        expected.function(dynamodb, position, "table_name", "account_id", "region")
    roles.check()
    lambda_svc._poll_dynamodb_streams = poll


def poll() -> bool:
    """Let every idle mapping start its next batch; True when records were passed over at once."""
    moved = False
    known = set()
    for account, region, mapping in lambda_svc._iter_all_esms():
        scopes = _request_account_id.set(account), _request_region.set(region)
        try:
            table = _table_of(mapping)
            if table is not None:
                known.add(mapping["UUID"])
                moved = _advance(mapping, table) or moved
        finally:
            _request_account_id.reset(scopes[0])
            _request_region.reset(scopes[1])
    for gone in _work.keys() - known:
        del _work[gone]
    return moved


def _table_of(mapping: dict[str, Any]) -> str | None:
    """The table whose current stream the mapping reads, when it is enabled."""
    arn = mapping.get("EventSourceArn", "")
    if str(mapping.get("Enabled", True)).lower() != "true":
        return None
    try:
        found = lambda_svc._dynamodb_stream_table_from_arn_spec(parse_arn(arn))
    except ArnParseError:
        return None
    table = dynamodb._tables.get(found[0]) if found else None
    return found[0] if table and table.get("LatestStreamArn") == arn else None


def _advance(mapping: dict[str, Any], table: str) -> bool:
    id = mapping["UUID"]
    work = _work.setdefault(id, Work(_wake))
    function, config = lambda_svc._get_func_record_for_qualifier(
        mapping["FunctionName"], mapping.get("Qualifier")
    )
    if function is None or id in lambda_svc._esm_inflight or work.waits:
        return False
    if not work.todo:
        start = _position(mapping, table)
        records = dynamodb.stream_records_since(table, start, READ_LIMIT)
        position = work.fill(
            start,
            records,
            Settings.of(mapping),
            lambda record: bool(lambda_svc._apply_filter_criteria([record], mapping)),
        )
        _move(mapping, position)
        if not work.todo:
            return position > start
    if action := roles.refused(
        roles.of_function(config), roles.READ_STREAM, mapping["EventSourceArn"]
    ):
        mapping["LastProcessingResult"] = f"PROBLEM: the function's role may not {action}"
        log.error("%s: its role may not %s", mapping["FunctionName"], action)
        work.wait(_REFUSED_SECONDS)
        return False
    lambda_svc._dispatch_esm_batch(id, _invoke, mapping, work, function, config)
    return False


def _invoke(mapping: dict[str, Any], work: Work, function: Any, config: dict[str, Any]) -> None:
    # Whatever goes wrong here must not be tried again at once.
    work.wait()
    batch = work.todo[0]
    result = lambda_svc._execute_function(function, {"Records": list(batch.records)})
    if result.get("throttle"):
        return
    left = remains(batch, result, Settings.of(mapping), time.time())
    if left.given_up:
        given_up.by_function(mapping, config, left.given_up, left.reason)
    failed = bool(left.todo or left.given_up)
    mapping["LastProcessingResult"] = "PROBLEM: Function call failed" if failed else "OK"
    _move(mapping, work.settle(left))


def _position(mapping: dict[str, Any], table: str) -> int:
    first, last = dynamodb.stream_start_position(table), dynamodb.stream_end_position(table)
    begin = first if mapping.get("StartingPosition") == "TRIM_HORIZON" else last
    with lambda_svc._dynamodb_stream_positions_lock:
        position = lambda_svc._dynamodb_stream_positions.setdefault(mapping["UUID"], begin)
    return int(min(max(position, first), last))


def _move(mapping: dict[str, Any], position: int) -> None:
    with lambda_svc._dynamodb_stream_positions_lock:
        # A mapping that was deleted meanwhile must not come back.
        if mapping["UUID"] in lambda_svc._dynamodb_stream_positions:
            lambda_svc._dynamodb_stream_positions[mapping["UUID"]] = position


def _wake(seconds: float) -> None:
    timer = threading.Timer(seconds, lambda_svc._esm_wake.set)
    timer.daemon = True
    timer.start()
