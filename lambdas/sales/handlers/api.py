"""The sales API: decode, act, answer."""

from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import InvalidRequest
from lambdas.http.answers import answer, page_json, record_json
from lambdas.http.application import application, respond, routed
from lambdas.http.caller import tenant_of
from lambdas.http.requests import choice, json_body, page_limit, parameters
from lambdas.sales import contract
from lambdas.sales.contract import ApiEnvironment
from lambdas.sales.resources import Resources
from lambdas.sales.rules import batch_from, changes_from, in_conflict, sale_from
from lambdas.sales.sales_repository import PageOptions
from lambdas.sales.trend import PERIODS
from tablewright.catalog.sales.design import SEASONS, Sale
from tablewright.runtime.errors import NotFound
from tablewright.runtime.store.reader import Page

logger = Logger()
_KEY = {"product_id": "productId", "sale_date": "saleDate", "sale_id": "saleId"}
app = application({"since": "from", "until": "to", **_KEY})
_DATES = ("from", "to")


@cache
def resources() -> Resources:
    return Resources.of(ApiEnvironment.read(), logger)


if ApiEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.CREATE_SALE)
def create_sale() -> Response[str]:
    new = sale_from(json_body(app.current_event), resources().defaults_of(_tenant()))
    stored = resources().sales.put_sale(new.sale, is_dated=new.is_dated)
    return answer(record_json(stored.sale), 201 if stored.is_new else 200)


@routed(app, contract.CREATE_SALES)
def create_sales() -> Response[str]:
    batch = batch_from(json_body(app.current_event), resources().defaults_of(_tenant()))
    result = resources().sales.batch_write_sales(batch.sales, replace=batch.replace)
    if result.conflicts:
        raise in_conflict(result.conflicts, len(batch.sales))
    counts = {
        "stored": result.stored,
        "replaced": result.replaced,
        "unchanged": result.unchanged,
    }
    return answer(counts, 201 if result.stored else 200)


@routed(app, contract.GET_SALE)
def get_sale() -> Response[str]:
    sale = resources().sales.get_sale(_tenant(), **_key())
    if sale is None:
        raise NotFound("no Sale has this key")
    return answer(record_json(sale))


@routed(app, contract.CHANGE_SALE)
def change_sale() -> Response[str]:
    key, sales = _key(), resources().sales
    changes = changes_from(json_body(app.current_event), sales.now())
    return answer(record_json(sales.update_sale(_tenant(), **key, changes=changes)))


@routed(app, contract.DELETE_SALE)
def delete_sale() -> Response[str]:
    resources().sales.delete_sale(_tenant(), **_key())
    return Response(204)


@routed(app, contract.LIST_SALES)
def list_sales() -> Response[str]:
    sales, tenant = resources().sales, _tenant()
    match _named("category", "brand", "productId"):
        case "category":
            asked, dates, options = _query("category", "season")
            season = asked.get("season")
            return _page(
                sales.query_category_season(
                    tenant, asked["category"], _season(season), *dates, **options
                )
            )
        case "brand":
            asked, dates, options = _query("brand")
            return _page(sales.query_brand_pricing(tenant, asked["brand"], *dates, **options))
    asked, dates, options = _query("productId")
    return _page(sales.query_product_sales(tenant, asked["productId"], *dates, **options))


@routed(app, contract.EMBEDDINGS)
def embeddings() -> Response[str]:
    asked, dates, options = _query("productId")
    sales, tenant = resources().sales, _tenant()
    if "productId" not in asked:
        return _page(sales.query_embeddings(tenant, *dates, **options))
    return _page(sales.query_product_embeddings(tenant, asked["productId"], *dates, **options))


@routed(app, contract.TREND)
def price_trend() -> Response[str]:
    field = _named("category", "brand")
    asked = parameters(app.current_event, (field, *_DATES, "season", "by"))
    season, by = _season(asked.get("season")), choice("by", asked.get("by"), PERIODS)
    start, end = (asked.get(name) for name in _DATES)
    periods = resources().sales.query_price_trend(
        _tenant(), field, asked[field], season, start, end, by
    )
    return answer({field: asked[field], "by": by, "periods": periods})


@routed(app, contract.OPENAPI)
def openapi() -> Response[str]:
    from lambdas.sales.openapi import document  # only whoever asks for it pays for it

    return answer(document())


def _tenant() -> str:
    return tenant_of(app.current_event, Sale.tenant)


def _key() -> dict[str, str]:
    asked = parameters(app.current_event, _KEY.values())
    missing = [(name, "is required") for name in _KEY.values() if name not in asked]
    if missing:
        raise InvalidRequest("The query string does not name a sale.", missing)
    return {field: asked[name] for field, name in _KEY.items()}


def _named(*names: str) -> str:
    """Return which of these the query string names; it must be one."""
    asked = [name for name in names if name in (app.current_event.query_string_parameters or {})]
    if len(asked) != 1:
        fields = f"{', '.join(names[:-1])} or {names[-1]}"
        raise InvalidRequest(
            f"Name the sales by {fields}.", [(fields, "exactly one must be given")]
        )
    return asked[0]


def _query(*names: str) -> tuple[dict[str, str], list[str | None], PageOptions]:
    """Read the parameters of a list: those of these names, its dates and its page."""
    asked = parameters(app.current_event, (*names, *_DATES, "limit", "cursor", "order"))
    options: PageOptions = {
        "limit": page_limit(asked.get("limit")),
        "cursor": asked.get("cursor"),
        "descending": choice("order", asked.get("order"), ("asc", "desc")) == "desc",
    }
    return asked, [asked.get(name) for name in _DATES], options


def _season(text: str | None) -> str | None:
    return None if text is None else choice("season", text, SEASONS)


def _page(page: Page[Sale]) -> Response[str]:
    return answer(page_json(page))
