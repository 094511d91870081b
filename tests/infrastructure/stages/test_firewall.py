"""CloudFront and a web ACL in front of the APIs, in a stage that asks for them."""

from pathlib import Path
from typing import Any

import pytest
from cfnlint.api import lint_by_config
from cfnlint.config import ManualArgs

from cdk_app.settings import ROOT, read
from tablewright.costs.bill import FIREWALL_RULES
from tests.infrastructure.stages.test_cfn_lint import IGNORED
from tests.infrastructure.stages.test_guarded_types import check_types
from tests.infrastructure.stages.test_settings import message
from tests.infrastructure.synthesis import (
    IN_VIRGINIA,
    Assembly,
    Template,
    only,
    resources,
    synthesize_stage,
    text,
)

pytestmark = pytest.mark.thorough

APIS = ("Sales", "Sentiment", "Forms", "Portal")
DISTRIBUTION = "AWS::CloudFront::Distribution"
ON = {"TABLEWRIGHT_FIREWALL": "on", "TABLEWRIGHT_CORS_ORIGINS": "https://app.example.com"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """At home in Ireland, so that the firewall stands in another region."""
    told = {**IN_VIRGINIA, **ON, "TABLEWRIGHT_REGION": "eu-west-1"}
    return synthesize_stage("dev", tmp_path_factory.mktemp("guarded"), told)


@pytest.fixture(scope="module")
def firewall(guarded: Assembly) -> Template:
    return guarded.template("firewall-us-east-1")


def configs(firewall: Template) -> list[dict[str, Any]]:
    return [one["DistributionConfig"] for one in resources(firewall, DISTRIBUTION).values()]


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_a_stage_has_no_firewall_unless_it_is_asked_for(name: str) -> None:
    assert read({"stage": name}.get, {}).firewall is False


def test_the_rules_hold_before_cdk_nag(guarded: Assembly) -> None:
    assert guarded.findings() == set()


def test_cfn_lint_finds_nothing(guarded: Assembly) -> None:
    stacks = ("firewall-us-east-1", "identity", "sales")
    files = [str(file) for name, file in guarded.files.items() if name.endswith(stacks)]
    assert len(files) == len(stacks)
    asked = ManualArgs(regions=["us-east-1"], ignore_checks=sorted(IGNORED), templates=files)
    assert [match.message for match in lint_by_config(asked)] == []


def test_every_type_is_guarded_or_free(guarded: Assembly) -> None:
    check_types(guarded)


def test_deployments_find_the_stack_by_the_name_of_its_key(guarded: Assembly) -> None:
    # As deployment/target.py spells them.
    assert "tablewright-dev-firewall-us-east-1" in guarded.templates
    assert edge_key(guarded)["Name"] == "tablewright/dev/edge-key"


def test_each_api_has_an_address_behind_the_web_acl(firewall: Template) -> None:
    assert {f"{name}Url" for name in APIS} <= firewall["Outputs"].keys()
    (acl,) = resources(firewall, "AWS::WAFv2::WebACL")
    assert [text(one["WebACLId"]) for one in configs(firewall)] == 4 * [f"{{{acl}.Arn}}"]
    assert only(firewall, "AWS::WAFv2::WebACL")["Scope"] == "CLOUDFRONT"


def test_a_home_in_virginia_needs_no_other_region(tmp_path: Path) -> None:
    made = synthesize_stage("dev", tmp_path, {**IN_VIRGINIA, **ON})
    assert len(resources(made.template("firewall"), DISTRIBUTION)) == 4
    assert "ReplicaRegions" not in edge_key(made)


def edge_key(assembly: Assembly) -> Template:
    secrets = resources(assembly.template("identity"), "AWS::SecretsManager::Secret")
    (key,) = (secret for id, secret in secrets.items() if id.startswith("EdgeKey"))
    return key


def test_requests_reach_the_api_as_they_were_sent_and_nothing_is_cached(
    firewall: Template,
) -> None:
    for config in configs(firewall):
        behavior = config["DefaultCacheBehavior"]
        assert behavior["ViewerProtocolPolicy"] == "https-only"
        assert set(behavior["AllowedMethods"]) >= {"OPTIONS", "POST", "PATCH", "PUT", "DELETE"}
        # The policies of AWS: CachingDisabled, and AllViewerExceptHostHeader, which hands on
        # Authorization, query strings and Origin.
        assert behavior["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
        assert behavior["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"
        (origin,) = config["Origins"]
        assert ".execute-api.eu-west-1." in text_of(origin["DomainName"])
        assert origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
        assert origin["CustomOriginConfig"]["OriginSSLProtocols"] == ["TLSv1.2"]


def text_of(value: Any) -> str:
    """A text with the ids of APIs in other regions left out."""
    return "".join(part if isinstance(part, str) else "{}" for part in value["Fn::Join"][1])


def test_cloudfront_sends_the_key_that_functions_want(
    guarded: Assembly, firewall: Template
) -> None:
    assert edge_key(guarded)["ReplicaRegions"] == [{"Region": "us-east-1"}]
    name = edge_key(guarded)["Name"]
    for config in configs(firewall):
        ((header,),) = (origin["OriginCustomHeaders"] for origin in config["Origins"])
        assert header["HeaderName"] == "x-firewall-key"
        assert header["HeaderValue"] == f"{{{{resolve:secretsmanager:{name}:SecretString:::}}}}"


@pytest.mark.parametrize("system", [name.lower() for name in APIS])
def test_every_function_behind_an_api_is_told_the_key(system: str, guarded: Assembly) -> None:
    template = guarded.template(system)
    integrations = resources(template, "AWS::ApiGatewayV2::Integration").values()
    behind = {text(one["IntegrationUri"]).strip("{}").split(".")[0] for one in integrations}
    functions = resources(template, "AWS::Lambda::Function")
    told = {
        id
        for id, one in functions.items()
        if "EDGE_KEY" in one.get("Environment", {}).get("Variables", {})
    }
    assert behind <= functions.keys()
    assert told == behind


def test_the_rules_are_those_that_aws_maintains_and_a_rate(firewall: Template) -> None:
    rules = only(firewall, "AWS::WAFv2::WebACL")["Rules"]
    groups = [
        one["Statement"]["ManagedRuleGroupStatement"]["Name"]
        for one in rules
        if "ManagedRuleGroupStatement" in one["Statement"]
    ]
    assert groups == [
        "AWSManagedRulesAmazonIpReputationList",
        "AWSManagedRulesKnownBadInputsRuleSet",
        "AWSManagedRulesCommonRuleSet",
    ]
    (rate,) = (one for one in rules if one["Name"] == "Rate")
    # Half of 100 requests a second, for five minutes.
    assert rate["Statement"]["RateBasedStatement"]["Limit"] == 15_000
    assert rate["Action"] == {"Block": {}}
    assert len(rules) == FIREWALL_RULES


def test_bodies_larger_than_eight_kilobytes_and_with_markup_get_through(
    firewall: Template,
) -> None:
    rules = only(firewall, "AWS::WAFv2::WebACL")["Rules"]
    common = rules[-1]["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    counted = {one["Name"] for one in common if one["ActionToUse"] == {"Count": {}}}
    assert {"SizeRestrictions_BODY", "CrossSiteScripting_BODY"} <= counted


def test_blocked_requests_are_logged_without_their_tokens(firewall: Template) -> None:
    logging = only(firewall, "AWS::WAFv2::LoggingConfiguration")
    assert logging["RedactedFields"] == [{"SingleHeader": {"Name": "authorization"}}]
    assert logging["LoggingFilter"]["DefaultBehavior"] == "DROP"
    group = only(firewall, "AWS::Logs::LogGroup")["LogGroupName"]
    assert group.startswith("aws-waf-logs-")


def test_the_firewall_needs_a_region_and_a_cloud_that_has_cloudfront() -> None:
    said = message({"TABLEWRIGHT_FIREWALL": "on"})
    assert "TABLEWRIGHT_FIREWALL is set, but not the region" in said
    said = message({"TABLEWRIGHT_FIREWALL": "on"}, stage="local")
    assert "the local cloud has no CloudFront" in said


def test_the_page_has_the_rules() -> None:
    page = (ROOT / "docs" / "edge.md").read_text()
    assert "## A firewall" in page
    assert "15,000 requests in five minutes" in page
