"""Shared engine: one DynamoDB Local for all processes of a run, as pytest-xdist has them.

Its databases are told apart by access keys, so processes do not meet; and Java compiles the engine
once instead of once for each of them.
"""

import fcntl
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tablewright.testing.dynamodb_local import DynamoDbLocal


class _Joined(DynamoDbLocal):
    """The engine of another process, which stops it."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def close(self) -> None:
        pass


@contextmanager
def shared_engine(folder: Path) -> Iterator[DynamoDbLocal]:
    """The engine of all processes that name this folder.

    The first one starts it, and stops it when the others are done.
    """
    with (folder / "engine.users").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        engine = _engine(folder)
        try:
            yield engine
        finally:
            if not isinstance(engine, _Joined):
                fcntl.flock(users, fcntl.LOCK_EX)
            engine.close()


def _engine(folder: Path) -> DynamoDbLocal:
    with (folder / "engine.endpoint").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        endpoint = file.read()
        if endpoint and _listens(endpoint):
            return _Joined(endpoint)
        engine = DynamoDbLocal()
        file.truncate(0)
        file.write(engine.endpoint)
        file.flush()
        return engine


def _listens(endpoint: str) -> bool:
    """Not when the process that started it was killed, or is done."""
    address = urlsplit(endpoint)
    try:
        socket.create_connection((address.hostname, address.port), timeout=2).close()
    except OSError:
        return False
    return True
