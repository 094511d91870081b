"""Gap: state is written only when the process ends in order, so that a kill loses all of it.

It is written shortly after each change instead: a kill loses at most the last second or so. What
is written is a copy taken between two requests, and a file is replaced in one step. The code of
functions, which is most of it, is looked at only when it is new.
"""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ministack import app
from ministack.core import persistence
from ministack.services import lambda_svc

from local.gaps import expected

_READS = ("GET", "HEAD", "OPTIONS")
_PAUSE_SECONDS = 0.3
# Of the time that saving takes, so that a large state does not slow everything down.
_PAUSE_FACTOR = 5

Receive = Callable[[], Awaitable[dict[str, Any]]]


def close() -> None:
    if not expected.attribute(persistence, "PERSIST_STATE"):
        return
    serve = expected.function(app, "app", "scope", "receive", "send")
    saved = expected.function(app, "_build_persistence_save_dict")
    _write_code_once()
    keeper = Keeper(saved)
    # It would tell of every file, several times a second.
    logging.getLogger("persistence").setLevel(logging.WARNING)

    async def served(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            keeper.start()
            await serve(scope, keeper.stopping(receive), send)
            return
        try:
            await serve(scope, receive, send)
        finally:
            if scope["type"] == "http" and scope["method"] not in _READS:
                keeper.changed.set()

    app.app = served


def _write_code_once() -> None:
    """Hashing the code of every function takes seconds, in which the cloud answers nothing."""
    write = expected.function(lambda_svc, "_write_code_blob", "code_zip")
    prune = expected.function(lambda_svc, "_prune_orphan_code_blobs", "referenced")
    known: dict[int, tuple[bytes, str]] = {}

    def written(code_zip: bytes) -> str:
        if id(code_zip) not in known:
            # With the code itself, so that nothing else gets its id.
            known[id(code_zip)] = code_zip, write(code_zip)
        return known[id(code_zip)][1]

    def pruned(referenced: set[str]) -> None:
        prune(referenced)
        for id_, (_, name) in list(known.items()):
            if name not in referenced:
                del known[id_]

    lambda_svc._write_code_blob = written
    lambda_svc._prune_orphan_code_blobs = pruned


class Keeper:
    """Writes the state of the services that have changed, in the background."""

    def __init__(self, services: Callable[[], dict[str, Callable[[], Any]]]) -> None:
        expected.function(persistence, "save_state", "service", "data")
        expected.function(persistence, "_json_default", "obj")
        self.changed = asyncio.Event()
        self._services = services
        self._written: dict[str, bytes] = {}
        self._writing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._keep())

    def stopping(self, receive: Receive) -> Receive:
        """Ends the keeping before ministack, told to shut down, writes the same files itself."""

        async def received() -> dict[str, Any]:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._task:
                async with self._writing:
                    self._task.cancel()
            return message

        return received

    async def _keep(self) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            started = time.monotonic()
            async with self._writing:
                await asyncio.to_thread(self._write, self._copies())
            took = time.monotonic() - started
            await asyncio.sleep(max(_PAUSE_SECONDS, took * _PAUSE_FACTOR))

    def _copies(self) -> dict[str, Any]:
        copies = {}
        for name, state in self._services().items():
            try:
                copies[name] = state()
            except RuntimeError:
                # A thread of the service was changing it at this moment.
                self.changed.set()
        return {name: copy for name, copy in copies.items() if copy is not None}

    def _write(self, copies: dict[str, Any]) -> None:
        for name, copy in copies.items():
            text = json.dumps(copy, default=persistence._json_default)
            digest = hashlib.sha256(text.encode()).digest()
            if self._written.get(name) != digest:
                persistence.save_state(name, copy)
                self._written[name] = digest
