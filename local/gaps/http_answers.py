"""Gap: what an HTTP API makes of two answers of its function.

`"body": null` breaks the connection; it is an empty body, as in the answer to a DELETE. And an
error of the function is told to the client; API Gateway says `Internal Server Error` and no more.
"""

import json
from typing import Any

from ministack.services import lambda_svc

from local.gaps import expected

Answer = tuple[dict[str, Any] | None, str | None]


def close() -> None:
    name = "lambda_execute_result_to_api_proxy_response"
    shape = expected.function(lambda_svc, name, "exec_result")

    def answer(exec_result: dict[str, Any]) -> Answer:
        if exec_result.get("error") and not exec_result.get("throttle"):
            return _INTERNAL_ERROR, None
        shaped, error = shape(exec_result)
        if shaped and shaped.get("body", "") is None:
            shaped = {**shaped, "body": ""}
        return shaped, error

    lambda_svc.lambda_execute_result_to_api_proxy_response = answer


_INTERNAL_ERROR = {
    "statusCode": 500,
    "headers": {"Content-Type": "application/json"},
    "body": json.dumps({"message": "Internal Server Error"}),
}
