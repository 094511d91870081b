"""OpenAPI documents: the parts that all systems put theirs together from."""

from collections.abc import Iterable, Mapping
from typing import Any

from lambdas.contract import Route
from lambdas.errors import MOST_ERRORS
from lambdas.http.requests import DEFAULT_LIMIT, MAX_LIMIT
from tablewright.model import Field

Json = dict[str, Any]

_REFUSALS = {
    400: "Not valid",
    401: "No valid token",
    403: "Not allowed with this token",
    404: "Not found",
    409: "Conflict",
    412: "Changed since it was read",
    413: "Too much at once",
    428: "Does not say what was read",
    429: "Too often: repeat later",
    503: "Busy: repeat",
}


def document(title: str, paths: Json, schemas: Json) -> Json:
    """A whole document; every operation wants a token, unless it says otherwise."""
    token = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1.0.0"},
        "security": [{"token": []}],
        "paths": {path: _addressed(path, item) for path, item in paths.items()},
        "components": {
            "securitySchemes": {"token": token},
            "schemas": {
                **schemas,
                "Problem": _problem(),
                "Refusal": only({"message": {"type": "string"}}),
            },
        },
    }


def paths_of(routes: Iterable[Route], operations: Mapping[Route, Json]) -> Json:
    """Operations by path and method: one for each route of a contract, and no others."""
    if different := set(routes) ^ operations.keys():
        raise ValueError(f"routes and operations differ in {sorted(different)}")
    paths: Json = {}
    for (method, path), described in operations.items():
        paths.setdefault(path, {})[method.lower()] = described
    return paths


def operation(
    name: str,
    summary: str,
    good: dict[int, Json | None],
    *,
    body: str | None = None,
    fails: Iterable[int] = (),
    parameters: Iterable[Json] = (),
) -> Json:
    """An operation: its good answers by status, the schema of its body, how else it may end."""
    responses: Json = {
        str(status): {"description": "Done", **({"content": content} if content else {})}
        for status, content in good.items()
    }
    for status in sorted({400, 401, 403, 503, *fails}):
        responses[str(status)] = _refusal(status)
    made: Json = {"operationId": name, "summary": summary, "responses": responses}
    if parameters := list(parameters):
        made["parameters"] = parameters
    if body:
        made["requestBody"] = {"required": True, "content": json_of(body)}
    return made


def this_document() -> Json:
    content = {"application/json": {"schema": {"type": "object"}}}
    return operation("openapi", "This document", {200: content})


def object_of(fields: Iterable[Field[Any]], required: list[str], *, nullable: bool = False) -> Json:
    """Records of these fields; with `nullable`, None takes the place of an optional one."""
    properties: Json = {}
    for field in fields:
        schema = field.schema()
        properties[field.label] = or_null(schema) if nullable and field.optional else schema
    shape: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": required} if required else shape


def or_null(schema: Json) -> Json:
    """The schema of a value in whose place None may stand."""
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **words}


def only(properties: Json) -> Json:
    """An object of exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(item: Json, **bounds: int) -> Json:
    return {"type": "array", "items": item, **bounds}


def one_or_more(name: str, schema: str, most: int) -> Json:
    """One entry by itself, or a list of them under a name."""
    batch = only({name: list_of(ref(schema), minItems=1, maxItems=most)})
    return {"anyOf": [batch, ref(schema)]}


def page_of(item: Json, *, cursor: str = "nextCursor") -> Json:
    return only({"items": list_of(item), cursor: {"type": ["string", "null"]}})


def paging() -> list[Json]:
    limit = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}
    return [query("limit", limit), query("cursor", {"type": "string"})]


def query(name: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "schema": schema}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def json_of(name: str) -> Json:
    """The content of a body that has a named schema."""
    return {"application/json": {"schema": ref(name)}}


def _refusal(status: int) -> Json:
    # A request without a valid token is refused by API Gateway, in its own words.
    others = {401: ("application/json", "Refusal")}
    kind, schema = others.get(status, ("application/problem+json", "Problem"))
    return {"description": _REFUSALS[status], "content": {kind: {"schema": ref(schema)}}}


def _addressed(path: str, item: Json) -> Json:
    """What is at a path. With characters that no parameter has, an address leads nowhere."""
    if "{" not in path:
        return item
    nowhere = {"404": _refusal(404)}
    return {
        name: {**part, "responses": dict(sorted({**part["responses"], **nowhere}.items()))}
        if name != "parameters"
        else part
        for name, part in item.items()
    }


def _problem() -> Json:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": text,
            "title": text,
            "status": {"type": "integer"},
            "detail": text,
            "errors": list_of(only({"pointer": text, "detail": text}), maxItems=MOST_ERRORS + 1),
        },
    }
