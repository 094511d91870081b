"""Idle cost: what a stage costs a month while nobody uses it, from its templates."""

import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from aws_cdk import App

from cdk_app.application import build
from cdk_app.settings import ROOT, read
from tablewright.costs.bill import firewall_month
from tablewright.costs.price_lists import US_EAST_1
from tablewright.costs.prices import HOURS_PER_MONTH, Prices
from tablewright.pages.markdown import table

Template = Mapping[str, Any]

PAGE = ROOT / "docs" / "idle-cost.md"
# Lambda waits at a queue with five requests of up to 20 seconds each.
RECEIVES_A_MONTH = 5 * 3 * 60 * HOURS_PER_MONTH
# A pipe polls the one shard of an idle table's stream four times a second.
STREAM_READS_A_MONTH = 4 * 3600 * HOURS_PER_MONTH
# Written by every run, also at zero: found, republished, execution time.
HEALING_METRICS = 3
VIRGINIA = {"TABLEWRIGHT_ACCOUNT": "111122223333", "TABLEWRIGHT_REGION": "us-east-1"}
# Resource types that cost nothing while nobody uses them.
FREE = frozenset(
    (
        *(f"AWS::ApiGatewayV2::{name}" for name in ("Api", "Authorizer", "Integration", "Route")),
        *("AWS::ApiGatewayV2::Stage", "AWS::CloudFront::Distribution", "AWS::Budgets::Budget"),
        *(f"AWS::Backup::Backup{name}" for name in ("Plan", "Selection", "Vault")),
        *(f"AWS::Cognito::UserPool{name}" for name in ("", "Client", "Group")),
        *("AWS::DAX::ParameterGroup", "AWS::DAX::SubnetGroup", "AWS::Glue::Database"),
        *(f"AWS::EC2::{name}" for name in ("FlowLog", "RouteTable", "SecurityGroup", "Subnet")),
        *("AWS::EC2::SecurityGroupEgress", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::VPC"),
        *("AWS::EC2::SubnetRouteTableAssociation", "AWS::Glue::Table", "AWS::KMS::Alias"),
        *("AWS::Events::EventBus", "AWS::Events::Rule", "AWS::IAM::Policy", "AWS::IAM::Role"),
        *(f"AWS::Lambda::{name}" for name in ("EventInvokeConfig", "Function", "Permission")),
        *("AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::S3::BucketPolicy"),
        *(f"AWS::SNS::{name}" for name in ("Subscription", "Topic", "TopicPolicy")),
        *("AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "AWS::WAFv2::LoggingConfiguration"),
        *("AWS::CDK::Metadata", "Custom::PrimaryKey", "Custom::ReplicaStream"),
        "AWS::CloudFormation::WaitConditionHandle",
    )
)
_ONE_REGION, REPLICATED = "prod, one region", "prod with its replicas"
_READY, _ACCELERATED = "standing by, all alarms", "and an accelerator"
_ALL = {"TABLEWRIGHT_STANDBY": "on", "TABLEWRIGHT_ALARMS": "all"}
STAGES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "dev": ("dev", {}),
    "staging": ("staging", {}),
    _ONE_REGION: ("prod", {}),
    REPLICATED: ("prod", VIRGINIA),
    _READY: ("prod", {**VIRGINIA, **_ALL}),
    _ACCELERATED: ("prod", {**VIRGINIA, **_ALL, "TABLEWRIGHT_ACCELERATOR": "on"}),
}


class Unpriced(ValueError):
    """A resource type that has neither a price nor an entry in `FREE`."""


def idle_cost(templates: Iterable[Template], prices: Prices) -> dict[str, Decimal]:
    """Dollars a month by part, and in all, without what AWS gives for nothing."""
    stacks = list(templates)
    priced = _prices_of_resources(prices)
    parts = dict.fromkeys((part for part, _ in priced.values()), Decimal())
    for stack in stacks:
        for id, resource in _resources(stack).items():
            if (type := resource["Type"]) in priced:
                part, price = priced[type]
                parts[part] += price(resource["Properties"])
            elif type not in FREE:
                raise Unpriced(
                    f"{id} is {type}: give it a price in docs/idle_cost.py, or name it in FREE"
                )
    parts["metrics of self-healing"] = (
        HEALING_METRICS * prices.monitoring.metric_month * _heals(stacks)
    )
    rounded = {name: cost.quantize(Decimal("0.01")) for name, cost in parts.items()}
    return {**rounded, "in all": sum(rounded.values(), Decimal())}


def costs_with_insights(templates: Iterable[Template], prices: Prices) -> dict[str, Decimal]:
    """The same, with what other values of `contributor_insights` would add to it."""
    stacks = list(templates)
    more = {
        f'more with `contributor_insights = "{mode}"`': prices.monitoring.insights_rule_month
        * sum(insights_rules(table, rules) for stack in stacks for table in _tables(stack))
        for mode, rules in (("throttled", 1), ("all", 2))
    }
    return {**idle_cost(stacks, prices), **more}


def _prices_of_resources(
    prices: Prices,
) -> dict[str, tuple[str, Callable[[Template], Decimal]]]:
    """Map each billed resource type to its part of the bill and the price of its properties."""
    monitoring, security = prices.monitoring, prices.security

    def poll(mapping: Template) -> Decimal:
        million = Decimal(RECEIVES_A_MONTH) / 10**6 * prices.messages.queue_million
        return million if "Queue" in json.dumps(mapping["EventSourceArn"]) else Decimal()

    def read_stream(pipe: Template) -> Decimal:
        million = Decimal(STREAM_READS_A_MONTH) / 10**6 * prices.dynamodb.stream_read_million
        return million if "StreamArn" in json.dumps(pipe["Source"]) else Decimal()

    return {
        "AWS::CloudWatch::Alarm": (
            "metrics of alarms",
            lambda alarm: alarm_metrics(alarm) * monitoring.alarm_metric_month,
        ),
        "AWS::DynamoDB::GlobalTable": (
            "contributor insights",
            lambda table: insights_rules(table) * monitoring.insights_rule_month,
        ),
        "AWS::KMS::Key": ("keys", lambda _: security.key_month),
        "AWS::KMS::ReplicaKey": ("keys", lambda _: security.key_month),
        "AWS::SecretsManager::Secret": (
            "secrets",
            lambda secret: (1 + len(secret.get("ReplicaRegions", ()))) * security.secret_month,
        ),
        "AWS::Lambda::EventSourceMapping": ("polling of queues", poll),
        "AWS::Pipes::Pipe": ("reads of streams by pipes", read_stream),
        "AWS::DAX::Cluster": (
            "nodes of the accelerator",
            lambda cluster: (
                cluster["ReplicationFactor"]
                * HOURS_PER_MONTH
                * prices.dax_node_hour[cluster["NodeType"]]
            ),
        ),
        "AWS::EC2::VPCEndpoint": (
            "endpoints of its network",
            lambda endpoint: _zones(endpoint) * HOURS_PER_MONTH * prices.network.endpoint_hour,
        ),
        "AWS::WAFv2::WebACL": (
            "firewall",
            lambda acl: security.firewall_month + len(acl["Rules"]) * security.firewall_rule_month,
        ),
    }


def insights_rules(table: Template, rules: int | None = None) -> int:
    """Count the rules of Contributor Insights in each region: of each key of table and indexes.

    `rules` of a key replaces the mode that the template has.
    """
    if table["BillingMode"] != "PAY_PER_REQUEST":
        raise Unpriced(
            f"{table.get('TableName')} is provisioned: its units are paid for while idle"
        )
    keys = len(table["KeySchema"]) + sum(
        len(index["KeySchema"]) for index in table.get("GlobalSecondaryIndexes", ())
    )
    of_key = {"THROTTLED_KEYS": 1, "ACCESSED_AND_THROTTLED_KEYS": 2}
    return keys * sum(
        rules or of_key.get(replica.get("ContributorInsightsSpecification", {}).get("Mode"), 0)
        for replica in table["Replicas"]
    )


def _tables(template: Template) -> list[Template]:
    found = _resources(template).values()
    return [r["Properties"] for r in found if r["Type"] == "AWS::DynamoDB::GlobalTable"]


def _resources(template: Template) -> Template:
    """A stack without alarms, topic and budgets has none."""
    found: Template = template.get("Resources", {})
    return found


def _heals(stacks: Iterable[Template]) -> bool:
    """True if a stack has a function that heals. Of several regions only the active one does."""
    return any("HEALING_BATCH" in json.dumps(_resources(stack)) for stack in stacks)


def alarm_metrics(alarm: Template) -> int:
    """What is paid for an alarm: each metric that its expression takes."""
    return sum("MetricStat" in metric for metric in alarm.get("Metrics", ())) or 1


def page(costs: Mapping[str, Mapping[str, Decimal]], prices: Prices = US_EAST_1) -> str:
    """The page on idle costs, of stages by name."""
    parts = next(iter(costs.values()))
    rows = ((part, *(one[part] or None for one in costs.values())) for part in parts)
    paragraphs = (
        "<!-- Generated by `make docs` from the templates. Change docs/idle_cost.py. -->",
        "# What a stage costs while nobody uses it",
        f"In US dollars a month, at the prices of {prices.region} of {prices.dated}, without what "
        "AWS gives for nothing (ten alarm metrics, ten metrics and a million queue requests of an "
        "account). All but the accelerator's parts cost the same in eu-west-1.",
        table(("", *costs), rows),
        "An alarm is paid for by each metric that it takes; the setting `alarms` says "
        "[how many there are](operations.md). Lambda asks each queue for messages all the time. "
        "Runs of schedules, their logs and traces cost cents more. Tables, buckets, topics, "
        "APIs and backups cost nothing while they are empty; tenants' secrets are 40 cents each.",
        "The forms' pipe polls its table's stream four times a second. AWS charges for reads of "
        "streams by other readers than Lambda, and does not say whether a pipe is one: the page "
        "assumes that it is.",
        "Replicas of tables cost nothing while nobody writes. With `standby = true` the "
        "sentiment system [stands by](regions.md) in their regions, each with essential alarms, a "
        'key, two secrets and a queue. `alarms = "all"` has the alarms that say why. What '
        "it costs besides when items are taken in: [regions](regions.md#what-standing-by-costs).",
        f"`firewall = true` adds {firewall_month(prices):.2f} dollars a month for its list "
        f"and rules, {prices.security.secret_month:.2f} for its key in each of home and us-east-1, "
        "and no more while nobody calls: [the edge](edge.md#a-firewall).",
        "Every resource type of the templates is counted, or listed as free in "
        "`docs/idle_cost.py`. `contributor_insights` is `none` by default. The last rows are what "
        "the other values would add: 50 cents a month for each rule. AWS does not say whether "
        "rules of the mode for throttled keys are charged while nothing is throttled; the page "
        "assumes that they are.",
        "Budgets e-mail at 10, 15 and 20 dollars in dev, and at 20, 30 and 40 in staging and prod "
        "(`cost_limits`). The stages of the first four columns cost less while they are idle. Set "
        "the limits yourself for a stage that costs more.",
    )
    return "\n\n".join(paragraphs) + "\n"


def main() -> dict[str, dict[str, Template]]:
    """Write the page; gives the templates of its stages."""
    made = {name: templates_of(*asked) for name, asked in STAGES.items()}
    costs = {name: costs_with_insights(one.values(), US_EAST_1) for name, one in made.items()}
    PAGE.write_text(page(costs))
    return made


def templates_of(stage: str, environ: Mapping[str, str]) -> dict[str, Template]:
    """The templates of a stage by the names of their stacks."""
    flags = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = App(context={**flags, "aws:cdk:bundling-stacks": [], "stage": stage})
    build(app, read(app.node.try_get_context, environ))
    return {stack.stack_name: stack.template for stack in app.synth().stacks}


def _zones(endpoint: Template) -> int:
    """A gateway costs nothing, an interface in each subnet."""
    return len(endpoint["SubnetIds"]) if endpoint["VpcEndpointType"] == "Interface" else 0
