"""Injector: what AWS can do to one call, done to it, in the errors of whoever makes the call."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, get_args

from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError, Throttled, Unavailable, Unreachable
from tablewright.testing.edges.calls import AwsCall, Params, Proceed, Watcher

Kind = Literal["throttled", "refused", "answer lost", "crash before", "crash after", "unreachable"]
# Those that strike every call. Unreachable is another word for refused, to who asks elsewhere then.
KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "unreachable")
_AFTER = ("answer lost", "crash after")
# What leaves nothing behind, in the services that functions mostly call.
_READS = frozenset(
    {
        *("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable"),
        *("GetObject", "HeadObject", "ListObjectsV2", "GetSecretValue", "GetParameter"),
    }
)


class Crash(BaseException):
    """The process died: nothing in it, not even its error handling, runs any further."""


@dataclass(frozen=True)
class Fault:
    """What happens to call number `at`, which counts from 0."""

    at: int
    kind: Kind

    def raised(self, call: AwsCall) -> BaseException:
        """What the call raises: that which users of its edge would see."""
        if self.kind.startswith("crash"):
            return Crash()
        if call.edge == "other":
            other: Exception = call.source
            return other
        return (_of_boto3 if call.edge == "boto3" else _of_ours)(self.kind, call)


class Injector:
    """Passes calls on until the faulty one, and keeps which were made.

    Calls that are made side by side come in any order. One that is to meet the fault `like` another
    is known by its service, operation and target, and by how many such were before it.
    """

    def __init__(self, fault: Fault | None = None, like: Sequence[AwsCall] | None = None) -> None:
        self._fault = fault
        self._like = _identity(like, fault.at) if like and fault else None
        self._lock = Lock()
        self._met: Counter[tuple[str, str, str]] = Counter()
        self.made: list[AwsCall] = []
        self.injected: BaseException | None = None

    @property
    def struck(self) -> bool:
        """Whether a call has met the fault."""
        return self.injected is not None

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return len(self.made)

    def watch(self, call: AwsCall, proceed: Proceed) -> Any:
        """Carry out a call, unless it is its turn to fail."""
        fault = self._fault if self._is_next(call) else None
        if fault is None:
            return proceed(call.operation, call.params)
        if fault.kind in _AFTER:
            # The answer that is lost may be that a condition is not met.
            with suppress(Exception):
                proceed(call.operation, call.params)
        self.injected = fault.raised(call)
        raise self.injected

    def _is_next(self, call: AwsCall) -> bool:
        with self._lock:
            number, kind = len(self.made), _kind(call)
            before = self._met[kind]
            self.made.append(call)
            self._met[kind] += 1
            if self._fault is None or self.struck:
                return False
            return (kind, before) == self._like if self._like else number == self._fault.at


class Faulty:
    """A `Caller` with one fault ahead of it, for a test of what exactly happens then.

    Example::

        store = Store(Orders, "orders", Faulty(Boto3Client(client), Fault(0, "answer lost")))
    """

    def __init__(self, caller: Caller, fault: Fault | None = None) -> None:
        self._injector = Injector(fault)
        self._caller = Watcher(self._injector.watch).around(caller)

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return self._injector.calls

    @property
    def struck(self) -> bool:
        """Whether the fault was met."""
        return self._injector.struck

    def call(self, operation: str, params: Params) -> Params:
        """Carry out the operation, unless it is this call's turn to fail."""
        return self._caller.call(operation, params)


def kinds_at(call: AwsCall) -> tuple[Kind, ...]:
    """The faults that can strike a call, without those that nobody could tell from another.

    A read leaves nothing behind: a crash before it is one after it, and where its lost answer
    raises what a refusal does, that is one too. An edge that is not of AWS raises one error.
    """
    same: set[Kind] = set()
    if call.operation in _READS and call.edge != "other":
        same.add("crash before")
        if call.edge == "wire":
            same.add("answer lost")
    if call.edge == "other":
        same.add("throttled")
    return tuple(kind for kind in KINDS if kind not in same)


def _kind(call: AwsCall) -> tuple[str, str, str]:
    return call.service, call.operation, call.target


def _identity(calls: Sequence[AwsCall], at: int) -> tuple[tuple[str, str, str], int]:
    kind = _kind(calls[at])
    return kind, sum(_kind(call) == kind for call in calls[:at])


def _of_ours(kind: Kind, call: AwsCall) -> Exception:
    types: dict[str, type[StoreError]] = {"throttled": Throttled, "unreachable": Unreachable}
    return types.get(kind, Unavailable)(f"{call.operation}: injected: {kind}")


def _of_boto3(kind: Kind, call: AwsCall) -> Exception:
    """What botocore raises when its own attempts are used up."""
    client = call.source
    if kind == "unreachable":
        unreachable: Exception = EndpointConnectionError(endpoint_url=client.meta.endpoint_url)
        return unreachable
    if kind == "answer lost":
        lost: Exception = ReadTimeoutError(endpoint_url=client.meta.endpoint_url)
        return lost
    if kind == "refused":
        code, status = "ServiceUnavailable", 503
    elif call.service == "s3":
        code, status = "SlowDown", 503
    else:
        code, status = "ThrottlingException", 400
    response: Any = {
        "Error": {"Code": code, "Message": f"injected: {kind}"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    raised: Exception = client.exceptions.from_code(code)(response, call.operation)
    return raised
