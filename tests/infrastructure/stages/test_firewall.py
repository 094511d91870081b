"""CloudFront and a web ACL in front of the APIs, in a stage that asks for them."""

from typing import Any

import pytest

from cdk_app.settings import ROOT, read
from tablewright.costs.bill import FIREWALL_RULES
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
KEY = "secretsmanager"
ON = {"TABLEWRIGHT_FIREWALL": "on", "TABLEWRIGHT_CORS_ORIGINS": "https://app.example.com"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """At home in Ireland, so that the firewall stands in another region."""
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
