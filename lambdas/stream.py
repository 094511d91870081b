"""Failed records of streams: reported, counted and kept, so that the stream goes on."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from lambdas.contract import RECORDS_KEPT
from lambdas.metrics import count
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.errors import MalformedItem
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.failed_records import FailedRecords

Failed = Callable[[Change, Exception], Any]


@cache
def failed_records() -> FailedRecords:
    # Made when it is needed: seldom, and not while the function starts.
    s3 = connect(own_session(), "s3")
    function = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
    return FailedRecords(s3, os.environ["FAILURES_BUCKET"], function)


def keep_failed(event: dict[str, Any], report: Callable[[Change, str], Any]) -> Failed:
    """For `consume`: a record that fails is reported, counted and kept, and the stream goes on.

    One that is redriven is kept already: it is reported, and fails in the answer to the command.
    """

    def failed(change: Change, error: Exception) -> bool:
        # Errors of others may quote what an item holds.
        known = isinstance(error, TablewrightError)
        reason = str(error) if known else type(error).__name__
        if isinstance(error, MalformedItem):
            reason = f"{error.entity}: {error.attribute} {error.rule}"
        report(change, reason)
        if event.get("redrive"):
            return False
        failed_records().keep(change)
        count({RECORDS_KEPT: 1})
        return True

    return failed
