"""Search verification: compares the search index with the contents, and repairs it when told to."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.contract import IndexEnvironment
from lambdas.portal.search.verification import WALKS, Position, Verification
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.search import ContentSearch
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = Logger()

# What a page may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000
# Ids that an answer has at most; all are logged.
_SHOWN = 100


class Resources(NamedTuple):
    """What a run works with, kept for the life of the function's environment."""

    verification: Verification
    functions: Callable[[], Caller]

    @classmethod
    def of(cls, environment: IndexEnvironment) -> "Resources":
        clients = Clients()
        content = clients.store(ContentRegistry, environment.content_table)
        index = clients.store(ContentSearch, environment.search_table)
        return cls(Verification(content, index), lambda: clients.client("lambda"))


@cache
def resources() -> Resources:
    return Resources.of(IndexEnvironment.read())


if IndexEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run; one that is out of time calls the next. ``{"repair": true}`` also repairs."""
    repair = event.get("repair", False) is True
    run = resources().verification.run(
        _position(event.get("after")),
        repair=repair,
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    after = run.after and run.after._asdict()
    for content_id in run.wrong:
        logger.warning("the index of a content was wrong", content_id=content_id, repaired=repair)
    logger.info("search verified", looked_at=run.looked_at, wrong=len(run.wrong), after=after)
    if after is not None:
        call_next(resources().functions(), context, {"repair": repair, "after": after})
    return {
        "looked_at": run.looked_at,
        "wrong": len(run.wrong),
        "content_ids": run.wrong[:_SHOWN],
        "repaired": repair,
        "after": after,
    }


def _position(given: Any) -> Position:
    if given is None:
        return Position()
    if not isinstance(given, dict) or given.get("walk") not in WALKS or len(given) != 2:
        raise InvalidValue("after", f"must have a walk of {', '.join(WALKS)} and its start")
    return Position(given["walk"], given["start"])
