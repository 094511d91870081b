"""Routes lead to their functions, and are open only where somebody said why."""

from typing import Any

import pytest
from aws_cdk import Stack

from tablewright.constructs import JwtHttpApi
from tests.infrastructure.constructs.building_blocks import findings, function_in
from tests.infrastructure.synthesis import Template, new_stack, resources, template_of, text

TOKENS = {"issuer": "https://issuer.example.com", "audience": ["client"]}
WHY = "The page itself holds no data."


def api_in(stack: Stack, **props: Any) -> JwtHttpApi:
    return JwtHttpApi(stack, "Api", **{**TOKENS, **props})


def routes(template: Template) -> dict[str, tuple[str, str]]:
    """The function behind each route, and how the route is authorized."""
    targets = {
        f"integrations/{{{id}}}": text(integration["IntegrationUri"])
        for id, integration in resources(template, "AWS::ApiGatewayV2::Integration").items()
    }
    return {
        route["RouteKey"]: (targets[text(route["Target"])], route["AuthorizationType"])
        for route in resources(template, "AWS::ApiGatewayV2::Route").values()
    }


@pytest.fixture(scope="module")
def template() -> Template:
    stack = new_stack()
    data, page = function_in(stack, "Data"), function_in(stack, "Page")
    api = api_in(stack, function=data, routes=[("GET", "/items"), ("GET", "/items/{id}")])
    api.add_routes(page, [("GET", "/"), ("GET", "/app.js")], open_because=WHY)
    api.add_routes(data, [("POST", "/items")])
    api.add_routes(data, [("GET", "/health")], open_because="It says only that it is there.")
    return template_of(stack)


def test_each_route_leads_to_its_function_and_is_open_only_when_told(template: Template) -> None:
    functions = resources(template, "AWS::Lambda::Function")
    (data,) = (f"{{{id}.Arn}}" for id in functions if id.startswith("Data"))
    (page,) = (f"{{{id}.Arn}}" for id in functions if id.startswith("Page"))
    assert routes(template) == {
        "GET /items": (data, "JWT"),
        "GET /items/{id}": (data, "JWT"),
        "POST /items": (data, "JWT"),
        "GET /health": (data, "NONE"),
        "GET /": (page, "NONE"),
        "GET /app.js": (page, "NONE"),
    }


def test_a_function_has_one_permission_for_all_of_its_routes(template: Template) -> None:
    permissions = resources(template, "AWS::Lambda::Permission").values()
    assert len({text(p["FunctionName"]) for p in permissions}) == len(permissions) == 2


def test_an_api_of_open_and_closed_routes_breaks_no_rule() -> None:
    stack = new_stack()
    api = api_in(stack, function=function_in(stack, "Data"), routes=[("GET", "/items")])
    api.add_routes(function_in(stack, "Page"), [("GET", "/")], open_because=WHY)
    assert findings(stack) == set()


def test_an_open_route_without_a_reason_is_refused() -> None:
    stack = new_stack()
    with pytest.raises(ValueError, match="an open route needs a reason"):
        api_in(stack).add_routes(function_in(stack), [("GET", "/")], open_because=" ")


def test_routes_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(ValueError, match="routes, but no function"):
        api_in(new_stack(), routes=[("GET", "/")])


def test_an_api_that_would_accept_any_token_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an audience"):
        api_in(new_stack(), audience=[])


def test_errors_and_answers_that_take_long_ring() -> None:
    stack = new_stack()
    api_in(stack)
    found = resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
    assert {alarm["MetricName"] for alarm in found} == {"5xx", "Latency"}
