"""Reads through DAX while it answers, and past it while it does not."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from botocore.config import Config
from botocore.exceptions import ClientError

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import from_response

log = logging.getLogger(__name__)

_METHODS = {"BatchGetItem": "batch_get_item", "GetItem": "get_item", "Query": "query"}
# DynamoDB's own answers, passed on: asked directly, it would say the same.
_ANSWERS = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ResourceNotFoundException",
        "ValidationException",
    }
)


def connect(endpoint: str) -> Any:
    """A client of the cluster that would rather fail than keep a reader waiting."""
    # Slow to import, and only in the bundles of functions that read through DAX.
    from amazondax import AmazonDaxClient  # type: ignore[import-not-found]

    config = Config(
        connect_timeout=1,
        read_timeout=1,
        retries={"max_attempts": 1},
    )
    return AmazonDaxClient(endpoint_url=endpoint, config=config)


class Accelerated:
    """A `Caller` whose eventually consistent reads go to DAX, and all else to DynamoDB.

    When the cluster does not answer, DynamoDB does, for that call and for `pause` seconds more.

    Example::

        caller = Accelerated(Boto3Client(client), "daxs://cluster.example.com")
        store = Store(Sales, "dev-sales", caller)
    """

    def __init__(
        self,
        direct: Caller,
        endpoint: str,
        *,
        pause: float = 30.0,
        connect: Callable[[str], Any] = connect,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._direct = direct
        self._endpoint = endpoint
        self._pause = pause
        self._connect = connect
        self._clock = clock
        self._client: Any = None
        self._left_alone_until = float("-inf")
        self._lock = threading.Lock()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, through DAX where it can be read there."""
        client = self._connected() if _may_be_old(operation, params) else None
        if client is not None:
            try:
                answer: dict[str, Any] = getattr(client, _METHODS[operation])(**params)
                return answer
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in _ANSWERS:
                    raise from_response(operation, error.response) from error
                self._leave_alone(error)
            # Its client lets errors of sockets, TLS and its own decoder through as they are.
            except Exception as error:
                self._leave_alone(error)
        return self._direct.call(operation, params)

    def _connected(self) -> Any:
        """The cluster's client; None while the cluster is left alone."""
        if self._is_left_alone():
            return None
        # One thread connects; the others wait for what comes of it.
        with self._lock:
            if self._client is None and not self._is_left_alone():
                try:
                    self._client = self._connect(self._endpoint)
                except Exception as error:
                    self._leave_alone(error)
        return self._client

    def _is_left_alone(self) -> bool:
        return self._clock() < self._left_alone_until

    def _leave_alone(self, error: Exception) -> None:
        self._left_alone_until = self._clock() + self._pause
        log.warning("DAX does not answer, so DynamoDB does for %s s: %s", self._pause, error)


def _may_be_old(operation: str, params: dict[str, Any]) -> bool:
    if operation not in _METHODS:
        return False
    if operation == "BatchGetItem":
        return not any(part.get("ConsistentRead") for part in params["RequestItems"].values())
    return not params.get("ConsistentRead")
