"""Notes which operations of DynamoDB were called on what."""

from typing import Any

from tablewright.runtime.aws import Caller


class Recorder:
    """Passes calls on; `calls` has each action with the index it named, None for the table."""

    def __init__(self, caller: Caller, calls: set[tuple[str, str | None]]) -> None:
        self._caller = caller
        self.calls = calls

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.add((operation, params.get("IndexName")))
        return self._caller.call(operation, params)
