"""Admin API of the form system.

Users act for the tenant of their token; members of the group `operators` for any that they name,
and they manage the tenants themselves.
"""

from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.forms import contract
from lambdas.forms.admin import (
    destination_routes,
    metric_routes,
    resources,
    secret_routes,
    submission_routes,
    tenant_routes,
)
from lambdas.forms.contract import AdminEnvironment
from lambdas.http.answers import answer
from lambdas.http.application import application, respond, routed

app = application()
for routes in (
    *(tenant_routes, destination_routes, submission_routes),
    *(secret_routes, metric_routes),
):
    app.include_router(routes.router)

if AdminEnvironment.is_set():
    resources.current()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@routed(app, contract.OPENAPI)
def openapi() -> Response[str]:
    from lambdas.forms.admin.openapi import document  # only whoever asks for it pays for it

    return answer(document())
