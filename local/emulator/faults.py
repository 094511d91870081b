"""Faults on demand: what is to fail, and until when. The server reads it with each request."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from local.emulator.connection import Connection
from local.emulator.home import Home, LocalCloudError
from local.names import function_names, table_names, the_one

KINDS = ("fail", "timeout", "throttle", "region", "replication")
# Of these the target is a region; of the others a table or a function.
OF_REGIONS = ("region", "replication")
_DURATION = re.compile(r"(\d+)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class Fault:
    kind: str
    target: str
    until: float

    def __str__(self) -> str:
        left = max(0, round(self.until - time.time()))
        return f"{self.kind} {self.target} for another {left} s"


class Faults:
    """The faults of one cloud.

    Example::

        Faults(home).add("throttle", "sales-table", seconds=60)
    """

    def __init__(self, home: Home, now: Callable[[], float] = time.time) -> None:
        self._home = home
        self._now = now

    def add(self, kind: str, target: str, *, seconds: int) -> Fault:
        fault = Fault(kind, target, self._now() + seconds)
        others = [f for f in self.active() if (f.kind, f.target) != (kind, target)]
        self._write([*others, fault])
        return fault

    def clear(self) -> int:
        """End all of them; gives how many there were."""
        count = len(self.active())
        self._write([])
        return count

    def active(self) -> list[Fault]:
        try:
            listed = [Fault(**entry) for entry in json.loads(self._home.faults.read_text())]
        except FileNotFoundError:
            return []
        return [fault for fault in listed if fault.until > self._now()]

    def _write(self, faults: list[Fault]) -> None:
        text = json.dumps([asdict(fault) for fault in faults])
        self._home.write_private(self._home.faults, text)


def seconds_of(text: str) -> int:
    """The length of `60s`, `5m` or `1h`; of a bare number, in seconds."""
    match = _DURATION.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise LocalCloudError(f"'{text}' is not a length of time. Give one like 60s, 5m or 1h")
    return int(match[1]) * _SECONDS[match[2]]


def target_of(connection: Connection, kind: str, part: str) -> str:
    """The region, or the one table or function whose name has `part` in it."""
    if kind in OF_REGIONS:
        return part
    names = table_names(connection) if kind == "throttle" else function_names(connection)
    return the_one(part, names, "table" if kind == "throttle" else "function")
