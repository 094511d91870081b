"""Counts what is submitted and delivered, as the form table's stream says, and removes the
payloads of what is removed."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.forms.counting import Counting
from lambdas.forms.forgetting import Forgetting
from lambdas.forms.resources import Resources
from lambdas.stream import kept_unless_redriven
from tablewright.runtime.deadline import in_time
from tablewright.runtime.streams.changes import Change

logger = Logger()


@cache
def counting() -> Counting:
    made = Resources.from_environment()
    forgetting = Forgetting(made.here, made.table_name, made.payloads())
    return Counting(made.here, made.table_name, forgetting)


if "FORMS_TABLE" in os.environ:
    counting()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive of what was given up."""
    records = event["Records"]
    work = counting().redrive if event.get("redrive") else counting().count
    answer = work(records, kept_unless_redriven(event, _tell))
    logger.info(
        "counted",
        records=len(records),
        failed=len(answer["batchItemFailures"]),
        redrive=bool(event.get("redrive")),
    )
    return answer


def _tell(change: Change, reason: str) -> None:
    # The item's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a record cannot be counted or forgotten",
        sequence=change.sequence,
        key={name: wire.get("S") for name, wire in change.key.items()},
        reason=reason,
    )
