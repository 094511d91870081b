"""Edge to AWS: one call to any of its services, within the time there is, with typed errors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from tablewright.runtime import fastpath
from tablewright.runtime.deadline import seconds_left
from tablewright.runtime.errors import NOT_SENT, OutOfTime, from_failure, from_response

Answer = TypeVar("Answer")


class Caller(Protocol):
    """Whatever can carry out an operation of AWS: the seam for meters and fault injectors."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises StoreError."""
        ...


# Connections that one client keeps: enough for a query of all shards beside a hydration.
POOL_SIZE = 24


# Between two attempts, in botocore's standard mode; how many there are where nobody says.
_LONGEST_PAUSE = 20
_USUAL_ATTEMPTS = 3


def client_config(**overrides: Any) -> Config:
    """How clients are set up: bounded waits, standard retries, room for parallel shard reads.

    A call that is never answered is given up after three attempts, within 21 seconds.

    Example::

        boto3.client("dynamodb", config=client_config(read_timeout=2))
    """
    settings: dict[str, Any] = {
        "max_pool_connections": POOL_SIZE,
        "retries": {"mode": "standard", "total_max_attempts": 3},
        "connect_timeout": 2,
        "read_timeout": 4,
        "tcp_keepalive": True,
        # The design has checked what it sends; DynamoDB checks it again.
        "parameter_validation": False,
    }
    return Config(**{**settings, **overrides})


def connect(
    session: Any,
    service: str,
    *,
    region: str | None = None,
    endpoint_url: str | None = None,
    **settings: Any,
) -> Client:
    """A client of a service, by its name in boto3; `settings` are of botocore's Config.

    Example::

        queue = Queue(connect(boto3.session.Session(), "sqs"), url)
    """
    place = {"endpoint_url": endpoint_url} if endpoint_url else {}
    config = client_config(**settings)
    client = session.client(service, region_name=region, config=config, **place)
    return Dynamo(client) if service == "dynamodb" else Client(client)


class Client:
    """A boto3 client behind `Caller`, of any service."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._methods: dict[str, Callable[..., dict[str, Any]]] = {
            operation: getattr(client, method)
            for method, operation in client.meta.method_to_api_mapping.items()
        }
        config = client.meta.config
        # With the longest pause before the next, in which nothing looks at the time.
        attempts = (config.retries or {}).get("total_max_attempts", _USUAL_ATTEMPTS)
        pause = min(int(2.0 ** (attempts - 2)), _LONGEST_PAUSE)
        self._attempt_seconds = config.connect_timeout + config.read_timeout + pause
        # Sent for every attempt, so that retries end in time too.
        client.meta.events.register("before-send", self._check_time, unique_id="tablewright-time")
        # Told of every attempt: the last of them alone does not say whether one was sent.
        client.meta.events.register("needs-retry", self._note, unique_id="tablewright-sent")
        self._attempts = threading.local()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, by its name in the service's API; raises StoreError."""
        return self._typed(operation, lambda: self._methods[operation](**params))

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        """An address that lets its holder make this call for so many seconds."""
        return self._typed(
            method, lambda: str(self.client.generate_presigned_url(method, params, seconds))
        )

    def _typed(self, operation: str, work: Callable[[], Answer]) -> Answer:
        self._attempts.sent = False
        try:
            return work()
        except ClientError as error:
            raise from_response(operation, error.response) from error
        except (BotoCoreError, ResponseParserError) as error:
            raise from_failure(operation, error, sent=self._attempts.sent) from error

    def _note(self, caught_exception: Exception | None = None, **_: Any) -> None:
        if not isinstance(caught_exception, NOT_SENT):
            self._attempts.sent = True

    def _check_time(self, **_: Any) -> None:
        if seconds_left() < self._attempt_seconds:
            raise OutOfTime("the invocation has no time left for another call")


class Dynamo(Client):
    """A boto3 DynamoDB client behind `Caller`, on the fast path where that can be had."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.fast = fastpath.install(client)
