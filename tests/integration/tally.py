"""Tally of what functions call: units of tables, and requests of other services."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from threading import Lock
from typing import Any

import pytest

from tablewright.model import Design, Table
from tablewright.pages.metering import FaithfulMeter
from tablewright.runtime.boto3_client import Boto3Client


class _Edge:
    """A client as it was before it was watched."""

    def __init__(self, client: Boto3Client, call: Any) -> None:
        self._client = client
        self._call = call

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._call(self._client, operation, params)
        return answer


class Tally:
    """Read and write units by table, and calls by service and operation."""

    def __init__(self, tables: Mapping[str, type[Table]]) -> None:
        self._designs: dict[str, Design] = {n: one.__design__ for n, one in tables.items()}
        self._lock = Lock()
        self.reset()

    def reset(self) -> None:
        self.calls: Counter[str] = Counter()
        self.units: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(), Decimal()])

    def read(self, table: str) -> Decimal:
        return self.units[table][0]

    def written(self, table: str) -> Decimal:
        return self.units[table][1]

    def other_calls(self) -> dict[str, int]:
        """Calls of functions, and of other services than DynamoDB."""
        tables = tuple(f"{name}:" for name in self._designs)
        return {name: n for name, n in self.calls.items() if not name.startswith(tables)}

    @contextmanager
    def watching(self) -> Iterator["Tally"]:
        plain = Boto3Client.call

        def watched(client: Boto3Client, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            edge = _Edge(client, plain)
            service = client.client.meta.service_model.service_name
            if service != "dynamodb":
                with self._lock:
                    self.calls[f"{service}:{operation}"] += 1
                return edge.call(operation, params)
            table = _table(params)
            meter = FaithfulMeter(edge, self._designs[table])
            answer = meter.call(operation, params)
            with self._lock:
                self.calls[f"{table}:{operation}"] += 1
                found = self.units[table]
                found[0] += meter.read_units
                found[1] += meter.write_units
            return answer

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Boto3Client, "call", watched)
            yield self


def _table(params: dict[str, Any]) -> str:
    """The one table of a request."""
    if "TransactItems" in params:
        names = {next(iter(one.values()))["TableName"] for one in params["TransactItems"]}
    elif "Statements" in params:
        texts = (one["Statement"] for one in params["Statements"])
        names = {re.findall(r'INSERT INTO "([^"]+)"', text)[0] for text in texts}
    elif "RequestItems" in params:
        names = set(params["RequestItems"])
    else:
        names = {params["TableName"]}
    (name,) = names
    return str(name)
