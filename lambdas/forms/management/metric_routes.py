"""Routes of counts: a tenant's last days, and a day of all tenants."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import access
from lambdas.forms.dashboard import DAYS_BACK, MOST_DAYS_BACK, Dashboard
from lambdas.forms.management.asking import PAGING, Asked, OperatorAsked, listed
from lambdas.http.answers import answer
from lambdas.http.requests import whole_number
from tablewright.catalog.forms.metrics import DAILY

router = Router()  # type: ignore[no-untyped-call]


@router.get("/metrics")
def metrics() -> Response[str]:
    asked = Asked(router.current_event, "days")
    days = whole_number("days", asked.given.get("days"), default=DAYS_BACK, most=MOST_DAYS_BACK)
    counts = Dashboard(asked.store, access.current().now())
    return answer(counts.metrics(asked.tenant, days))


@router.get("/metrics/tenants")
def tenants_metrics() -> Response[str]:
    asked = OperatorAsked(router.current_event, "date", *PAGING)
    now = access.current().now()
    date = asked.given.get("date", now.date().isoformat())
    return listed(DAILY, Dashboard(access.current().shared(), now).tenants(date, **asked.paging))
