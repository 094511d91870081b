"""Requests about content: the list, the filters, the words and the file that they name."""

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

from lambdas.errors import Errors, InvalidRequest, NotAllowed
from lambdas.http.bodies import only, pointer
from lambdas.http.requests import choice
from lambdas.portal.content.files import RequestedFile
from lambdas.portal.content.lists import Listing, View
from lambdas.portal.contract import APPROVERS, AUTHORS
from lambdas.portal.search.search import LONGEST_QUERY, MOST_WORDS, Asked
from lambdas.portal.search.words import words
from lambdas.portal.users import User
from tablewright.catalog.portal.content import (
    DRAFT,
    MAX_FILE_BYTES,
    STATUSES,
    Content,
    ContentRegistry,
)
from tablewright.catalog.portal.fields import folded
from tablewright.model import Condition, Field, InvalidValue, Prose, Query, Text, Whole

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


_PRODUCT = ("product_suite", "product_concept")
# Parameters with the names of the fields that they are about, and two more.
_PLAIN = ("owner_user_id", *_PRODUCT, "status", "audience_role", "lifecycle_stage")
FILTERS = (*_PLAIN, "tag", "draft")
# The lists that there are, that which is likely to be the shortest first.
_LISTS: tuple[tuple[Query[Content], tuple[str, ...]], ...] = (
    (ContentRegistry.list_content_by_owner, ("owner_user_id",)),
    (ContentRegistry.list_content_by_product, _PRODUCT),
    (ContentRegistry.list_content_by_status, ("status",)),
)


def listing_from(given: Mapping[str, str], user: User) -> Listing:
    """The list that is asked for: of an owner, a product or a status; the rest are filters."""
    asked = {name: given[name] for name in FILTERS if name in given}
    refuse_drafts(asked, user)
    if len(asked.keys() & set(_PRODUCT)) == 1:
        missing = [(n, "is required") for n in _PRODUCT if n not in asked]
        raise InvalidRequest("A product is a suite and a concept of it.", missing)
    for pattern, names in _LISTS:
        if asked.keys() >= set(names):
            key = {name: asked.pop(name) for name in names}
            return Listing(pattern, key, filters_from(asked), view_from(given, user))
    lists = "owner_user_id, product_suite and product_concept, or status"
    wrong = [(lists, "one of these must be given")]
    raise InvalidRequest("Content is listed by owner, by product or by status.", wrong)


def refuse_drafts(given: Mapping[str, str], user: User) -> None:
    """Refuse a status that does not exist, and drafts to users who cannot have any."""
    if "status" in given:
        choice("status", given["status"], STATUSES)
    if "draft" in given:
        choice("draft", given["draft"], ("true",))
    if (given.get("status") == DRAFT or "draft" in given) and not user.has(AUTHORS, APPROVERS):
        raise NotAllowed("Only authors see drafts, each his own; approvers and admins see all.")


def filters_from(given: Mapping[str, str]) -> Condition | None:
    """The condition that content has all that is asked for, None where nothing is."""
    plain = {name: given[name] for name in _PLAIN if name in given}
    checked = Content.__entity__.check(plain, partial=True)
    fields = Content.__entity__.by_name
    conditions: list[Condition] = [fields[name] == value for name, value in checked.items()]
    conditions += [Content.draft_by.exists()] if "draft" in given else []
    return reduce(and_, conditions) if conditions else None


def view_from(given: Mapping[str, str], user: User) -> View:
    """What of the content is shown: of the tag that is asked for, with drafts."""
    tag = None
    if "tag" in given:
        (tag,) = map(folded, Content.tags.check([given["tag"]]))
    return View(user, tag, drafts="draft" in given)


def search_from(given: Mapping[str, str], user: User) -> Asked:
    """The words to look for, each once, and the filters."""
    filters = {name: given[name] for name in FILTERS if name in given}
    refuse_drafts(filters, user)
    text = given.get("q", "")
    found = list(dict.fromkeys(words(text)))
    reason = None
    if "q" not in given:
        reason = "is required"
    elif len(text) > LONGEST_QUERY:
        reason = f"must have at most {LONGEST_QUERY} characters"
    elif not 1 <= len(found) <= MOST_WORDS:
        reason = f"must have 1 to {MOST_WORDS} different words, of letters or digits"
    if reason:
        raise InvalidRequest("The query is not valid.", [("q", reason)])
    return Asked(found, filters_from(filters), view_from(given, user))


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
