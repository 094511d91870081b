"""Calls of AWS, seen where they leave the program: over our wire client, or over boto3's.

Whatever makes a call of AWS in Python does it by one of the two: a `Store`, a client or resource of
boto3, Powertools. Both are watched at their class, so nothing has to be handed over.
"""

import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

import boto3
import botocore
from botocore.client import BaseClient

import tablewright
from tablewright.runtime.aws import Caller
from tablewright.runtime.wire.client import WireClient
from tablewright.testing.edges.requests import target

Params = dict[str, Any]
# Carries out a call of the same client: an operation, with its parameters.
Proceed = Callable[[str, Params], Any]
# An edge that is not of AWS: where its function is, its name, and what it raises.
Beside = tuple[Any, str, Exception]
# Where a function is, its name, and what takes its place.
Edge = tuple[Any, str, Callable[..., Any]]

_INNER = tuple(
    f"{Path(module.__file__ or '').parent}/" for module in (tablewright, botocore, boto3)
)
_STANDARD = sysconfig.get_path("stdlib")
_KIT = f"{Path(__file__).parents[1]}/"


@dataclass(frozen=True)
class AwsCall:
    """A call as it leaves the program.

    `place` is the line of the caller's own code that it was made from. `edge` is what made it:
    ``"wire"`` for our client, ``"boto3"``, or ``"other"`` for an edge that is not of AWS.
    """

    service: str
    operation: str
    params: Params = field(repr=False)
    region: str
    place: str
    edge: Literal["wire", "boto3", "other"]
    # The client, or what the other edge raises.
    source: Any = field(default=None, repr=False, compare=False)

    @property
    def target(self) -> str:
        """The tables, or the queue, topic, bucket and so on; empty where nothing is named."""
        return target(self.service, self.params)

    def __str__(self) -> str:
        where = f" on {self.target}" if self.target else ""
        return f"{self.service} {self.operation}{where}, made at {self.place}"


# Stands between a call and its service: carries it out by the second argument, or does not.
Watch = Callable[[AwsCall, Proceed], Any]


class Watcher:
    """Has calls of AWS go through a `Watch`, those of all threads and clients.

    A call that is made to carry out another one, such as for credentials, is a part of that one.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._inside = threading.local()

    @contextmanager
    def everywhere(self, beside: Sequence[Beside] = ()) -> Iterator[None]:
        """Watch both clients, and what is called beside AWS, until the block ends."""
        edges = (self._wire(), self._boto3(), *(self._other(*one) for one in beside))
        with ExitStack() as patches:
            for where, name, around in edges:
                patches.enter_context(patch.object(where, name, around))
            yield

    def around(self, caller: Caller) -> Caller:
        """A `Caller` that is no client of AWS, one of a test for example, as an edge too."""
        return _Watched(caller, self)

    def see(
        self, call: Callable[[], AwsCall], proceed: Proceed, operation: str, params: Params
    ) -> Any:
        """Carry out a call, by what watches unless it is a part of another."""
        if getattr(self._inside, "one", False):
            return proceed(operation, params)
        self._inside.one = True
        try:
            return self._watch(call(), proceed)
        finally:
            self._inside.one = False

    def _wire(self) -> Edge:
        plain = WireClient.call

        def around(client: WireClient, operation: str, params: Params) -> Any:
            def call() -> AwsCall:
                where = client._signer._scope_parts[0]
                service = client._service.name
                return AwsCall(service, operation, params, where, _place(), "wire", client)

            return self.see(call, partial(plain, client), operation, params)

        return WireClient, "call", around

    def _boto3(self) -> Edge:
        plain = BaseClient._make_api_call

        def around(client: Any, operation: str, params: Params) -> Any:
            def call() -> AwsCall:
                service, where = client.meta.service_model.service_name, client.meta.region_name
                return AwsCall(service, operation, params, where, _place(), "boto3", client)

            return self.see(call, partial(plain, client), operation, params)

        return BaseClient, "_make_api_call", around

    def _other(self, where: Any, name: str, raises: Exception) -> Edge:
        plain = getattr(where, name)

        def around(*args: Any, **kwargs: Any) -> Any:
            def call() -> AwsCall:
                owner = getattr(where, "__name__", type(where).__name__)
                return AwsCall(owner, name, {}, "", _place(), "other", raises)

            return self.see(call, lambda *_: plain(*args, **kwargs), name, {})

        return where, name, around


class _Watched:
    def __init__(self, caller: Caller, watcher: Watcher) -> None:
        self._caller = caller
        self._watcher = watcher

    def call(self, operation: str, params: Params) -> Params:
        def call() -> AwsCall:
            return AwsCall("aws", operation, params, "", _place(), "wire")

        answer: Params = self._watcher.see(call, self._caller.call, operation, params)
        return answer


def _place() -> str:
    """The innermost line outside of clients and Python; in a thread of ours, that of ours."""
    frame = sys._getframe(1)
    ours = "?"
    while frame is not None:
        file = frame.f_code.co_filename
        standard = file.startswith((_STANDARD, "<frozen")) and "site-packages" not in file
        if not standard and not file.startswith(_KIT):
            if not file.startswith(_INNER):
                return f"{_short(file)}:{frame.f_lineno}"
            if ours == "?":
                ours = f"{_short(file)}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ours


def _short(file: str) -> str:
    here = f"{Path.cwd()}/"
    return file.removeprefix(here)
