"""Analyses the items that the queue asks for."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.model import Model
from lambdas.sentiment.resources import Resources
from tablewright.runtime.deadline import in_time

logger = Logger()


@cache
def analysis() -> Analysis:
    made = Resources.from_environment()
    return Analysis((made.items(), made.news()), Model())


if "ITEMS_TABLE" in os.environ:
    analysis()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Messages of the queue; those that failed are delivered again, then set aside."""
    failed = []
    for message in event["Records"]:
        try:
            request = Request.parse(message["body"])
            outcome = analysis().carry_out(request)
            logger.info("analysed", source_id=request.key["source_id"], outcome=outcome)
        except Exception as error:
            # Whatever it is: it must not take the other messages with it.
            logger.exception("not analysed", message_id=message["messageId"], reason=str(error))
            failed.append({"itemIdentifier": message["messageId"]})
    return {"batchItemFailures": failed}
