"""Content indexing: keeps the search index as the stream of content says."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.portal.clients import Clients
from lambdas.portal.contract import IndexEnvironment
from lambdas.portal.search.index import ContentIndex
from lambdas.portal.search.words import FIELDS
from lambdas.stream import keep_failed
from tablewright.catalog.portal.content import ContentRegistry
from tablewright.catalog.portal.search import ContentSearch
from tablewright.runtime.deadline import in_time
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.streams.changes import Change, consume

logger = Logger()


@cache
def index() -> ContentIndex:
    environment, clients = IndexEnvironment.read(), Clients()
    return ContentIndex(
        clients.store(ContentRegistry, environment.content_table),
        clients.store(ContentSearch, environment.search_table),
    )


if IndexEnvironment.is_set():
    index()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Records of the stream, or of a redrive: each content is indexed as it is by now."""
    return consume(event["Records"], changed, refresh, failed=keep_failed(event, _report))


def changed(change: Change) -> str | None:
    """The content whose words a change has changed, if it has."""
    before, after = (
        [(image or {}).get(name) for name in FIELDS] for image in (change.old, change.new)
    )
    return None if before == after else change.key["content_id"]["S"]


def refresh(content_ids: list[str | None]) -> None:
    """Index contents, each once and side by side."""
    found = [id for id in dict.fromkeys(content_ids) if id is not None]
    written = in_parallel(index().refresh, found)
    logger.info("indexed", contents=len(found), postings=sum(written))


def _report(change: Change, reason: str) -> None:
    # The content's key tells an operator where to look; what it holds is nobody's business.
    logger.error(
        "a content cannot be indexed",
        sequence=change.sequence,
        content_id=change.key.get("content_id", {}).get("S"),
        reason=reason,
    )
