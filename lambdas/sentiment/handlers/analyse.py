"""Analyser: carries out the analysis requests of the queue."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.errors import log_text
from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.contract import AnalyseEnvironment
from lambdas.sentiment.resources import Resources
from lambdas.sentiment.sentiment_model import Model
from tablewright.runtime.deadline import in_time
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.secrets.secrets import Secrets

logger = Logger()


@cache
def analysis() -> Analysis:
    resources = Resources.of(AnalyseEnvironment.read())
    # The text comes with the request: what items have of it is none of its business.
    items = resources.items(Secrets.withheld())
    return Analysis((items, resources.active_news()), Model())


if AnalyseEnvironment.is_set():
    analysis()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""
    failed = []
    for message in event["Records"]:
        try:
            request = Request.parse(message["body"])
            recorded = _carry_out(request)
            logger.info("analysed", source_id=request.key["source_id"], recorded=recorded)
        except Exception as error:
            # Whatever it is: it must not take the other messages with it.
            logger.exception(
                "not analysed", message_id=message["messageId"], reason=log_text(error)
            )
            failed.append({"itemIdentifier": message["messageId"]})
    return {"batchItemFailures": failed}


def _carry_out(request: Request) -> bool:
    try:
        return analysis().carry_out(request)
    except Unavailable:
        # Another region may be active by now. Otherwise the message comes again in three minutes.
        return analysis().carry_out(request)
