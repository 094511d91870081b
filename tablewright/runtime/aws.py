"""The edge: one call to AWS, in its wire types, with typed errors."""

from collections.abc import Callable
from typing import Any, Protocol

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from tablewright.runtime import fastpath
from tablewright.runtime.errors import StoreError, Unavailable, from_response


class Caller(Protocol):
    """Whatever can carry out an operation of AWS: the seam for meters and fault injectors."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises StoreError."""
        ...


# Connections that one client keeps: enough for a query of all shards beside a hydration.
POOL_SIZE = 24


def client_config(**overrides: Any) -> Config:
    """How clients are set up: bounded waits, standard retries, room for parallel shard reads."""
    settings: dict[str, Any] = {
        "max_pool_connections": POOL_SIZE,
        "retries": {"mode": "standard", "total_max_attempts": 4},
        "connect_timeout": 2,
        "read_timeout": 8,
        "tcp_keepalive": True,
        # The design has checked what it sends; DynamoDB checks it again.
        "parameter_validation": False,
    }
    return Config(**{**settings, **overrides})


class Client:
    """A boto3 client behind `Caller`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._methods: dict[str, Callable[..., dict[str, Any]]] = {
            operation: getattr(client, method)
            for method, operation in client.meta.method_to_api_mapping.items()
        }

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._methods[operation](**params)
        except ClientError as error:
            raise from_response(operation, error.response) from error
        except (HTTPClientError, NoConnection) as error:
            raise Unavailable(f"{operation}: {error}") from error
        except BotoCoreError as error:
            raise StoreError(f"{operation}: {error}") from error


class Dynamo(Client):
    """A boto3 DynamoDB client behind `Caller`, on the fast path where that can be had."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.fast = fastpath.install(client)
