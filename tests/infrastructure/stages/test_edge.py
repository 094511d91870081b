"""The edge is as its page says: rates, headers, what is open, and how much of it at once."""

import re

import pytest

from cdk_app.settings import ROOT
from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    only,
    resources,
    synthesize_stage,
    text,
)

pytestmark = pytest.mark.thorough

PAGE = (ROOT / "docs" / "edge.md").read_text()
FUNCTION = "AWS::Lambda::Function"
APIS = ("sales", "sentiment", "forms", "portal")


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    asked = {
        "TABLEWRIGHT_OPEN_CONCURRENCY": "50",
        "TABLEWRIGHT_CORS_ORIGINS": "https://app.example.com",
    }
    return synthesize_stage("dev", tmp_path_factory.mktemp("bounded"), asked)


def open_functions(template: Template) -> set[str]:
    """The functions that some route leads to without a token."""
    integrations = resources(template, "AWS::ApiGatewayV2::Integration")
    routes = resources(template, "AWS::ApiGatewayV2::Route").values()
    return {
        text(integrations[text(route["Target"]).partition("{")[2].rstrip("}")]["IntegrationUri"])
        for route in routes
        if route["AuthorizationType"] == "NONE"
    }


def reserved(assembly: Assembly) -> dict[str, int]:
    return {
        f"{{{id}.Arn}}": function["ReservedConcurrentExecutions"]
        for system in APIS
        for id, function in resources(assembly.template(system), FUNCTION).items()
        if "ReservedConcurrentExecutions" in function
    }


def test_what_is_open_is_bounded_where_asked_for_and_nothing_else(bounded: Assembly) -> None:
    found = reserved(bounded)
    assert set.union(*(open_functions(bounded.template(system)) for system in APIS)) == set(found)
    assert set(found.values()) == {50}


def test_an_account_that_can_spare_nothing_can_deploy(dev: Assembly) -> None:
    assert not {id for id in reserved(dev) if id in open_functions(dev.template("forms"))}


@pytest.mark.parametrize("system", APIS)
def test_the_rate_is_the_page_s(system: str, dev: Assembly) -> None:
    limits = only(dev.template(system), "AWS::ApiGatewayV2::Stage")["DefaultRouteSettings"]
    assert limits == {"ThrottlingRateLimit": 100, "ThrottlingBurstLimit": 200}
    assert "100 requests a second, bursts of 200" in PAGE


def test_the_headers_are_the_page_s(bounded: Assembly) -> None:
    cors = only(bounded.template("portal"), "AWS::ApiGatewayV2::Api")["CorsConfiguration"]
    (sent, told) = re.findall(r"Pages may send (.*?), and read (.*?)\. API", PAGE, re.DOTALL)[0]
    for said, names in ((sent, cors["AllowHeaders"]), (told, cors["ExposeHeaders"])):
        assert [name.lower() for name in re.findall(r"`([\w-]+)`", said)] == names


def test_the_route_that_can_be_bounded_by_hand_is_there(dev: Assembly) -> None:
    routes = resources(dev.template("forms"), "AWS::ApiGatewayV2::Route").values()
    (named,) = re.findall(r'\{"(POST [^"]+)"', PAGE)
    assert named in {route["RouteKey"] for route in routes}
