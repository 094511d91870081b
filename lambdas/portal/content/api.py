"""The API of content and its files: decode, act, answer."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest, NotThere, VersionRequired
from lambdas.http.answers import answer, page_json
from lambdas.http.application import application, respond
from lambdas.http.bodies import only
from lambdas.http.requests import choice, json_body, page_limit, parameters
from lambdas.portal.content.asking import asked_file, asked_listing, asked_query
from lambdas.portal.content.files import Files
from lambdas.portal.content.lifecycle import edited, hard_expired
from lambdas.portal.content.registry import VERSIONS, Registry
from lambdas.portal.content.search import ListSearch, Search
from lambdas.portal.resources import Resources
from lambdas.portal.roles import user_of
from lambdas.portal.users import APPROVERS, AUTHORS
from tablewright.catalog.portal.content import APPROVED, CONTENT, STATUSES

logger = Logger()
app = application({"product_suite": "suite", "product_concept": "concept"})
_ONE = "/content/<content_id>"
_WRITERS = (AUTHORS, APPROVERS)


class Portal(NamedTuple):
    """What requests go through, kept for the life of the function's environment."""

    registry: Registry
    files: Files
    search: Search
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @classmethod
    def from_environment(cls) -> "Portal":
        made = Resources.from_environment()
        store, files = made.content(cursors=made.cursors), made.files()
        return cls(Registry(store, files), files, ListSearch(store))


@cache
def portal() -> Portal:
    return Portal.from_environment()


if "CURSOR_SECRET_ARN" in os.environ:
    portal()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.post("/content")
def create_content() -> Response[str]:
    user = user_of(app.current_event, AUTHORS)
    made, new = portal().registry.create(json_body(app.current_event), user, portal().now())
    logger.info("content stored", content_id=made["content_id"], new=new)
    return VERSIONS.tagged(made, 201 if new else 200)


@app.get("/content")
def list_content() -> Response[str]:
    user = user_of(app.current_event)
    given = parameters(app.current_event, ("status", "suite", "concept", "q", "limit", "cursor"))
    listing = asked_listing(given, user)
    query = asked_query(given.get("q"))
    page = portal().search.find(query, listing, page_limit(given.get("limit")), given.get("cursor"))
    logger.info("listed", pattern=listing.pattern.name, count=len(page.items))
    told = page_json(CONTENT, page, cursor="next_cursor")
    if query:
        told |= {"searched": page.examined, "complete": page.cursor is None}
    return answer(told)


@app.get(_ONE)
def get_content(content_id: str) -> Response[str]:
    return VERSIONS.tagged(portal().registry.one(content_id, user_of(app.current_event)))


@app.patch(_ONE)
def change_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = json_body(app.current_event)
    version = VERSIONS.named_in(app.current_event, body)
    changed = portal().registry.change(content_id, body, version, user, portal().now())
    logger.info("content changed", content_id=content_id, version=changed["version"])
    return VERSIONS.tagged(changed)


@app.delete(_ONE)
def delete_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = only(json_body(app.current_event), ("version",)) if app.current_event.body else None
    version = VERSIONS.named_in(app.current_event, body)
    portal().registry.remove(content_id, version, user, portal().now())
    logger.info("content deleted", content_id=content_id)
    return Response(204)


@app.post(f"{_ONE}/status")
def move_content(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    body = only(json_body(app.current_event), ("status", "version"))
    version = VERSIONS.named_in(app.current_event, body)
    if not isinstance(body.get("status"), str):
        raise InvalidRequest("The body is not valid.", [("/status", "must be text")])
    status = choice("/status", body["status"], STATUSES)
    if status == APPROVED and version.any:
        raise VersionRequired("An approval is of what was read: send its ETag as If-Match.")
    moved = portal().registry.move(content_id, status, version, user, portal().now())
    logger.info("content moved", content_id=content_id, status=moved["status"])
    return VERSIONS.tagged(moved)


@app.post(f"{_ONE}/file")
def upload_file(content_id: str) -> Response[str]:
    user = user_of(app.current_event, *_WRITERS)
    asked = asked_file(json_body(app.current_event))
    edited(portal().registry.one(content_id, user), {}, user)  # may it be changed, and by him?
    upload = portal().files.upload(content_id, asked, portal().now())
    logger.info("upload asked for", content_id=content_id, upload_id=upload["upload_id"])
    # Whoever has the address can use it.
    return answer(upload, headers={"Cache-Control": "no-store"})


@app.get(f"{_ONE}/file")
def download_file(content_id: str) -> Response[str]:
    content = portal().registry.one(content_id, user_of(app.current_event))
    if "s3_key" not in content or hard_expired(content):
        raise NotThere("The content has no file.")
    download = portal().files.download(content, portal().now())
    # Whoever approves the file names the content's version that it is of.
    tag = {"ETag": VERSIONS.etag(content)}
    return answer(download, headers={"Cache-Control": "no-store", **tag})


@app.get("/openapi.json")
def openapi() -> Response[str]:
    from lambdas.portal.openapi import document  # only whoever asks for it pays for it

    return answer(document())
