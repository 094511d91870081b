"""A database as a command finds it, and commands that are killed."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tablewright.commands.items import segments
from tablewright.runtime.wire.client import WireClient
from tablewright.testing import Crash, Database


@pytest.fixture
def environment(
    dynamodb: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> dict[str, str]:
    """The database and an empty folder, as a command finds them."""
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return dynamodb.environment


def killed_at_each_call(
    monkeypatch: pytest.MonkeyPatch,
    effect: str,
    again: Callable[[], Any],
    command: Callable[[], int],
) -> Iterator[int]:
    """Begin `again`, kill the command at its first call, at its second, until it needs no more.

    `effect` tells whether the call that it is killed at takes place: "before" (no) or "after".
    """
    # One connection for all: to make one takes longer than the command does.
    connection = segments.patient_caller(Namespace(region="eu-west-1", endpoint_url=None))
    monkeypatch.setattr(segments, "patient_caller", lambda options: connection)
    call = WireClient.call
    for kill in range(1, 200):
        again()
        numbers = count(1)

        def dies(
            self: WireClient,
            operation: str,
            params: dict[str, Any],
            kill: int = kill,
            numbers: Iterator[int] = numbers,
        ) -> dict[str, Any]:
            number = next(numbers)
            if number == kill and effect == "before":
                raise Crash
            answer = call(self, operation, params)
            if number == kill:
                raise Crash
            return answer

        monkeypatch.setattr(WireClient, "call", dies)
        try:
            command()
            return
        except Crash:
            monkeypatch.setattr(WireClient, "call", call)
        yield kill
    raise AssertionError("the command does not end")
