"""Application of an HTTP function: its routes, and a problem document for every error."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import BaseRouter

from lambdas.contract import Route
from lambdas.edge import REFUSED, came_through
from lambdas.errors import RequestError
from lambdas.http import problems
from lambdas.http.problems import Problem
from tablewright.model import InvalidRecord, InvalidValue, TablewrightError
from tablewright.runtime.deadline import invocation
from tablewright.runtime.errors import MalformedItem

logger = Logger()

# What Lambda takes as an answer is 6 MB, of which the frame needs some.
LARGEST_ANSWER = 6 * 1024 * 1024 - 4096

# What API Gateway waits for, less a second: whoever answers later answers nobody.
_SECONDS = 29.0


def application(names: Mapping[str, str] | None = None) -> APIGatewayHttpResolver:
    """An application without routes; `names` says what fields are called in the query string."""
    app = APIGatewayHttpResolver()
    known = dict(names or {})

    def not_found(_: Exception) -> Response[str]:
        return Problem(404, "There is nothing at this address.").response()

    def refuse(problem: Problem) -> Response[str]:
        return problem.response()

    def refuse_request(error: RequestError) -> Response[str]:
        return problems.from_domain(error).response()

    def refuse_value(error: InvalidRecord | InvalidValue) -> Response[str]:
        invalid = error.problems if isinstance(error, InvalidRecord) else (error,)
        wrong = [(known.get(one.field, one.field), one.reason) for one in invalid]
        return Problem(400, "The request has values that are not valid.", wrong).response()

    def refuse_store(error: TablewrightError) -> Response[str]:
        problem = problems.from_store(error)
        if problem.status >= 500 or isinstance(error, MalformedItem):
            _log_failure("the store failed", error, app)
        return problem.response()

    def fail(error: Exception) -> Response[str]:
        _log_failure("unexpected error", error, app)
        return problems.from_store(error).response()

    app.not_found(not_found)
    app.exception_handler(Problem)(refuse)
    app.exception_handler(RequestError)(refuse_request)
    app.exception_handler([InvalidRecord, InvalidValue])(refuse_value)
    app.exception_handler(TablewrightError)(refuse_store)
    app.exception_handler(Exception)(fail)
    return app


def _log_failure(message: str, error: Exception, app: APIGatewayHttpResolver) -> None:
    # An error of the store that it was raised for quotes keys and values of items.
    error.__cause__ = None
    asked = _asked(app.current_event.raw_event)
    logger.exception(message, kind=type(error).__name__, extra=asked)


def routed(
    app: BaseRouter, route: Route
) -> Callable[[Callable[..., Response[str]]], Callable[..., Response[str]]]:
    """Lead a route of the contract to a function, which takes the fields of its path.

    Example::

        @routed(app, contract.GET_SALE)
        def get_sale(product_id: str, sale_date: str, sale_id: str) -> Response[str]: ...
    """
    path = route.path.replace("{", "<").replace("}", ">")
    return app.route(path, method=route.method)


def _bounded(answered: dict[str, Any]) -> dict[str, Any]:
    """The answer, or that it is too large: Lambda would drop it, and API Gateway answer a 500."""
    # Each character is at most six bytes of an answer in JSON.
    if len(answered.get("body") or "") * 6 <= LARGEST_ANSWER:
        return answered
    size = len(json.dumps(answered))
    if size <= LARGEST_ANSWER:
        return answered
    logger.warning("the answer is too large", bytes=size)
    problem = Problem(413, "The answer would be larger than 6 MB: ask for less at once.").response()
    content = {"Content-Type": str(problem.content_type)}
    return {**answered, "statusCode": 413, "headers": content, "body": problem.body}


def _refused() -> dict[str, Any]:
    problem = Problem(403, REFUSED).response()
    content = {"Content-Type": str(problem.content_type)}
    return {"statusCode": 403, "headers": content, "body": problem.body}


def respond(app: APIGatewayHttpResolver, event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The answer to a request, logged without token and body: what was asked, how it ended."""
    if not came_through(event.get("headers") or {}):
        return _refused()
    with invocation(context, at_most=_SECONDS):
        answered = _bounded(app.resolve(event, context))
    logger.info("answered", status=answered["statusCode"], extra=_asked(event))
    return answered


def _asked(event: dict[str, Any]) -> dict[str, Any]:
    """What of a request is logged."""
    http = event.get("requestContext", {}).get("http", {})
    return {"method": http.get("method"), "path": http.get("path")}
