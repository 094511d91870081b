"""A database as a command finds it, and commands that are killed."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from local.dynamodb_local import DynamoDbLocal
from tablewright.commands import segments
from tablewright.runtime.aws import Dynamo
from tablewright.testing.faults import Crash
from tests.integration.conftest import Database


@pytest.fixture
def environment(
    database: Database, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> dict[str, str]:  # fmt: skip
    """The database and an empty folder, as a command finds them."""
    credentials = database._credentials
    variables = {
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_local.endpoint,
        "AWS_ACCESS_KEY_ID": credentials["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": credentials["aws_secret_access_key"],
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return variables


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
    connection = segments.connect(Namespace(region="eu-west-1", endpoint_url=None))
    monkeypatch.setattr(segments, "connect", lambda options: connection)
    call = Dynamo.call
    for kill in range(1, 200):
        again()
        numbers = count(1)

        def dies(
            self: Dynamo,
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

        monkeypatch.setattr(Dynamo, "call", dies)
        try:
            command()
            return
        except Crash:
            monkeypatch.setattr(Dynamo, "call", call)
        yield kill
    raise AssertionError("the command does not end")
