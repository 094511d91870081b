"""Refusals: what an error for a wrong call or design must be like, and a client that counts calls.

The oracle is the traceback: an error that the library raises on purpose ends in a `raise` statement
of the library, and one that it lets through ends in any other line.
"""

import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tablewright
from tablewright.model import DesignError, InvalidRecord, InvalidValue
from tablewright.runtime.errors import NotFound

LIBRARY = str(Path(tablewright.__file__).parent)
# Errors of Python's own, for a call with an argument that a function does not have.
SIGNATURE = re.compile(r"(missing \d+ required|unexpected keyword argument|positional argument)")
_BARE = re.compile(r"<function|<class|<generator|object at 0x|<built-in|<bound method")
_KINDS = (TypeError, ValueError, InvalidRecord, InvalidValue, DesignError)


class CountingClient:
    """A `Caller` without items. It counts the calls that reach it."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        if operation == "BatchExecuteStatement":
            return {"Responses": [{} for _ in params["Statements"]]}
        if operation == "TransactGetItems":
            return {"Responses": [{} for _ in params["TransactItems"]]}
        if operation == "UpdateItem":
            raise NotFound("the table is empty")
        return {"Items": [], "Count": 0, "ScannedCount": 0, "Responses": {}}


def raised_by(call: Callable[[], object]) -> Exception | None:
    """The error that a call raises, or None."""
    try:
        call()
    except Exception as error:
        return error
    return None


def complaints(error: Exception) -> list[str]:
    """Everything that makes an error a bad refusal."""
    complaints = []
    message = str(error)
    if not isinstance(error, _KINDS):
        complaints.append(f"is a {type(error).__name__}")
    if not _is_raised_here(error) and not SIGNATURE.search(message):
        complaints.append("is not raised by the library")
    if _BARE.search(message):
        complaints.append("shows a bare repr")
    for sentences in getattr(error, "problems", ()) or (message,):
        if len(re.findall(r"[.!?] [A-Z]", str(sentences))) > 1 or len(str(sentences)) > 300:
            complaints.append("has more than two sentences")
    return [f"{complaint}: {message!r}" for complaint in complaints]


def _is_raised_here(error: Exception) -> bool:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    file = last.tb_frame.f_code.co_filename
    line = linecache.getline(file, last.tb_lineno).strip()
    return file.startswith(LIBRARY) and line.startswith("raise")
