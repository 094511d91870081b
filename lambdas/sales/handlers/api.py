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
from lambdas.sales.sales import TenantSales
from lambdas.sales.trend import PERIODS
from tablewright.catalog.sales.design import SEASONS, Sale, Sales, shards_of
from tablewright.model import Query

logger = Logger()
app = application({"since": "from", "until": "to"})
_BY_NAME = {"category": Sales.category_sales, "brand": Sales.brand_sales}


@cache
def resources() -> Resources:
    return Resources.of(ApiEnvironment.read())


if ApiEnvironment.is_set():
    resources()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.CREATE_SALE)
def create_sale() -> Response[str]:
    sale, new = _sales().create(json_body(app.current_event), resources().now())
    logger.info(
        "sale stored",
        tenant=sale.tenant,
        product_id=sale.product_id,
        sale_id=sale.sale_id,
        shards=shards_of(sale, resources().table),
        new=new,
    )
    return answer(record_json(sale), 201 if new else 200)


@routed(app, contract.CREATE_SALES)
def create_sales() -> Response[str]:
    sales = _sales()
    done = sales.create_many(json_body(app.current_event), resources().now())
    logger.info(
        "sales stored",
        tenant=sales.tenant,
        count=done.stored,
        replaced=done.replaced,
        unchanged=done.unchanged,
    )
    told = {"stored": done.stored, "replaced": done.replaced, "unchanged": done.unchanged}
    return answer(told, 201 if done.stored else 200)


@routed(app, contract.GET_SALE)
def get_sale(product_id: str, sale_date: str, sale_id: str) -> Response[str]:
    key = {"product_id": product_id, "sale_date": sale_date, "sale_id": sale_id}
    sale = _sales().one(**key)
    logger.info("sale read", extra={"tenant": sale.tenant, **key})
    return answer(record_json(sale))


@routed(app, contract.CHANGE_SALE)
def change_sale(product_id: str, sale_date: str, sale_id: str) -> Response[str]:
    key = {"product_id": product_id, "sale_date": sale_date, "sale_id": sale_id}
    sale = _sales().change(json_body(app.current_event), resources().now(), **key)
    logger.info("sale changed", shards=shards_of(sale), extra={"tenant": sale.tenant, **key})
    return answer(record_json(sale))


@routed(app, contract.DELETE_SALE)
def delete_sale(product_id: str, sale_date: str, sale_id: str) -> Response[str]:
    key = {"product_id": product_id, "sale_date": sale_date, "sale_id": sale_id}
    sales = _sales()
    sales.remove(**key)
    logger.info("sale removed", extra={"tenant": sales.tenant, **key})
    return Response(204)


@routed(app, contract.PRODUCT_SALES)
def product_sales(product_id: str) -> Response[str]:
    return _page(Sales.product_sales, product_id=product_id)


@routed(app, contract.PRODUCT_EMBEDDINGS)
def product_embeddings(product_id: str) -> Response[str]:
    return _page(Sales.product_embeddings, product_id=product_id)


@routed(app, contract.EMBEDDINGS)
def embeddings() -> Response[str]:
    return _page(Sales.embeddings)


@routed(app, contract.LIST_SALES)
def list_sales() -> Response[str]:
    named = _named("Sales are listed by category or by brand.")
    return _page(_BY_NAME[named], named=named)


@routed(app, contract.TREND)
def price_trend() -> Response[str]:
    named = _named("A trend is of a category or of a brand.")
    given = parameters(app.current_event, (named, "from", "to", "season", "by"))
    season = choice("season", given["season"], SEASONS) if "season" in given else None
    by = choice("by", given.get("by"), PERIODS)
    sales = _sales()
    periods = sales.price_trend(
        named, given[named], since=given.get("from"), until=given.get("to"), season=season, by=by
    )
    count = sum(period["count"] for period in periods)
    logger.info("trend computed", tenant=sales.tenant, asked={named: given[named]}, count=count)
    return answer({named: given[named], "by": by, "periods": periods})


@routed(app, contract.OPENAPI)
def openapi() -> Response[str]:
    from lambdas.sales.openapi import document  # only whoever asks for it pays for it

    return answer(document())


def _sales() -> TenantSales:
    return resources().sales_of(tenant_of(app.current_event, Sale.tenant))


def _named(says: str) -> str:
    """By what sales are asked for. Names may hold any text, and an address cannot: API Gateway
    takes a%2Fb for a/b."""
    given = [name for name in _BY_NAME if name in (app.current_event.query_string_parameters or {})]
    if len(given) != 1:
        raise InvalidRequest(says, [(" or ".join(_BY_NAME), "exactly one must be given")])
    return given[0]


def _page(pattern: Query[Sale], named: str | None = None, **where: str) -> Response[str]:
    """A page of a list; the field `named`, if any, is taken from the query string."""
    asked = ("from", "to", "limit", "cursor", "order", *pattern.filters)
    given = parameters(app.current_event, (*asked, named) if named else asked)
    where |= {named: given[named]} if named else {}
    sales = _sales()
    page = sales.page(
        pattern,
        where,
        since=given.get("from"),
        until=given.get("to"),
        matching={name: given.get(name) for name in pattern.filters},
        descending=choice("order", given.get("order"), ("asc", "desc")) == "desc",
        limit=page_limit(given.get("limit")),
        cursor=given.get("cursor"),
    )
    logger.info(
        "listed", pattern=pattern.name, tenant=sales.tenant, asked=where, count=len(page.items)
    )
    return answer(page_json(page))
