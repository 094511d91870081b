"""Content API: content and its files; decode, act, answer."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, NotThere, RequestConflict, VersionRequired
from lambdas.http.answers import answer, record_json
from lambdas.http.application import application, respond, routed
from lambdas.http.bodies import only
from lambdas.http.requests import choice, json_body, page_limit, parameters
from lambdas.http.versions import tag_of
from lambdas.portal import contract
from lambdas.portal.clients import Clients
from lambdas.portal.content.files import Files
from lambdas.portal.content.lifecycle import (
    edited,
    hard_expired,
    latest_version,
    publishes,
    with_draft,
)
from lambdas.portal.content.lists import Lists
from lambdas.portal.content.registry import VERSIONS, Registry, shown
from lambdas.portal.content.requests import FILTERS, file_from, listing_from, search_from
from lambdas.portal.contract import APPROVERS, AUTHORS, ROLE, ContentApiEnvironment
from lambdas.portal.search.search import IndexSearch, Search
from lambdas.portal.users import user_of
from tablewright.catalog.portal.content import (
    APPROVED,
    LISTED,
    STATUSES,
    Content,
    ContentRegistry,
)
from tablewright.catalog.portal.search import ContentSearch

logger = Logger()
app = application({"tags": "tag"})
_WRITERS = (AUTHORS, APPROVERS)


class Resources(NamedTuple):
    """What requests go through, kept for the life of the function's environment."""

    registry: Registry
    files: Files
    lists: Lists
    search: Search
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def of(cls, environment: ContentApiEnvironment) -> "Resources":
        clients = Clients()
        cursors = clients.cursors(environment.cursor_secret_arn)
        store = clients.store(ContentRegistry, environment.content_table, cursors)
        files = Files.of(clients.s3, environment.files_bucket)
        index = clients.store(ContentSearch, environment.search_table)
        search = IndexSearch(store, index, cursors)
        registry = Registry(store, files, environment.review or ROLE)
        return cls(registry, files, Lists(store), search)


@cache
def resources() -> Resources:
    return Resources.of(ContentApiEnvironment.read())


if ContentApiEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.CREATE_CONTENT)
def create_content() -> Response[str]:
    user = user_of(app.current_event, AUTHORS)
    made, new = resources().registry.create_content(
        json_body(app.current_event), user, resources().now()
    )
    logger.info("content stored", content_id=made.content_id, new=new)
    return VERSIONS.tagged(made, 201 if new else 200)


@routed(app, contract.LIST_CONTENT)
def list_content() -> Response[str]:
    user = user_of(app.current_event)
    given = parameters(app.current_event, (*FILTERS, "limit", "cursor"))
    listing = listing_from(given, user)
    limit, cursor = page_limit(given.get("limit")), given.get("cursor")
    page = resources().lists.list_content(listing, limit, cursor)
    logger.info("listed", pattern=listing.pattern.name, count=len(page.items))
    items = [record_json(shown(one, user)) for one in page.items]
    return answer({"items": items, "next_cursor": page.cursor})


@routed(app, contract.SEARCH_CONTENT)
def search_content() -> Response[str]:
    user = user_of(app.current_event)
    given = parameters(app.current_event, ("q", *FILTERS, "limit", "cursor"))
    asked = search_from(given, user)
    limit, cursor = page_limit(given.get("limit")), given.get("cursor")
    found = resources().search.find(asked, limit, cursor)
    logger.info("searched", words=len(asked.words), count=len(found.items))
    items = [listed_json(shown(one, user)) for one in found.items]
    return answer({"items": items, "next_cursor": found.cursor, "complete": found.complete})


@routed(app, contract.GET_CONTENT)
def get_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event)
    return VERSIONS.tagged(shown(resources().registry.get_content(content_id, user), user))


@routed(app, contract.UPDATE_CONTENT)
def update_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = json_body(app.current_event)
    version = VERSIONS.named_in(app.current_event, body)
    changed = resources().registry.update_content(
        content_id, body, version, user, resources().now()
    )
    logger.info("content changed", content_id=content_id, version=changed.version)
    return VERSIONS.tagged(changed)


@routed(app, contract.DELETE_CONTENT)
def delete_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = only(json_body(app.current_event), ("version",)) if app.current_event.body else None
    version = VERSIONS.named_in(app.current_event, body)
    resources().registry.delete_content(content_id, version, user, resources().now())
    logger.info("content deleted", content_id=content_id)
    return Response(204)


@routed(app, contract.SET_STATUS)
def set_status(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = only(json_body(app.current_event), ("status", "version"))
    version = VERSIONS.named_in(app.current_event, body)
    if not isinstance(body.get("status"), str):
        raise InvalidRequest("The body is not valid.", [("/status", "must be text")])
    status = choice("/status", body["status"], STATUSES)
    if status == APPROVED and version.any:
        raise VersionRequired("An approval is of what was read: send its ETag as If-Match.")
    moved = resources().registry.set_status(content_id, status, version, user, resources().now())
    logger.info("content moved", content_id=content_id, status=moved.status)
    return VERSIONS.tagged(shown(moved, user))


@routed(app, contract.WITHDRAW_DRAFT)
def withdraw_draft(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = only(json_body(app.current_event), ("version",)) if app.current_event.body else None
    version = VERSIONS.named_in(app.current_event, body)
    content = resources().registry.withdraw_draft(content_id, version, user, resources().now())
    logger.info("draft withdrawn", content_id=content_id)
    return VERSIONS.tagged(content)


@routed(app, contract.UPLOAD_FILE)
def upload_file(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    file = file_from(json_body(app.current_event))
    registry = resources().registry
    content = registry.get_content(content_id, user)
    edited(content, {}, user, registry.review)  # raises NotAllowed
    if hard_expired(content):
        raise RequestConflict("The content was withdrawn with its file: set another status first.")
    file = file._replace(user_id=user.user_id, approved=publishes(user, registry.review))
    upload = resources().files.upload(content_id, file, resources().now())
    logger.info("upload asked for", content_id=content_id, upload_id=upload["upload_id"])
    # Whoever has the address can use it.
    return answer(upload, headers={"Cache-Control": "no-store"})


@routed(app, contract.DOWNLOAD_FILE)
def download_file(content_id: str) -> Response[str]:
    user = user_of(app.current_event)
    given = parameters(app.current_event, ("draft",))
    draft = choice("draft", given.get("draft"), ("false", "true")) == "true"
    content = shown(resources().registry.get_content(content_id, user), user)
    # The tag of what readers see approves no draft.
    version = content.version
    if draft:
        version, content = latest_version(content), with_draft(content)
    if content.s3_key is None or hard_expired(content):
        raise NotThere("The content has no file.")
    download = resources().files.download(content, resources().now())
    # Whoever approves the file names the content's version that it is of.
    tag = {"ETag": tag_of(version)}
    return answer(download, headers={"Cache-Control": "no-store", **tag})


def listed_json(content: Content) -> dict[str, Any]:
    """Of content that was read whole, what lists show."""
    shown = {field.label for field in LISTED}
    return {name: value for name, value in record_json(content).items() if name in shown}


@routed(app, contract.OPENAPI)
def openapi() -> Response[str]:
    from lambdas.portal.openapi import document  # only whoever asks for it pays for it

    return answer(document())
