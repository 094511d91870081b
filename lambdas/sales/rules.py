"""Rules of a sale: what a request must meet before anything is stored."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.errors import Errors, InvalidRequest, RequestConflict, TooMuch
from lambdas.http.bodies import changes, fields_of, made, only, sound
from tablewright.catalog.sales.design import Sale, with_defaults
from tablewright.model import Expiry, key_of
from tablewright.model.fields.time import iso_utc

MAX_BATCH = 5000

_OURS = ("tenant", "created_at", "updated_at")
GIVEN = tuple(field for field in Sale.__entity__.fields if field.name not in _OURS)
CHANGEABLE = tuple(field for field in GIVEN if field.name not in Sale.__entity__.key.fields)


def sale_from(
    body: Any, tenant: str, now: datetime, expires: Expiry | None = Sale.__entity__.expires
) -> Sale:
    """A new sale from a request's body; raises InvalidRequest with all that is wrong with it."""
    return sound(*_sale(body, tenant, now, expires))


class Batch(NamedTuple):
    """Sales that are to be stored together; with `replace`, in the place of others."""

    sales: list[Sale]
    replace: bool


def batch_from(
    body: Any, tenant: str, now: datetime, expires: Expiry | None = Sale.__entity__.expires
) -> Batch:
    """New sales from a request's body: all of them, or an error that says which are wrong."""
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
        sale, wrong = _sale(entry, tenant, now, expires)
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


def same_sale(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """Whether two records say the same, whenever they were stored."""
    return all(one.get(field.name) == two.get(field.name) for field in GIVEN)


def _sale(
    body: Any, tenant: str, now: datetime, expires: Expiry | None
) -> tuple[Sale | None, Errors]:
    values, errors = fields_of(Sale, body, [field.name for field in GIVEN])
    if not isinstance(body, dict):
        return None, errors
    sale, wrong = made(Sale, with_defaults({**values, "tenant": tenant}, now))
    oldest = expires.oldest(now) if expires else ""
    if sale and sale.sale_date < oldest:
        # It would be stored, and be gone.
        wrong = [("/saleDate", f"must be {oldest} or later: older sales are not kept")]
    errors += wrong
    return (None if errors else sale), errors
