"""Routes of counts: a tenant's last days, and a day of all tenants."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, OperatorRequest, TenantRequest, list_answer
from lambdas.forms.metrics.dashboard import DAYS_BACK, MOST_DAYS_BACK, Dashboard
from lambdas.http.answers import answer
from lambdas.http.application import routed
from lambdas.http.requests import whole_number

router = Router()  # type: ignore[no-untyped-call]


@routed(router, contract.METRICS)
def metrics() -> Response[str]:
    request = TenantRequest(router.current_event, "days")
    days = whole_number(
        "days", request.parameters.get("days"), default=DAYS_BACK, most=MOST_DAYS_BACK
    )
    counts = Dashboard(request.store, resources.current().now())
    return answer(counts.metrics(request.tenant, days))


@routed(router, contract.TENANTS_METRICS)
def tenants_metrics() -> Response[str]:
    request = OperatorRequest(router.current_event, "date", *PAGING)
    now = resources.current().now()
    date = request.parameters.get("date", now.date().isoformat())
    page = Dashboard(resources.current().shared(), now).tenants(date, **request.paging)
    return list_answer(page)
