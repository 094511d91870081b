"""Transport: the one way that the store's logic has to the world outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, TypeVar

from tablewright.model.arguments import described
from tablewright.runtime import parallel
from tablewright.runtime.aws import Caller, connect, own_session
from tablewright.runtime.retry import Backoff

Element = TypeVar("Element")
Result = TypeVar("Result")


class Transport:
    """Makes a store's calls, some of them side by side, and waits between attempts.

    Nothing else of a store knows threads, sockets or the clock's passing: one that is to run on
    other means, such as an event loop, needs another transport and no more.

    Example::

        store = Store(Orders, "dev-orders", Transport(client, backoff=Backoff(attempts=3)))
    """

    def __init__(self, client: Any = None, *, backoff: Backoff | None = None) -> None:
        """`client` is a `Caller`, or a session or a client of boto3; without one, calls are made
        with this process's own session. `backoff` says how often and after which pauses what
        DynamoDB left undone is tried again."""
        self._caller = _caller(client)
        self._backoff = backoff or Backoff()

    @classmethod
    def to(cls, client: Any) -> Transport:
        """A transport as it is, or one for a client."""
        return client if isinstance(client, Transport) else cls(client)

    def with_client(self, client: Any) -> Transport:
        """A transport that waits and runs work as this one does, for another client."""
        if isinstance(client, Transport):
            return client
        transport = copy(self)
        transport._caller = _caller(client)
        return transport

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out an operation; raises StoreError."""
        # Looked up for each call: whoever watches a client's class sees stores made before.
        return self._caller.call(operation, params)

    def attempts(self) -> Iterator[int]:
        """One attempt after another, with a wait in between, as long as there may be one."""
        return iter(self._backoff)

    def in_parallel(
        self, work: Callable[[Element], Result], elements: Iterable[Element]
    ) -> list[Result]:
        """The results in order; when one fails, nothing is left running."""
        return parallel.in_parallel(work, elements)

    def begin(self, work: Callable[[], Result]) -> parallel.Begun[Result]:
        """Work that goes on beside what asked for it."""
        return parallel.Begun(work)


def _caller(client: Any) -> Caller:
    if hasattr(client, "call"):
        return client  # type: ignore[no-any-return]
    if client is None or callable(getattr(client, "client", None)):
        return connect(client or own_session(), "dynamodb")
    if "put_item" not in getattr(getattr(client, "meta", None), "method_to_api_mapping", ()):
        expected = "a session or a client of boto3 (of a resource: resource.meta.client)"
        raise TypeError(f"client must be {expected} for DynamoDB, not {described(client)}")
    from tablewright.runtime.boto3_client import Boto3Client

    return Boto3Client(client)
