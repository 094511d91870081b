"""Rules of a sale: what a request must meet before anything is stored."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from lambdas.errors import Errors, InvalidRequest, RequestConflict, TooMuch
from lambdas.http.bodies import changes, fields_of, made, only, sound
from lambdas.sales.embeddings import embedding_id_of, embedding_s3_key_of
from tablewright.catalog.sales.design import Sale, create_sales_record, season_of
from tablewright.model import Expiry, Field, InvalidValue, key_of
from tablewright.model.fields.time import iso_utc

MAX_BATCH = 5000

_OURS = ("tenant", "created_at", "updated_at")
GIVEN = tuple(field for field in Sale.__entity__.fields if field.name not in _OURS)
CHANGEABLE = tuple(field for field in GIVEN if field.name not in Sale.__entity__.key.fields)


class NewSale(NamedTuple):
    """A sale to store; `is_dated` is False if its date was made of the clock."""

    sale: Sale
    is_dated: bool


class Defaults(NamedTuple):
    """Values that new sales get from their request's context."""

    tenant: str
    now: datetime
    embedding_bucket: str
    expires: Expiry | None = Sale.__entity__.expires


def sale_from(body: Any, defaults: Defaults) -> NewSale:
    """Read a new sale from a request's body; raises InvalidRequest with everything wrong with it.

    A sale without a date gets the UTC date of today.
    """
    is_dated = not isinstance(body, dict) or body.get("saleDate") is not None
    if not is_dated:
        body = {**body, "saleDate": day_of(defaults.now)}
    return NewSale(sound(*_sale(body, defaults)), is_dated)


class Batch(NamedTuple):
    """Sales that are to be stored together; with `replace`, in the place of others."""

    sales: list[Sale]
    replace: bool


def batch_from(body: Any, defaults: Defaults) -> Batch:
    """Read new sales from a request's body: all of them, or an error that says which are wrong.

    Each has its date: a batch that is retried after midnight would store those without one again.
    """
    members = only(body, ("sales", "replace"))
    entries, replace = members.get("sales"), members.get("replace", False)
    if not isinstance(entries, list) or not entries:
        wrong = [("/sales", "must be a list of at least one sale")]
        raise InvalidRequest("The batch is not valid; nothing was stored.", wrong)
    if not isinstance(replace, bool):
        wrong = [("/replace", "must be true or false")]
        raise InvalidRequest("The batch is not valid; nothing was stored.", wrong)
    if len(entries) > MAX_BATCH:
        raise TooMuch(f"A batch may have at most {MAX_BATCH} sales.")
    sales, errors = [], []
    first: dict[tuple[Any, ...], int] = {}
    for number, entry in enumerate(entries):
        sale, wrong = _sale(entry, defaults)
        errors += [(f"/sales/{number}{pointer}", reason) for pointer, reason in wrong]
        if sale is not None:
            sales.append(sale)
            key = tuple(key_of(sale).values())
            earlier = first.setdefault(key, number)
            if earlier != number:
                errors.append((f"/sales/{number}", f"is the same sale as /sales/{earlier}"))
    if errors:
        raise InvalidRequest(f"{len(errors)} errors in the batch; nothing was stored.", errors)
    return Batch(sales, replace)


def in_conflict(positions: Sequence[int], of: int) -> RequestConflict:
    """What is said of a batch some of which has the keys of other sales."""
    reason = 'has the key of another sale: give it its own, or send "replace": true'
    detail = f"{len(positions)} of {of} sales were not stored; the others are."
    return RequestConflict(detail, [(f"/sales/{position}", reason) for position in positions])


def changes_from(body: Any, now: datetime) -> dict[str, Any]:
    """The fields that a request changes; null removes an optional one."""
    allowed = [field.name for field in CHANGEABLE]
    return {**changes(Sale, body, allowed, lambda _: []), "updated_at": iso_utc(now)}


def differing_fields(stored: Mapping[str, Any], sale: Mapping[str, Any]) -> list[Field[Any]]:
    """Return the fields by which a sale differs from the one that is stored, whenever that was.

    Seasons that follow from the dates of both do not differ, although the dates may.
    """
    different = [field for field in CHANGEABLE if stored.get(field.name) != sale.get(field.name)]
    if all(one["season"] == season_of(one["sale_date"]) for one in (stored, sale)):
        return [field for field in different if field.name != "season"]
    return different


def day_of(moment: datetime) -> str:
    """Return the UTC date of a moment."""
    return iso_utc(moment)[:10]


def _sale(body: Any, defaults: Defaults) -> tuple[Sale | None, Errors]:
    body, price, wrong_price = _with_sale_price(body)
    allowed = [field.name for field in GIVEN]
    values, errors = fields_of(Sale, body, allowed, {"tenant": defaults.tenant})
    if not isinstance(body, dict):
        return None, errors
    values = {"tenant": defaults.tenant, **values}
    values |= _embedding(values, defaults.embedding_bucket)
    sale, wrong = made(Sale, values, partial(create_sales_record, now=defaults.now))
    oldest = defaults.expires.oldest(defaults.now) if defaults.expires else ""
    if sale and sale.sale_date < oldest:
        # It would be stored, and be gone.
        wrong = [("/saleDate", f"must be {oldest} or later: older sales are not kept")]
    errors += [(price if at == "/salePrice" else at, reason) for at, reason in wrong]
    errors += wrong_price
    return (None if errors else sale), errors


def _with_sale_price(body: Any) -> tuple[Any, str, Errors]:
    """Take the published name `price` for salePrice. Return the pointer to the price as well."""
    if not isinstance(body, dict) or "price" not in body:
        return body, "/salePrice", []
    fields = {name: value for name, value in body.items() if name != "price"}
    price, sale_price = body["price"], fields.get("salePrice")
    if price is None:
        return fields, "/salePrice", []
    if sale_price is None:
        return {**fields, "salePrice": price}, "/price", []
    if isinstance(price, bool) or price != sale_price:
        reason = f"is {price}, and salePrice is {sale_price}: send one of them, or equal ones"
        return fields, "/salePrice", [("/price", reason)]
    return fields, "/salePrice", []


def _embedding(values: Mapping[str, Any], bucket: str) -> dict[str, str]:
    """Make the embedding's id and address, where they are missing."""
    try:
        product = Sale.product_id.check(values.get("product_id"))
        sale = Sale.sale_id.check(values.get("sale_id"))
    except InvalidValue:
        product = sale = "invalid"  # the id itself is reported
    tenant = values["tenant"]
    made_here = {
        "embedding_id": embedding_id_of(tenant, product, sale),
        "embedding_s3_key": embedding_s3_key_of(bucket, tenant, product, sale),
    }
    return {name: value for name, value in made_here.items() if values.get(name) is None}
