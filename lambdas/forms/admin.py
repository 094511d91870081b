"""The admin API: decode, act, answer.

Users act for the tenant of their token; members of the group `operators` for any that they name,
and they manage the tenants themselves.
"""

import os
from typing import Any

from aws_lambda_powertools.event_handler import Response

from lambdas.forms import access
from lambdas.forms.management import (
    destination_routes,
    metric_routes,
    secret_routes,
    submission_routes,
    tenant_routes,
)
from lambdas.http.answers import answer
from lambdas.http.application import application, respond

app = application()
for routes in (
    *(tenant_routes, destination_routes, submission_routes),
    *(secret_routes, metric_routes),
):
    app.include_router(routes.router)

if "TENANT_ROLE_ARN" in os.environ:
    access.current()  # while the function starts, when Lambda gives it the most CPU


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return respond(app, event, context)


@app.get("/openapi.json")
def openapi() -> Response[str]:
    from lambdas.forms.openapi import document  # only whoever asks for it pays for it

    return answer(document())
