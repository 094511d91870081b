"""What a stage costs while nobody uses it: little, below its own alerts, and as the page says."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cdk_app.settings import read
from docs.idle_cost import (
    HEALING_METRICS,
    PAGE,
    STAGES,
    Unpriced,
    costs_with_insights,
    idle_cost,
    page,
)
from tablewright.costs.bill import firewall_month
from tablewright.costs.price_lists import US_EAST_1
from tablewright.model.healing import EXECUTION_TIME, ITEMS_FOUND, ITEMS_REPUBLISHED
from tests.infrastructure.stages.own_metrics import written
from tests.infrastructure.synthesis import VARIANTS, Assembly, synthesize_stage

MOST_FOR_DEV = Decimal(5)
MOST_FOR_PROD = Decimal(20)
# The stages of the page, as they are made for the tests.
pytestmark = pytest.mark.thorough

VARIANT = ("dev", "staging", "prod", "prod-virginia", "prod-us-east-1", "prod-accelerated")
MADE = dict(zip(STAGES, VARIANT, strict=True))


@pytest.fixture(scope="module")
def costs(stage: Callable[[str], Assembly]) -> dict[str, dict[str, Decimal]]:
    assert {name: VARIANTS.get(made, {}) for name, made in MADE.items()} == {
        name: environ for name, (_, environ) in STAGES.items()
    }
    return {
        name: costs_with_insights(stage(made).templates.values(), US_EAST_1)
        for name, made in MADE.items()
    }


def test_the_page_is_what_the_templates_cost(costs: dict[str, dict[str, Decimal]]) -> None:
    assert PAGE.read_text() == page(costs), "run `make docs`"


def test_idle_dev_stage_costs_less_than_five_dollars(
    costs: dict[str, dict[str, Decimal]],
) -> None:
    assert costs["dev"]["in all"] < MOST_FOR_DEV


def test_an_idle_prod_in_one_region_costs_at_most_twenty_dollars(
    costs: dict[str, dict[str, Decimal]],
) -> None:
    assert costs["prod, one region"]["in all"] <= MOST_FOR_PROD


@pytest.mark.parametrize("name", list(STAGES)[:4])
def test_idle_stage_costs_less_than_its_first_limit(
    name: str, costs: dict[str, dict[str, Decimal]]
) -> None:
    stage, environ = STAGES[name]
    assert costs[name]["in all"] < min(read({"stage": stage}.get, environ).cost_limits)


def test_every_metric_of_an_alarm_and_every_zone_of_an_endpoint_counts() -> None:
    stat: dict[str, Any] = {"MetricStat": {}}
    resources = {
        "Plain": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "Errors"}},
        "Key": {"Type": "AWS::KMS::ReplicaKey", "Properties": {}},
        "Ring": {
            "Type": "AWS::SecretsManager::Secret",
            "Properties": {"ReplicaRegions": [{"Region": "us-west-2"}]},
        },
        "Sum": {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {"Metrics": [{"Expression": "SUM(METRICS())"}, stat, stat]},
        },
        "Secrets": {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {"VpcEndpointType": "Interface", "SubnetIds": ["a", "b", "c"]},
        },
        "Tables": {"Type": "AWS::EC2::VPCEndpoint", "Properties": {"VpcEndpointType": "Gateway"}},
        "Nodes": {
            "Type": "AWS::DAX::Cluster",
            "Properties": {"NodeType": "dax.t3.small", "ReplicationFactor": 3},
        },
    }
    found = idle_cost([{"Resources": resources}], US_EAST_1)
    assert found["metrics of alarms"] == Decimal("0.30")
    assert found["endpoints of its network"] == Decimal("21.90")
    assert found["nodes of the accelerator"] == Decimal("87.60")
    assert (found["keys"], found["secrets"]) == (Decimal("1.00"), Decimal("0.80"))


@pytest.mark.parametrize(
    ("mode", "rules"), [("THROTTLED_KEYS", 8), ("ACCESSED_AND_THROTTLED_KEYS", 16), (None, 0)]
)
def test_rules_of_contributor_insights_count_by_key_and_region(
    mode: str | None, rules: int
) -> None:
    replica: dict[str, Any] = {"ContributorInsightsSpecification": {"Enabled": mode is not None}}
    if mode:
        replica["ContributorInsightsSpecification"]["Mode"] = mode
    table = {
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "PK"}, {"AttributeName": "SK"}],
        "GlobalSecondaryIndexes": [
            {"IndexName": "a", "KeySchema": [{"AttributeName": "A"}]},
            {"IndexName": "b", "KeySchema": [{"AttributeName": "B"}]},
        ],
        "Replicas": [replica, replica],
    }
    stack = {"Resources": {"T": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": table}}}
    found = idle_cost([stack], US_EAST_1)
    assert found["contributor insights"] == found["in all"] == rules * Decimal("0.50")


def test_setting_switches_contributor_insights_on(tmp_path: Path) -> None:
    environ = {"TABLEWRIGHT_CONTRIBUTOR_INSIGHTS": "throttled"}
    made = synthesize_stage("dev", tmp_path, environ)
    # Table and index keys of dev, counted by hand: 55.
    assert idle_cost(made.templates.values(), US_EAST_1)["contributor insights"] == Decimal("27.50")


def test_resource_type_without_a_price_is_refused() -> None:
    stack = {"Resources": {"New": {"Type": "AWS::EC2::NatGateway", "Properties": {}}}}
    with pytest.raises(Unpriced, match="New is AWS::EC2::NatGateway: give it a price"):
        idle_cost([stack], US_EAST_1)


@pytest.mark.parametrize("name", ["prod-replicated-encrypted", "prod-accelerated"])
def test_every_resource_type_of_the_templates_is_priced_or_free(name: str, tmp_path: Path) -> None:
    more = {"TABLEWRIGHT_CUSTOMER_KEYS": "sales", "TABLEWRIGHT_FIREWALL": "on"}
    told = {"TABLEWRIGHT_ALARM_EMAIL": "ops@example.com", "TABLEWRIGHT_RECOMMENDATIONS": "25"}
    made = synthesize_stage(name, tmp_path, {**more, **told})
    assert idle_cost(made.templates.values(), US_EAST_1)["firewall"] == firewall_month(US_EAST_1)


def test_lambda_polls_queues_for_money_and_streams_for_nothing(dev: Assembly) -> None:
    with_mappings = [
        {
            "Resources": {
                id: resource
                for id, resource in template["Resources"].items()
                if resource["Type"] == "AWS::Lambda::EventSourceMapping"
            }
        }
        for template in dev.templates.values()
    ]
    mappings = sum(len(template["Resources"]) for template in with_mappings)
    assert mappings == 8
    # Four of them at queues: 657,000 requests a month each, at 40 cents a million.
    assert idle_cost(with_mappings, US_EAST_1)["polling of queues"] == Decimal("1.05")


def test_of_functions_with_nothing_to_do_only_healing_writes_metrics(dev: Assembly) -> None:
    names = {metric.name for metric in written(dev, each=0)}
    assert names == {ITEMS_FOUND, ITEMS_REPUBLISHED, EXECUTION_TIME}
    assert len(names) == HEALING_METRICS
