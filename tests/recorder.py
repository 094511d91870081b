"""Records which DynamoDB actions were called on what, to compare with what a role may call."""

from typing import Any

from tablewright.runtime.dynamo import Caller

# What IAM calls an operation that it knows by another name.
_ACTIONS = {"BatchExecuteStatement": "PartiQLInsert"}


class Recorder:
    """Passes calls on; `calls` has each action with the index it named, None for the table."""

    def __init__(self, caller: Caller, calls: set[tuple[str, str | None]]) -> None:
        self._caller = caller
        self.calls = calls

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.add((_ACTIONS.get(operation, operation), params.get("IndexName")))
        return self._caller.call(operation, params)
