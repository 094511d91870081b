"""Cost advisor: says, once a week, what would make the stage cost less."""

from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, partial
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.operations.contract import RecommendEnvironment
from lambdas.operations.cost_report import CostReport
from tablewright.recommendations.reading.resources import StageResources
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.deadline import in_time

logger = Logger()
# Metrics of a month are long answers.
_READ_TIMEOUT = 30


@cache
def cost_report() -> CostReport:
    environment = RecommendEnvironment.read()
    return CostReport(
        resources=StageResources.from_json(environment.resources),
        connect=cache(partial(connect, own_session(), read_timeout=_READ_TIMEOUT)),
        bucket=environment.bucket,
        told_from=Decimal(environment.told_from),
        topic_arn=environment.topic_arn,
    )


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run; it can be repeated, and tells of a day once."""
    done = cost_report().run(datetime.now(UTC))
    logger.info("costs looked at", **done)
    return done
