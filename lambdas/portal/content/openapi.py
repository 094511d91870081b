"""OpenAPI operations and schemas of content."""

from lambdas.contract import Route
from lambdas.http.openapi import Json, json_of, object_of, only, operation, page_of, paging, query
from lambdas.portal import contract
from lambdas.portal.content.lists import WINDOW
from lambdas.portal.content.registry import CHANGEABLE, GIVEN
from lambdas.portal.content.requests import FILE, FILTERS
from lambdas.portal.search.search import EXAMINED, LONGEST_QUERY, MOST_WORDS
from tablewright.catalog.portal.content import LISTED, MAX_FILE_BYTES, Content

_FIELDS = Content.__entity__.by_name
_ID = {
    "name": "content_id",
    "in": "path",
    "required": True,
    "schema": Content.content_id.schema(),
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The ETag of what was read; or give its `version` in the body. `*` is any, but "
    "for an approval: that is of what was read",
}
_STALE = (404, 409, 412, 428)
_CONTENT = json_of("Content")
_TEXT: Json = {"type": "string"}
_TIME: Json = {"type": "string", "format": "date-time"}


def _filters() -> list[Json]:
    """What content is asked for by: the values of fields, and of tags one."""
    others: dict[str, Json] = {
        "tag": _FIELDS["tags"].schema()["items"],
        "draft": {"type": "string", "enum": ["true"]},
    }
    return [query(name, others.get(name) or _FIELDS[name].schema()) for name in FILTERS]


OPERATIONS: dict[Route, Json] = {
    contract.LIST_CONTENT: {
        **operation(
            "list_content",
            "Content of an owner, about a product or of a status, last changed first",
            {200: json_of("ContentPage")},
            parameters=[
                *_filters(),
                *paging(),
            ],
        ),
        "description": "One of owner_user_id, product_suite and product_concept, or status is "
        "the list, the others are filters. As far as the caller may read it. A page can be short, "
        f"or empty, and still have a cursor: at most {WINDOW} contents are looked at for one.",
    },
    contract.SEARCH_CONTENT: {
        **operation(
            "search_content",
            "Content that has words, the best first",
            {200: json_of("SearchPage")},
            parameters=[
                {
                    **query("q", {"type": "string", "minLength": 1, "maxLength": LONGEST_QUERY}),
                    "required": True,
                    "description": f"Up to {MOST_WORDS} words, each of which begins a word of "
                    "title, summary or tags",
                },
                *_filters(),
                *paging(),
            ],
        ),
        "description": "As far as the caller may read it; what was just written is found some "
        "seconds later. A page can be short, or empty, and still have a cursor: at most "
        f"{EXAMINED} contents are looked at for one.",
    },
    contract.CREATE_CONTENT: operation(
        "create_content",
        "Store content, by default a draft; for authors. With an id, it can be repeated",
        {201: _CONTENT, 200: _CONTENT},
        body="NewContent",
        fails=(409,),
    ),
    contract.GET_CONTENT: operation(
        "get_content", "Read content", {200: _CONTENT}, fails=(404,), parameters=[_ID]
    ),
    contract.UPDATE_CONTENT: operation(
        "update_content",
        "Change content: a new version of it",
        {200: _CONTENT},
        body="ContentChange",
        fails=_STALE,
        parameters=[_ID, _IF_MATCH],
    ),
    contract.DELETE_CONTENT: operation(
        "delete_content",
        "Delete content and its file",
        {204: None},
        fails=_STALE,
        parameters=[_ID, _IF_MATCH],
    ),
    contract.SET_STATUS: operation(
        "set_status",
        "Set the status of content; Approved approves its draft",
        {200: _CONTENT},
        body="ContentMove",
        fails=_STALE,
        parameters=[_ID, _IF_MATCH],
    ),
    contract.WITHDRAW_DRAFT: operation(
        "withdraw_draft",
        "Withdraw the changes that wait for approval",
        {200: _CONTENT},
        fails=_STALE,
        parameters=[_ID, _IF_MATCH],
    ),
    contract.DOWNLOAD_FILE: operation(
        "download_file",
        "An address to download the file by",
        {200: json_of("Download")},
        fails=(404,),
        parameters=[_ID, query("draft", {"type": "string", "enum": ["false", "true"]})],
    ),
    contract.UPLOAD_FILE: operation(
        "upload_file",
        "An address to upload a file by; it becomes the content's once it has arrived",
        {200: json_of("Upload")},
        body="NewFile",
        fails=(404, 409),
        parameters=[_ID],
    ),
}


def _change() -> Json:
    shape = object_of([_FIELDS[n] for n in CHANGEABLE], [], nullable=True)
    shape["properties"]["version"] = Content.version.schema()
    return {**shape, "minProperties": 1}


def _move() -> Json:
    named = {name: _FIELDS[name].schema() for name in ("status", "version")}
    return {**only(named), "required": ["status"]}


def _page() -> Json:
    required = [f.label for f in LISTED if not f.optional]
    return page_of(object_of(LISTED, required), cursor="next_cursor")


def _found() -> Json:
    shape = _page()
    shape["properties"]["complete"] = {
        "type": "boolean",
        "description": "False where all words are so common that only contents in which each "
        "weighs most were looked at",
    }
    return {**shape, "required": [*shape["required"], "complete"]}


def _file() -> Json:
    shape = object_of(FILE, [field.label for field in FILE])
    shape["properties"]["size_bytes"] |= {"minimum": 1, "maximum": MAX_FILE_BYTES}
    return shape


_SIZE = {"type": "integer"}
_NEEDED = [f.label for f in _FIELDS.values() if not f.optional]
SCHEMAS: Json = {
    "Content": object_of(_FIELDS.values(), _NEEDED),
    "NewContent": object_of([_FIELDS[n] for n in GIVEN], ["title", "summary"], nullable=True),
    "ContentChange": _change(),
    "ContentMove": _move(),
    "ContentPage": _page(),
    "SearchPage": _found(),
    "NewFile": _file(),
    "Upload": only(
        {
            "upload_id": _TEXT,
            "method": {"type": "string", "const": "PUT"},
            "url": _TEXT,
            "headers": {"type": "object", "additionalProperties": _TEXT},
            "expires_at": _TIME,
        }
    ),
    "Download": only(
        {
            "url": _TEXT,
            "file_name": _TEXT,
            "content_type": _TEXT,
            "size_bytes": _SIZE,
            "expires_at": _TIME,
        }
    ),
}
