"""Gap: state is written only when the process ends in order, so that a kill loses all of it.

Items and stream records are committed to SQLite before the request that wrote them is answered, so
no answered write is lost. The state of other services replaces its file within about a second.
While the disk takes nothing, requests that write are refused with 503.
"""

import asyncio
import copy
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ministack import app
from ministack.core import persistence
from ministack.core.responses import AccountRegionScopedDict
from ministack.services import dynamodb, lambda_svc

from local.gaps import expected
from local.gaps.stored_items import Changes, StoredItems

_READS = ("GET", "HEAD", "OPTIONS")
_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 0.6
# Of the time that saving takes, so that a large state does not slow everything down.
_PAUSE_FACTOR = 3
_STORES = (
    *("tags", "ttl_settings", "pitr_settings", "kinesis_destinations", "contributor_insights"),
    *("backups", "resource_policies", "exports", "imports"),
)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def close() -> None:
    if not expected.attribute(persistence, "PERSIST_STATE"):
        return
    serve = expected.function(app, "app", "scope", "receive", "send")
    services = expected.function(app, "_build_persistence_save_dict")
    _write_code_once()
    items = StoredItems(Path(persistence.STATE_DIR) / "items.sqlite")
    items.watch()
    _store_items_apart(items)
    keeper = Keeper(services, items)

    async def served(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            keeper.start()
            await serve(scope, keeper.stopping(receive), send)
        elif scope["type"] != "http" or scope["method"] in _READS:
            await serve(scope, receive, send)
        elif keeper.problem:
            for message in _refusal(keeper.problem):
                await send(message)
        else:
            try:
                await serve(scope, receive, keeper.committing(send))
            finally:
                keeper.changed.set()

    app.app = served


def _store_items_apart(items: StoredItems) -> None:
    """Store items and stream records in SQLite, and leave them out of the file of DynamoDB."""
    known = expected.function(dynamodb, "get_state")()
    load = expected.function(dynamodb, "load_persisted_state", "data")
    for name in ("_INDEX_MEMBERS", "_stream_records", "_stream_trimmed", "_items_replaced"):
        expected.attribute(dynamodb, name)
    if known.keys() != {"tables", *_STORES}:
        raise expected.GapMismatch(f"DynamoDB's state has {sorted(known)}")

    def get_state() -> dict[str, Any]:
        tables = AccountRegionScopedDict()
        for place, table in dynamodb._tables.all_items():
            apart = {dynamodb._INDEX_MEMBERS, "items"}
            settings = {name: value for name, value in table.items() if name not in apart}
            tables.set_scoped(*place, {**copy.deepcopy(settings), "items": {}})
        stores = {name: copy.deepcopy(getattr(dynamodb, f"_{name}")) for name in _STORES}
        return {
            "tables": tables,
            **stores,
            "stream_trimmed": copy.deepcopy(dynamodb._stream_trimmed),
        }

    def load_persisted_state(data: dict[str, Any]) -> None:
        load(data)
        dynamodb._stream_trimmed.update(data.get("stream_trimmed", {}))
        items.load()

    dynamodb.get_state = get_state
    dynamodb.load_persisted_state = load_persisted_state


def _refusal(problem: str) -> list[Message]:
    text = f"The local cloud cannot store its state: {problem}. Free space; it retries by itself."
    body = json.dumps({"__type": "ServiceUnavailable", "message": text}).encode()
    headers = [(b"content-type", b"application/json")]
    return [
        {"type": "http.response.start", "status": 503, "headers": headers},
        {"type": "http.response.body", "body": body},
    ]


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
    """Writes what has changed, in the background. `problem` says why it cannot, None if it can."""

    def __init__(
        self, services: Callable[[], dict[str, Callable[[], Any]]], items: StoredItems
    ) -> None:
        expected.function(persistence, "_state_format_version", "service")
        expected.function(persistence, "_json_default", "obj")
        self.changed = asyncio.Event()
        self.problem: str | None = None
        self._services = services
        self._items = items
        self._digests: dict[str, bytes] = {}
        self._committing = asyncio.Lock()
        self._saving = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._keep())

    def committing(self, send: Send) -> Send:
        """Send an answer once what its request stored is committed, or the reason why it is not."""
        refused = False

        async def committed(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and not await self._commit():
                refused = True
                for refusal in _refusal(self.problem or "interrupted"):
                    await send(refusal)
            if not refused:
                await send(message)

        return committed

    async def _commit(self, find: Callable[[], Changes] | None = None) -> bool:
        """Write the items of all requests so far: calls that wait meanwhile find none left."""
        async with self._committing:
            changes = (find or self._items.touched)()
            if not any(changes):
                return self.problem is None
            try:
                await asyncio.to_thread(self._items.write, changes)
                return True
            except (OSError, sqlite3.Error) as error:
                self.problem = str(error)
                self.changed.set()
                return False

    def stopping(self, receive: Receive) -> Receive:
        """Write the last changes before ministack shuts down and writes the same files."""

        async def received() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._task:
                async with self._saving:
                    self._task.cancel()
                await self._save()
            return message

        return received

    async def _keep(self) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            started = time.monotonic()
            await self._save()
            pause = _PAUSE_FACTOR * (time.monotonic() - started)
            await asyncio.sleep(min(max(_PAUSE_SECONDS, pause), _LONGEST_PAUSE_SECONDS))

    async def _save(self) -> None:
        async with self._saving:
            try:
                # Positions of stream consumers first: none is stored past the records stored.
                copies = self._copies()
                if await self._commit(self._items.changes):
                    await asyncio.to_thread(self._write, copies)
                    self.problem = None
            except RuntimeError:
                # A thread changed a table at this moment.
                self.changed.set()
            except OSError as error:
                self.problem = str(error)
                self.changed.set()

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
        for service, payload in copies.items():
            version = persistence._state_format_version(service)
            document = {"__ministack_format__": version, "payload": payload}
            content = json.dumps(document, default=persistence._json_default).encode()
            digest = hashlib.sha256(content).digest()
            if self._digests.get(service) != digest:
                _replace(Path(persistence.STATE_DIR) / f"{service}.json", content)
                self._digests[service] = digest


def _replace(file: Path, content: bytes) -> None:
    unfinished = file.with_suffix(".tmp")
    with unfinished.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(file)
