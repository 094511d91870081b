"""Stream functions: what they do with a record that they cannot take."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import boto3

from lambdas.metrics import count
from tablewright.model.errors import TablewrightError
from tablewright.runtime.aws import Client, client_config
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.failed_records import FailedRecords

Failed = Callable[[Change, Exception], Any]


@cache
def failed_records() -> FailedRecords:
    # Made when it is needed: seldom, and not while the function starts.
    s3 = Client(boto3.client("s3", config=client_config()))
    function = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
    return FailedRecords(s3, os.environ["FAILURES_BUCKET"], function)


def kept_unless_redriven(event: dict[str, Any], tell: Callable[[Change, str], Any]) -> Failed:
    """For `consume`: a record that fails is told of, counted and kept, and the stream goes on.

    One that is redriven is kept already: it is told of, and reported to the command.
    """

    def failed(change: Change, error: Exception) -> bool:
        # Errors of others may quote what an item holds.
        known = isinstance(error, TablewrightError)
        tell(change, str(error) if known else type(error).__name__)
        if event.get("redrive"):
            return False
        failed_records().keep(change)
        count({"RecordsKept": 1})
        return True

    return failed
