"""Item projection: keeps the dashboard's table as the stream of items says."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.sentiment.contract import ProjectEnvironment
from lambdas.sentiment.projector import Projector
from lambdas.sentiment.resources import Resources
from lambdas.stream import keep_failed
from tablewright.runtime.deadline import in_time
from tablewright.runtime.streams.changes import Change

logger = Logger()


@cache
def projector() -> Projector:
    environment = ProjectEnvironment.read()
    resources = Resources.of(environment)
    return Projector(
        resources.dynamodb,
        dashboard_table=environment.dashboard_table,
        items_table=environment.items_table,
        dashboard_secrets=resources.dashboard_secrets(),
        items_secrets=resources.items_secrets(),
    )


if ProjectEnvironment.is_set():
    projector()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive of what was given up."""
    records = event["Records"]
    work = projector().redrive if event.get("redrive") else projector().project
    answer = work(records, keep_failed(event, _log_failure))
    logger.info(
        "projected",
        records=len(records),
        failed=len(answer["batchItemFailures"]),
        redrive=bool(event.get("redrive")),
    )
    return answer


def _log_failure(change: Change, reason: str) -> None:
    # The key shows an operator where to look; what the item holds is nobody's business.
    logger.error(
        "a record cannot be projected",
        sequence=change.sequence,
        source_id=change.key.get("source_id", {}).get("S"),
        reason=reason,
    )
