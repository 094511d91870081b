"""Gap: functions that are not invoked directly, and HTTP APIs, have no metrics to alarm on."""

import time
from typing import Any

from ministack.services import apigateway, cloudwatch, lambda_svc

from local.gaps import expected

_DISPATCH = ("func", "config", "event", "request_id", "started")
_EMIT = ("function_name", "duration_ms", "error", "throttle")
_EXECUTE = ("api_id", "stage", "path", "method", "headers", "body", "query_params")


def close() -> None:
    _measure_functions()
    _measure_apis()


def _measure_functions() -> None:
    emit = expected.function(lambda_svc, "_emit_lambda_metrics", *_EMIT)
    execute = expected.function(lambda_svc, "_execute_function_dispatch", *_DISPATCH)

    def dispatch(
        func: Any, config: dict[str, Any], event: Any, request_id: str, started: float
    ) -> dict[str, Any]:
        result: dict[str, Any] = execute(func, config, event, request_id, started)
        took = (time.time() - started) * 1000
        failed, throttled = bool(result.get("error")), bool(result.get("throttle"))
        emit(config.get("FunctionName", ""), took, failed and not throttled, throttled)
        return result

    def emit_refusals(function_name: str, duration_ms: float, error: bool, throttle: bool) -> None:
        # Those never get as far as being executed; the others are measured above.
        if throttle:
            emit(function_name, duration_ms, error, throttle)

    lambda_svc._execute_function_dispatch = dispatch
    lambda_svc._emit_lambda_metrics = emit_refusals


def _measure_apis() -> None:
    execute = expected.function(apigateway, "handle_execute", *_EXECUTE, "raw_query_string")
    record = expected.function(
        cloudwatch, "record_metric", "namespace", "metric_name", "value", "unit", "dimensions"
    )
    scope_of = expected.attribute(apigateway, "find_api_scope")
    scoped = expected.attribute(apigateway, "request_scope")

    async def handle_execute(api_id: str, *arguments: Any, **options: Any) -> Any:
        started = time.monotonic()
        answer = await execute(api_id, *arguments, **options)
        took = (time.monotonic() - started) * 1000
        scope = scope_of(api_id)
        if scope is not None:
            status, where = answer[0], {"ApiId": api_id}
            with scoped(*scope):
                record("AWS/ApiGateway", "Count", 1, "Count", where)
                record("AWS/ApiGateway", "Latency", took, "Milliseconds", where)
                record("AWS/ApiGateway", "4xx", float(400 <= status < 500), "Count", where)
                record("AWS/ApiGateway", "5xx", float(status >= 500), "Count", where)
        return answer

    apigateway.handle_execute = handle_execute
