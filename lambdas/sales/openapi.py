"""The API's OpenAPI document; field types come from the table design."""

from collections.abc import Iterable
from typing import Any

from lambdas.http.requests import DEFAULT_LIMIT, MAX_LIMIT
from lambdas.sales.rules import CHANGEABLE, GIVEN, MAX_BATCH
from lambdas.sales.trend import PERIODS
from tablewright.designs import Field
from tablewright.designs.sales import SALE, SEASONS

_DESCRIPTIONS = {
    400: "Not valid",
    401: "No valid token",
    403: "No tenant in the token",
    404: "Not found",
    409: "Conflict",
    413: "Too much at once",
    503: "Busy: repeat",
}


def document() -> dict[str, Any]:
    sale, sales = _json("Sale"), _json("SalePage")
    one = "/products/{product_id}/sales/{sale_date}/{sale_id}"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Sales intelligence", "version": "1.0.0"},
        "security": [{"token": []}],
        "paths": {
            "/sales": {
                "post": _operation(
                    "create_sale",
                    "Store a sale",
                    201,
                    sale,
                    body="NewSale",
                    also={200: sale},
                    fails=(409,),
                ),
                **_list(
                    "list_sales",
                    "Sales of a category or of a brand",
                    sales,
                    also=[_name("category"), _name("brand"), _season()],
                ),
            },
            "/sales/batch": {
                "post": _operation(
                    "create_sales",
                    "Store many sales, all or none checked",
                    201,
                    _json("Stored"),
                    body="Batch",
                    fails=(413,),
                ),
            },
            one: {
                "get": _operation("get_sale", "Read a sale", 200, sale, fails=(404,)),
                "patch": _operation(
                    "change_sale", "Change a sale", 200, sale, body="SaleChange", fails=(404, 409)
                ),
                "delete": _operation("delete_sale", "Remove a sale", 204, None),
                "parameters": _path("product_id", "sale_date", "sale_id"),
            },
            "/products/{product_id}/sales": _list(
                "product_sales", "Sales of a product", sales, "product_id"
            ),
            "/products/{product_id}/embeddings": _list(
                "product_embeddings",
                "Embeddings of a product",
                _json("EmbeddingPage"),
                "product_id",
            ),
            "/embeddings": _list("embeddings", "All embeddings", _json("EmbeddingPage")),
            "/trend": {
                "get": _operation(
                    "category_trend",
                    "Prices of a category over time",
                    200,
                    _json("Trend"),
                    fails=(413,),
                ),
                "parameters": [
                    {**_name("category"), "required": True},
                    *_dates(),
                    _season(),
                    _query("by", {"type": "string", "enum": list(PERIODS)}),
                ],
            },
            "/openapi.json": {
                "get": _operation(
                    "openapi",
                    "This document",
                    200,
                    {"application/json": {"schema": {"type": "object"}}},
                ),
            },
        },
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
            },
            "schemas": _schemas(),
        },
    }


def _schemas() -> dict[str, Any]:
    needed = [f.stored for f in GIVEN if not f.optional and f.name != "season"]
    embedding = (
        "product_id",
        "sale_id",
        "sale_date",
        "embedding_id",
        "embedding_s3_key",
        "category",
        "sale_price",
        "brand",
        "tenant",
    )
    number = {"type": "number"}
    new_sale = _object(GIVEN, needed)
    new_sale["properties"]["season"]["description"] = (
        "When absent: the meteorological season of the sale date in the northern hemisphere"
    )
    return {
        "Sale": _object(SALE.fields, [f.stored for f in SALE.fields if not f.optional]),
        "NewSale": new_sale,
        "SaleChange": {**_object(CHANGEABLE, [], nullable=True), "minProperties": 1},
        "Batch": _only(
            {
                "sales": {
                    "type": "array",
                    "items": _ref("NewSale"),
                    "minItems": 1,
                    "maxItems": MAX_BATCH,
                }
            }
        ),
        "Stored": _only({"stored": {"type": "integer"}}),
        "SalePage": _page_of(_ref("Sale")),
        "EmbeddingPage": _page_of(_object([SALE.by_name[name] for name in embedding], [])),
        "Trend": _only(
            {
                "category": {"type": "string"},
                "by": {"type": "string", "enum": list(PERIODS)},
                "periods": {
                    "type": "array",
                    "items": _only(
                        {
                            "period": {"type": "string"},
                            "count": {"type": "integer"},
                            "min": number,
                            "median": number,
                            "mean": number,
                            "max": number,
                        }
                    ),
                },
            }
        ),
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
                "type": {"type": "string"},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "errors": {
                    "type": "array",
                    "items": _only({"pointer": {"type": "string"}, "detail": {"type": "string"}}),
                },
            },
        },
    }


def _operation(
    name: str,
    summary: str,
    status: int,
    content: dict[str, Any] | None,
    *,
    body: str | None = None,
    also: dict[int, dict[str, Any]] | None = None,
    fails: Iterable[int] = (),
) -> dict[str, Any]:
    good = {status: content, **(also or {})}
    responses: dict[str, Any] = {
        str(code): {"description": "Done", **({"content": what} if what else {})}
        for code, what in good.items()
    }
    problem = {"application/problem+json": {"schema": _ref("Problem")}}
    for code in sorted({400, 401, 403, 503, *fails}):
        responses[str(code)] = {"description": _DESCRIPTIONS[code], "content": problem}
    operation: dict[str, Any] = {"operationId": name, "summary": summary, "responses": responses}
    if body:
        operation["requestBody"] = {"required": True, "content": _json(body)}
    return operation


def _list(
    name: str, summary: str, content: dict[str, Any], *path: str, also: Iterable[Any] = ()
) -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}
    order = {"type": "string", "enum": ["asc", "desc"], "default": "asc"}
    asked = [_query("limit", limit), _query("cursor", {"type": "string"}), _query("order", order)]
    operation = _operation(name, summary + ", by date", 200, content)
    return {"get": {**operation, "parameters": [*_path(*path), *_dates(), *asked, *also]}}


def _object(fields: Iterable[Field], required: list[str], nullable: bool = False) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for field in fields:
        schema = field.schema()
        if nullable and field.optional:
            schema["type"] = [schema["type"], "null"]
        properties[field.stored] = schema
    shape: dict[str, Any] = {"type": "object", "properties": properties}
    shape["additionalProperties"] = False
    return {**shape, "required": required} if required else shape


def _only(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _page_of(item: dict[str, Any]) -> dict[str, Any]:
    return _only(
        {"items": {"type": "array", "items": item}, "nextCursor": {"type": ["string", "null"]}}
    )


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(name)}}


def _path(*names: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": SALE.by_name[name].schema()}
        for name in names
    ]


def _query(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema}


def _name(name: str) -> dict[str, Any]:
    return _query(name, SALE.by_name[name].schema())


def _dates() -> list[dict[str, Any]]:
    return [_query(name, {"type": "string", "format": "date"}) for name in ("from", "to")]


def _season() -> dict[str, Any]:
    return _query("season", {"type": "string", "enum": list(SEASONS)})
