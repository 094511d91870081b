"""Faults: every one that AWS knows, at every call of it that some work makes.

What AWS can do to a call is one of these: throttle or refuse it (nothing happened), lose the answer
(it happened, nobody knows), or the process dies on either side of it. And what calls the work, a
queue or a stream for example, may do so twice. Each fault strikes each call once, but for reads,
of which it is the same whether they happened; the work is repeated as its caller would, and must
end as it does without faults.
"""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any, TypeVar, overload

from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import StoreError, Throttled, Unavailable
from tablewright.runtime.wire.client import WireClient
from tablewright.testing.differences import difference
from tablewright.testing.edges.calls import AwsCall, Beside, Watcher
from tablewright.testing.injector import Crash, Fault, Injector, kinds_at

World = TypeVar("World")

_RETRIES = 3
# Of all faults the one that leaves most behind which only a further delivery may show.
_TRACE = "crash after"
_TRIALS = 3


class Calls(tuple[AwsCall, ...]):
    """Calls in the order in which they were made; printed, a line for each."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(f"{number}. {call}" for number, call in enumerate(self, 1))


@overload
def survives_every_fault(
    work: Callable[[], object],
    outcome: Callable[[], object],
    *,
    fresh: Callable[[], object] | None = None,
    beside: Sequence[Beside] = (),
    twice: bool = True,
) -> Calls: ...
@overload
def survives_every_fault(
    work: Callable[[World], object],
    outcome: Callable[[], object],
    *,
    fresh: Callable[[], World],
    beside: Sequence[Beside] = (),
    twice: bool = True,
) -> Calls: ...
def survives_every_fault(
    work: Callable[..., object],
    outcome: Callable[[], object],
    *,
    fresh: Callable[[], Any] | None = None,
    beside: Sequence[Beside] = (),
    twice: bool = True,
) -> Calls:
    """Assert that the work, repeated, always ends as it does without faults; gives its calls.

    `outcome` tells what is in the world that the work is done in. `fresh` empties that world; what
    it gives, the work is given, if it takes something. A `Caller` that it gives is an edge too,
    even where nothing of AWS is behind it.

    Every call of AWS is struck, whoever makes it: a `Store`, a client or a resource of boto3, in
    whatever thread. What else is called, a web server for example, is named in `beside`: an object,
    the name of its function, and what that raises.

    Work that fails raises, and is then done again, up to three times. When it has succeeded, also
    after a crash behind each call, it is done once more, as an event is that is delivered twice;
    `twice` is False for what would be another request. Of calls that are made side by side, the
    n-th of an operation on a table is struck, whichever that is.

    Example::

        def work() -> None:
            handler({"Records": [placed]}, context)

        calls = survives_every_fault(work, database.items, fresh=database.empty)
        print(calls)    # 1. dynamodb PutItem on orders, made at shop/orders.py:12
    """
    trials = _Trials(work, outcome, fresh, beside, twice)
    calls = trials.without_faults()
    if not calls:
        raise AssertionError("the work makes no call that a fault could strike")
    for at, call in enumerate(calls):
        for kind in kinds_at(call):
            trials.run(Fault(at, kind), calls)
    return calls


class _Trials:
    """Runs of the same work, each in a fresh world."""

    def __init__(
        self,
        work: Callable[..., object],
        outcome: Callable[[], object],
        fresh: Callable[[], Any] | None,
        beside: Sequence[Beside],
        twice: bool,
    ) -> None:
        self._work = work
        self._takes_world = _takes_one(work)
        self._outcome = outcome
        self._fresh = fresh or (lambda: None)
        self._beside = beside
        self._twice = twice
        self._expected: object = None

    def without_faults(self) -> Calls:
        """What is called when all goes well; keeps how it ends."""
        injector, world = Injector(), self._fresh()
        self._do(world, injector)
        self._expected = self._outcome()
        self._deliver_again(world, "without faults, delivered twice,")
        return Calls(injector.made)

    def run(self, fault: Fault, calls: Calls) -> None:
        """Do the work with a fault, and again as its caller would; compare how it ends."""
        which = f"call {fault.at + 1} of {len(calls)}, {calls[fault.at]}"
        told = f"{fault.kind} at {which}:"
        world, failed = self._meet(fault, calls, told)
        if failed:
            self._repeat(world, f"{told} repeated,")
        self._compare(f"{told} repeated," if failed else told)
        # The others end in the same state, as has just been seen.
        if fault.kind == _TRACE:
            self._deliver_again(world, f"{told} delivered twice,")

    def _meet(self, fault: Fault, calls: Calls, told: str) -> tuple[Any, bool]:
        """A world in which the fault has struck, and whether the work failed of it.

        Work that failed before it, out of time on a machine that is too busy, is tried anew.
        """
        like: Calls | None = calls
        for _ in range(_TRIALS):
            injector, world = Injector(fault, like), self._fresh()
            failed = self._failed(world, injector)
            if injector.struck:
                return world, failed
            if not failed and like is None:
                break
            if not failed:
                like = None  # What has another name in each world is found by its number.
        raise AssertionError(f"{told} the fault did not strike: the work made other calls")

    def _failed(self, world: Any, injector: Injector) -> bool:
        try:
            self._do(world, injector)
        except (Exception, Crash) as error:
            if not _to_be_repeated(error, injector.injected):
                raise
            return True
        return False

    def _deliver_again(self, world: Any, told: str) -> None:
        if self._twice:
            self._repeat(world, told)
            self._compare(told)

    def _repeat(self, world: Any, told: str) -> None:
        last: Exception | None = None
        for _ in range(_RETRIES):
            try:
                self._do(world)
            except (Throttled, Unavailable) as error:
                last = error
            except Exception as error:
                raise AssertionError(f"{told} the work fails: {error!r}") from error
            else:
                return
        raise AssertionError(f"{told} the work fails although nothing fails any more") from last

    def _compare(self, told: str) -> None:
        found = self._outcome()
        if found != self._expected:
            shown = difference(self._expected, found)
            raise AssertionError(f"{told} the work ends otherwise than without faults\n{shown}")

    def _do(self, world: Any, injector: Injector | None = None) -> None:
        if injector is None:
            self._work(*[world] * self._takes_world)
            return
        watcher = Watcher(injector.watch)
        # The clients are watched already.
        if hasattr(world, "call") and not isinstance(world, WireClient | Boto3Client):
            world = watcher.around(world)
        with watcher.everywhere(self._beside):
            self._work(*[world] * self._takes_world)


def _takes_one(work: Callable[..., object]) -> bool:
    """Whether the work has to be given something."""
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        one.kind in positional and one.default is Parameter.empty
        for one in signature(work).parameters.values()
    )


def _to_be_repeated(error: BaseException, injected: BaseException | None) -> bool:
    """Whether an error says that the work may be done again: it is the fault, or came of it."""
    if isinstance(error, Crash | Throttled | Unavailable):
        return True
    cause: BaseException | None = error
    while cause is not None and cause is not injected:
        # An error of ours that is neither says that another attempt would end the same.
        cause = None if isinstance(cause, StoreError) else cause.__cause__ or cause.__context__
    return cause is not None
