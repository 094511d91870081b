"""Routes of counts: a tenant's last days, and a day of all tenants."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from lambdas.forms import contract
from lambdas.forms.admin import resources
from lambdas.forms.admin.requests import PAGING, OperatorRequest, TenantRequest, list_answer
from lambdas.forms.metrics.aggregation import (
    DAYS_BACK,
    MOST_DAYS_BACK,
    MetricsAggregationManager,
)
from lambdas.http.answers import answer
from lambdas.http.application import routed
from lambdas.http.requests import whole_number

router = Router()  # type: ignore[no-untyped-call]


@routed(router, contract.METRICS)
def dashboard_metrics() -> Response[str]:
    request = TenantRequest(router.current_event, "days_back")
    days_back = whole_number(
        "days_back",
        request.parameters.get("days_back"),
        default=DAYS_BACK,
        most=MOST_DAYS_BACK,
        least=0,
    )
    metrics = MetricsAggregationManager(request.store, now=resources.current().now)
    return answer(metrics.get_dashboard_metrics(request.tenant, days_back))


@routed(router, contract.TENANTS_METRICS)
def tenants_metrics() -> Response[str]:
    request = OperatorRequest(router.current_event, "date", *PAGING)
    date = request.parameters.get("date", resources.current().now().date().isoformat())
    metrics = MetricsAggregationManager(resources.current().shared())
    return list_answer(metrics.get_tenants_of_day(date, **request.paging))
