"""Keeps the dashboard's table as the stream of items says."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.sentiment.projector import Projector
from lambdas.sentiment.resources import Resources
from lambdas.stream import kept_unless_redriven
from tablewright.runtime.deadline import in_time
from tablewright.runtime.streams.changes import Change

logger = Logger()


@cache
def projector() -> Projector:
    resources = Resources.from_environment()
    return Projector(
        resources.here,
        dashboard_table=os.environ["DASHBOARD_TABLE"],
        items_table=os.environ["ITEMS_TABLE"],
        executor=resources.executor,
    )


if "DASHBOARD_TABLE" in os.environ:
    projector()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive of what was given up."""
    records = event["Records"]
    work = projector().redrive if event.get("redrive") else projector().project
    answer = work(records, kept_unless_redriven(event, _tell))
    logger.info(
        "projected",
        records=len(records),
        failed=len(answer["batchItemFailures"]),
        redrive=bool(event.get("redrive")),
    )
    return answer


def _tell(change: Change, reason: str) -> None:
    # The item's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a record cannot be projected",
        sequence=change.sequence,
        source_id=change.key.get("source_id", {}).get("S"),
        reason=reason,
    )
