"""A store on an event loop: another transport, and not a line of another store."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import get_ident
from typing import Any, TypeVar

import greenlet  # type: ignore[import-untyped]

import tablewright.runtime.store
from tablewright.runtime.aws import Caller
from tablewright.runtime.parallel import Begun
from tablewright.runtime.retry import Backoff
from tablewright.runtime.transport import Transport
from tablewright.testing import Database
from tests.integration.runtime.store.conftest import DRESS, Order, Orders, order, pages

Element = TypeVar("Element")
Result = TypeVar("Result")


def awaited(coming: Awaitable[Result]) -> Result:
    """Give way to the event loop until it has this."""
    result: Result = greenlet.getcurrent().parent.switch(coming)
    return result


async def run(work: Callable[[], Result]) -> Result:
    """Plain code that gives way wherever it waits."""
    running = greenlet.greenlet(work)
    coming: Any = running.switch()
    while not running.dead:
        try:
            result = await coming
        except Exception as error:
            coming = running.throw(error)
        else:
            coming = running.switch(result)
    done: Result = coming
    return done


class Task(Begun[Result]):
    def __init__(self, work: Callable[[], Result]) -> None:
        self._task = asyncio.ensure_future(run(work))

    def result(self) -> Result:
        return awaited(self._task)

    def settle(self) -> None:
        self._task.cancel()


class Pauses(Backoff):
    def sleep(self, seconds: float) -> None:
        awaited(asyncio.sleep(seconds))


class OnLoop(Transport):
    """Calls are awaited, what is done side by side are tasks of one thread."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller, backoff=Pauses(first=0.001))
        self.thread = get_ident()
        self.flying = self.most = self.calls = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Gives way to others until it is answered."""
        assert get_ident() == self.thread
        return awaited(self._answered(operation, params))

    async def _answered(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            return await asyncio.to_thread(super().call, operation, params)
        finally:
            self.flying -= 1

    def in_parallel(
        self, work: Callable[[Element], Result], elements: Iterable[Element]
    ) -> list[Result]:
        async def all_of_them() -> list[Result]:
            return await asyncio.gather(*(run(lambda e=e: work(e)) for e in elements))  # type: ignore[misc]

        return awaited(all_of_them())

    def begin(self, work: Callable[[], Result]) -> Task[Result]:
        return Task(work)


class HalfDone:
    """Leaves some of every batch undone at first."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.refused = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation == "BatchWriteItem" and len(params["RequestItems"]["orders"]) > 20:
            self.refused += 1
            late = params["RequestItems"]["orders"][20:]
            now = {"RequestItems": {"orders": params["RequestItems"]["orders"][:20]}}
            return {**self._caller.call(operation, now), "UnprocessedItems": {"orders": late}}
        return self._caller.call(operation, params)


def test_the_same_store_runs_on_an_event_loop(orders: Database) -> None:
    edge = HalfDone(orders.caller)
    made = [order(number) for number in range(120)]

    async def main() -> tuple[list[Order], list[Order], int, OnLoop]:
        transport = OnLoop(edge)
        store = orders.store(Orders, transport)

        def work() -> tuple[list[Order], list[Order], int]:
            store.put_many(Orders.load, made)
            paged = pages(store, Orders.of_kind, DRESS, 7)
            return (
                paged,
                list(store.each(Orders.of_kind, DRESS)),
                store.count(Orders.of_kind, DRESS),
            )

        return *await run(work), transport

    # In a thread of its own: a browser of other tests has a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        paged, listed, counted, transport = thread.submit(asyncio.run, main()).result()
    expected = list(orders.store(Orders).each(Orders.of_kind, DRESS))
    assert len(expected) == 120
    assert paged == listed == expected
    assert counted == 120
    assert edge.refused == 4
    # Shards, batches and pages were under way together, on the one thread of the loop.
    assert transport.most > 4
    assert transport.flying == 0


OUTSIDE = {"asyncio", "concurrent", "queue", "select", "socket", "threading", "time", "boto3"}


def test_the_store_knows_no_threads_sockets_or_waits() -> None:
    for path in Path(tablewright.runtime.store.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            assert not {name.split(".")[0] for name in names} & OUTSIDE, path.name
            assert "tablewright.runtime.retry" not in names, path.name
