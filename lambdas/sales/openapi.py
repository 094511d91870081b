"""The API's OpenAPI document; field types come from the table design."""

from collections.abc import Iterable
from typing import Any

from lambdas.contract import Route
from lambdas.http import openapi
from lambdas.http.openapi import (
    Json,
    json_of,
    list_of,
    object_of,
    only,
    operation,
    or_null,
    page_of,
    paging,
    paths_of,
    query,
    ref,
)
from lambdas.sales import contract
from lambdas.sales.contract import ROUTES
from lambdas.sales.rules import CHANGEABLE, GIVEN, MAX_BATCH
from lambdas.sales.trend import PERIODS
from tablewright.catalog.sales.design import SEASONS, Sale

_EMBEDDING = (
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
_BY_NAME = Sale.__entity__.by_name
# What a new sale gets when it is not sent.
_MADE = {
    "sale_date": "the UTC date of today",
    "season": "the meteorological season of the sale date in the northern hemisphere",
    "embedding_id": "made of tenant, product and sale id, always the same",
    "embedding_s3_key": "s3://{bucket}/{tenant}/products/{productId}/sales/{saleId}.json",
}


def document() -> Json:
    return openapi.document("Sales intelligence", paths_of(ROUTES, _operations()), _schemas())


def _operations() -> dict[Route, Json]:
    sale, sales, embeddings = json_of("Sale"), json_of("SalePage"), json_of("EmbeddingPage")
    one = [
        {**query(_BY_NAME[name].label, _BY_NAME[name].schema()), "required": True}
        for name in ("product_id", "sale_date", "sale_id")
    ]
    return {
        contract.CREATE_SALE: operation(
            "create_sale",
            "Store a sale. Without a saleDate it has the UTC date of today, and repeating the "
            "request until the end of tomorrow changes nothing",
            {201: sale, 200: sale},
            body="NewSale",
            fails=(409,),
        ),
        contract.LIST_SALES: _list(
            "list_sales",
            "Sales of a category, of a brand or of a product",
            sales,
            also=[_name("category"), _name("brand"), _name("product_id"), _season()],
        ),
        contract.CREATE_SALES: operation(
            "create_sales",
            "Store many sales. When one is not valid, none is. One that is there already and "
            "another stays as it is, which is told (409), and the others are stored; with "
            "replace, it is changed to the new one and keeps its createdAt",
            {201: json_of("Stored"), 200: json_of("Stored")},
            body="Batch",
            fails=(409, 413),
        ),
        contract.GET_SALE: operation(
            "get_sale", "Read a sale", {200: sale}, fails=(404,), parameters=one
        ),
        contract.CHANGE_SALE: operation(
            "change_sale",
            "Change a sale",
            {200: sale},
            body="SaleChange",
            fails=(404, 409),
            parameters=one,
        ),
        contract.DELETE_SALE: operation(
            "delete_sale", "Remove a sale", {204: None}, parameters=one
        ),
        contract.EMBEDDINGS: _list(
            "embeddings",
            "Embeddings of a product or of all",
            embeddings,
            also=[_name("product_id")],
        ),
        contract.TREND: operation(
            "trend",
            "Prices of a category or of a brand over time",
            {200: json_of("Trend")},
            fails=(413,),
            parameters=[
                _name("category"),
                _name("brand"),
                *_dates(),
                _season(),
                query("by", {"type": "string", "enum": list(PERIODS)}),
            ],
        ),
        contract.OPENAPI: openapi.this_document(),
    }


def _schemas() -> Json:
    new_sale = _new_sale()
    dated = {**new_sale, "required": [*new_sale["required"], "saleDate"]}
    return {
        "Sale": object_of(
            Sale.__entity__.fields, [f.stored for f in Sale.__entity__.fields if not f.optional]
        ),
        "NewSale": new_sale,
        "DatedSale": dated,
        "SaleChange": {**object_of(CHANGEABLE, [], nullable=True), "minProperties": 1},
        "Batch": _batch(),
        "Stored": only({n: {"type": "integer"} for n in ("stored", "replaced", "unchanged")}),
        "SalePage": page_of(ref("Sale")),
        "EmbeddingPage": page_of(object_of([_BY_NAME[name] for name in _EMBEDDING], [])),
        "Trend": _trend(),
    }


def _new_sale() -> Json:
    needed = [f.stored for f in GIVEN if not f.optional and f.name not in _MADE]
    schema = object_of(GIVEN, [name for name in needed if name != "salePrice"], nullable=True)
    properties = schema["properties"]
    for name, description in _MADE.items():
        field = _BY_NAME[name]
        described = {**or_null(field.schema()), "description": f"When absent: {description}"}
        properties[field.label] = described
    properties["salePrice"] = or_null(properties["salePrice"])
    properties["price"] = {**properties["salePrice"], "description": "Another name of salePrice"}
    either = [
        {"required": [name], "properties": {name: {"type": "number"}}}
        for name in ("salePrice", "price")
    ]
    return {**schema, "anyOf": either}


def _batch() -> Json:
    sales = list_of(ref("DatedSale"), minItems=1, maxItems=MAX_BATCH)
    replace = {"type": "boolean", "default": False}
    return {**only({"sales": sales, "replace": replace}), "required": ["sales"]}


def _trend() -> Json:
    number = {"type": "number"}
    period = {
        "period": {"type": "string"},
        "count": {"type": "integer"},
        "min": number,
        "median": number,
        "mean": number,
        "max": number,
    }
    trend = only(
        {
            "category": {"type": "string"},
            "brand": {"type": "string"},
            "by": {"type": "string", "enum": list(PERIODS)},
            "periods": list_of(only(period)),
        }
    )
    return {**trend, "required": ["by", "periods"]}


def _list(name: str, summary: str, content: Json, *, also: Iterable[Any] = ()) -> Json:
    order = query("order", {"type": "string", "enum": ["asc", "desc"], "default": "asc"})
    parameters = [*_dates(), *paging(), order, *also]
    return operation(name, summary + ", by date", {200: content}, parameters=parameters)


def _name(name: str) -> Json:
    return query(_BY_NAME[name].label, _BY_NAME[name].schema())


def _dates() -> list[Json]:
    return [query(name, {"type": "string", "format": "date"}) for name in ("from", "to")]


def _season() -> Json:
    return query("season", {"type": "string", "enum": list(SEASONS)})
