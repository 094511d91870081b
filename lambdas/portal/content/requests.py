"""Requests about content: the list, the words and the file that they name."""

from collections.abc import Mapping
from typing import Any

from lambdas.errors import Errors, InvalidRequest, NotAllowed
from lambdas.http.bodies import only, pointer
from lambdas.http.requests import choice
from lambdas.portal.content.files import RequestedFile
from lambdas.portal.content.search import LONGEST_QUERY, Listing, words
from lambdas.portal.contract import APPROVERS, AUTHORS
from lambdas.portal.users import User
from tablewright.catalog.portal.content import (
    DRAFT,
    MAX_FILE_BYTES,
    STATUSES,
    ContentRegistry,
)
from tablewright.model import Field, InvalidValue, Prose, Text, Whole

FILE: tuple[Field[Any], ...] = (
    Prose(
        max_length=200,
        pattern=r"[^/\\\s](?:[^/\\]*[^/\\\s])?",
        form="a name without / and \\, not beginning or ending with a space",
    ).named("file_name"),
    Text(
        max_length=100,
        pattern=r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*",
        form="a media type in small letters and without parameters, such as application/pdf",
    ).named("content_type"),
    Whole(digits=13).named("size_bytes"),
    Text(max_length=64, pattern="[0-9a-f]{64}", form="64 hexadecimal digits").named("sha256"),
)


def listing_from(given: Mapping[str, str], user: User) -> Listing:
    """The list that is asked for: of a status, or about a concept of a product suite."""
    by_product = [name for name in ("suite", "concept") if name in given]
    if ("status" in given) == bool(by_product):
        wrong = [("status or suite and concept", "exactly one of the two must be given")]
        raise InvalidRequest("Content is listed by status or by product.", wrong)
    if by_product:
        missing = [(n, "is required") for n in ("suite", "concept") if n not in given]
        if missing:
            raise InvalidRequest("A product is a suite and a concept of it.", missing)
        where = {"product_suite": given["suite"], "product_concept": given["concept"]}
        return Listing(ContentRegistry.content_by_product, where, user)
    status = choice("status", given["status"], STATUSES)
    if status == DRAFT and not user.has(AUTHORS, APPROVERS):
        raise NotAllowed("Only authors see drafts, each his own; approvers and admins see all.")
    return Listing(ContentRegistry.content_by_status, {"status": status}, user)


def query_from(text: str | None) -> str:
    """The words to look for, or none."""
    if text is None:
        return ""
    if len(text) > LONGEST_QUERY:
        reason = f"must have at most {LONGEST_QUERY} characters"
        raise InvalidRequest("The query is not valid.", [("q", reason)])
    if not words(text):
        raise InvalidRequest("The query is not valid.", [("q", "must have a letter or a digit")])
    return text


def file_from(body: Any) -> RequestedFile:
    """The file that somebody wants to upload."""
    given = only(body, [field.name for field in FILE])
    values: dict[str, Any] = {}
    errors: Errors = []
    for field in FILE:
        try:
            if field.name not in given:
                raise InvalidValue(field.name, "is required")
            values[field.name] = field.check(given[field.name])
        except InvalidValue as problem:
            errors.append((pointer(field.name), problem.reason))
    if not 1 <= values.get("size_bytes", 1) <= MAX_FILE_BYTES:
        errors.append(("/size_bytes", f"must be 1 to {MAX_FILE_BYTES}"))
    if errors:
        raise InvalidRequest("The body is not valid.", errors)
    return RequestedFile(**values)
