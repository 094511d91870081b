"""DynamoDB Local without botocore, whose work for each call is greater than the engine's own.

Tests that are about what is stored call thousands of times. Those that are about the calls
themselves, signed and retried as in production, use `Dynamo` on a client of boto3.
"""

import json
import threading
from base64 import b64decode, b64encode
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any
from urllib.parse import urlsplit

from tablewright.runtime.errors import Unavailable, from_response
from tablewright.testing.dynamodb_local import Credentials, DynamoDbLocal

REGION = "eu-west-1"
_ATTEMPTS = 4


class Direct:
    """A `Caller` on a database of the engine; each thread has a connection of its own."""

    def __init__(self, engine: DynamoDbLocal, credentials: Credentials) -> None:
        self._host = urlsplit(engine.endpoint).netloc
        # The engine reads from it which database is meant, and looks at no signature.
        scope = f"{credentials['aws_access_key_id']}/20250101/{REGION}/dynamodb/aws4_request"
        self._headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=, Signature=",
        }
        self._own = threading.local()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps(params, default=_base64).encode()
        headers = {**self._headers, "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        for _ in range(_ATTEMPTS):
            status, answer = self._send(body, headers)
            if status < 300:
                return answer
            # An engine that is busy with itself says so; botocore would try again too.
            if status < 500:
                break
        raise from_response(operation, _as_botocore(status, answer))

    def _send(self, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        try:
            return self._exchange(body, headers)
        except (ConnectionResetError, BrokenPipeError, RemoteDisconnected):
            # The engine closes connections that rest. After anything else, a timeout for example,
            # the request may have had its effect, and is not sent again.
            self._own.connection = None
        except (HTTPException, OSError) as error:
            raise Unavailable(str(error)) from error
        try:
            return self._exchange(body, headers)
        except (HTTPException, OSError) as error:
            raise Unavailable(str(error)) from error

    def _exchange(self, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = HTTPConnection(self._host, timeout=60)
        connection.request("POST", "/", body, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read(), object_hook=_bytes)


def _base64(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} cannot be sent to DynamoDB")


def _bytes(parsed: dict[str, Any]) -> dict[str, Any]:
    binary = parsed.get("B")
    return {"B": b64decode(binary)} if isinstance(binary, str) else parsed


def _as_botocore(status: int, answer: dict[str, Any]) -> dict[str, Any]:
    """An error in the form in which botocore gives it."""
    code = str(answer.get("__type", "")).rpartition("#")[2]
    message = answer.get("message", answer.get("Message", ""))
    return {
        "Error": {"Code": code, "Message": message},
        "CancellationReasons": answer.get("CancellationReasons", []),
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
