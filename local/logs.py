"""Logs of the functions, from their log groups."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from local.emulator.connection import Connection
from local.names import function_names, the_one

POLL_SECONDS = 0.5
_BOILERPLATE = ("START RequestId", "END RequestId")
_REPORT = re.compile(r"REPORT RequestId: \S+\s+Duration: (\S+ ms)")
_LEFT_OUT = frozenset(
    {"level", "message", "timestamp", "service", "location", "xray_trace_id", "stack_trace"}
)


@dataclass(frozen=True)
class Line:
    at: float
    function: str
    text: str

    def __str__(self) -> str:
        moment = datetime.fromtimestamp(self.at, UTC).strftime("%H:%M:%S.%f")[:-3]
        return f"{moment} {self.function}  {self.text}"


class Logs:
    """The logs of all functions, or of the one that is meant.

    Example::

        for line in Logs(connection, function="sales").lines():
            print(line)
    """

    def __init__(self, connection: Connection, function: str | None = None) -> None:
        self._logs = connection.client("logs")
        names = function_names(connection)
        chosen = [the_one(function, names, "function")] if function else names
        functions = connection.client("lambda")
        self._groups = {name: _group(functions, name) for name in chosen}
        self._seen: Counter[str] = Counter()

    def lines(self) -> list[Line]:
        """What was written since the last call, in order."""
        found = [line for name, group in self._groups.items() for line in self._new(name, group)]
        return sorted(found, key=lambda line: line.at)

    def follow(self) -> Iterator[Line]:
        """What is there and what comes, until interrupted."""
        while True:
            yield from self.lines()
            time.sleep(POLL_SECONDS)

    def _new(self, function: str, group: str) -> Iterator[Line]:
        try:
            pages = list(self._logs.get_paginator("filter_log_events").paginate(logGroupName=group))
        except self._logs.exceptions.ResourceNotFoundException:
            return  # nothing was written yet
        place: Counter[str] = Counter()
        for event in (event for page in pages for event in page["events"]):
            stream = event["logStreamName"]
            place[stream] += 1
            # The emulator's events have no id: they are told apart by their place in the stream.
            if place[stream] <= self._seen[stream]:
                continue
            self._seen[stream] = place[stream]
            if not event["message"].startswith(_BOILERPLATE):
                yield Line(event["timestamp"] / 1000, _short(function), readable(event["message"]))


def readable(message: str) -> str:
    """A structured line as a person reads it: level, message, then what belongs to it."""
    if report := _REPORT.match(message):
        return f"        took {report[1]}"
    try:
        fields: Any = json.loads(message)
    except ValueError:
        return message.rstrip()
    if not isinstance(fields, dict) or "message" not in fields:
        return message.rstrip()
    rest = (f"{k}={v}" for k, v in fields.items() if k not in _LEFT_OUT and v is not None)
    return " ".join((f"{fields.get('level', ''):7} {fields['message']}", *rest))


def _group(functions: Any, name: str) -> str:
    found = functions.get_function_configuration(FunctionName=name)
    return str((found.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{name}")


def _short(function: str) -> str:
    """`sales-Api` of `tablewright-local-sales-ApiFunction6BF808ED-643AB6A676080`."""
    parts = function.removeprefix("tablewright-local-").split("-")
    return "-".join(parts[:2]).partition("Function")[0]
