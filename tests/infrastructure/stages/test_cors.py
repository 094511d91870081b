"""Pages of other origins: by default of none, and of those that a setting names everywhere."""

import pytest

from tests.infrastructure.synthesis import (
    Assembly,
    Template,
    one,
    only,
    resources,
    synthesize_stage,
)

pytestmark = pytest.mark.thorough

APIS = ("sales", "sentiment", "forms", "portal")
# Where browsers upload to, or download from, by signed addresses.
BUCKETS = {"forms": "Payloads", "portal": "Files"}
ORIGINS = ["https://app.example.com", "http://localhost:3000"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    asked = {"TABLEWRIGHT_CORS_ORIGINS": ",".join(ORIGINS)}
    return synthesize_stage("dev", tmp_path_factory.mktemp("opened"), asked)


def cors_of(template: Template) -> Template | None:
    found: Template | None = only(template, "AWS::ApiGatewayV2::Api").get("CorsConfiguration")
    return found


@pytest.mark.parametrize("system", APIS)
def test_no_page_of_another_origin_gets_in_by_default(system: str, dev: Assembly) -> None:
    template = dev.template(system)
    assert cors_of(template) is None
    for bucket in resources(template, "AWS::S3::Bucket").values():
        assert "CorsConfiguration" not in bucket


@pytest.mark.parametrize("system", APIS)
def test_pages_that_are_named_may_send_and_read_what_clients_need(
    system: str, opened: Assembly
) -> None:
    template = opened.template(system)
    cors = cors_of(template)
    assert cors
    assert cors["AllowOrigins"] == ORIGINS
    assert {"authorization", "content-type", "if-match"} <= set(cors["AllowHeaders"])
    assert {"etag", "location", "retry-after"} <= set(cors["ExposeHeaders"])
    assert cors["AllowMethods"] == ["*"]
    # Tokens are sent by pages, never by browsers of their own accord.
    assert "AllowCredentials" not in cors
    # A route for it would ask a preflight request for a token, which it never has.
    routes = resources(template, "AWS::ApiGatewayV2::Route").values()
    keys = [route["RouteKey"] for route in routes]
    assert not [key for key in keys if key.startswith(("OPTIONS", "ANY", "$default"))]


@pytest.mark.parametrize("system", BUCKETS)
def test_files_are_uploaded_and_downloaded_by_these_pages(system: str, opened: Assembly) -> None:
    template = opened.template(system)
    (rule,) = one(template, "AWS::S3::Bucket", BUCKETS[system])["CorsConfiguration"]["CorsRules"]
    assert rule["AllowedOrigins"] == ORIGINS
    assert rule["AllowedMethods"] == ["GET", "PUT"]
    assert rule["AllowedHeaders"] == ["*"]
    assert rule["ExposedHeaders"] == ["ETag"]


def test_no_other_bucket_is_opened(opened: Assembly) -> None:
    for system in APIS:
        buckets = resources(opened.template(system), "AWS::S3::Bucket")
        others = [id for id in buckets if not id.startswith(BUCKETS.get(system, "none"))]
        assert not [id for id in others if "CorsConfiguration" in buckets[id]]
