"""Public constructs need no feature flag: their resources are protected alike in every app."""

import inspect
import json
import pkgutil
import tarfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import aws_cdk
import pytest
from aws_cdk import App, Duration, RemovalPolicy, Stack
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from constructs import Construct

from tablewright import catalog, constructs
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.news.design import News, news_healing
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.commands.designs.init import app_files
from tablewright.constructs import (
    Capacity,
    DesignTable,
    DesignTableBase,
    Platform,
    Protection,
    PythonCode,
    Scaling,
    WorkQueue,
)
from tablewright.constructs.functions.function import Network
from tablewright.constructs.tables.table import TableOptions
from tablewright.model import ALL, Expiry, Table
from tablewright.model.archive import EXPIRED
from tablewright.model.old_items import OlderThan
from tests.infrastructure.constructs.building_blocks import IN_IRELAND, Readings, function_in
from tests.infrastructure.constructs.test_archive import Note, Notes
from tests.infrastructure.constructs.test_backfill import Before, Orders
from tests.infrastructure.synthesis import Template, context, listed


class ExpiringNotes(Notes, expires={Note: Expiry("at", days=30)}):
    """Notes that an archive takes."""


MINUTE, TWO_HOURS = Duration.minutes(1), Duration.hours(2)
OLD = OlderThan(90, Note.at, scan=ExpiringNotes.all_notes, update=ExpiringNotes.change_note)
SCALING = Scaling(min=1, max=9)
LAMBDA = iam.ServicePrincipal("lambda.amazonaws.com")


def table(design: type[Table] = Readings) -> Callable[[Stack], DesignTable]:
    options: Any = {"design": design, "protection": Protection.throw_away()}
    return lambda stack: DesignTable(stack, "Table", **options)


def network(stack: Stack) -> Network:
    vpc = ec2.Vpc(stack, "Vpc", nat_gateways=0, restrict_default_security_group=False)
    group = ec2.SecurityGroup(stack, "Group", vpc=vpc)
    isolated = ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
    return Network(vpc=vpc, subnets=isolated, security_groups=[group])


# A value for each argument, by `argument` or by `Construct.argument`. Functions take the stack.
# Strong consistency across regions excludes other options, and has a test of its own.
VALUES: dict[str, Any] = {
    **dict.fromkeys(("item_ttl", "query_ttl", "iterator_age", "latency", "latency_alarm"), MINUTE),
    **dict.fromkeys(("replication_latency", "timeout", "visibility", "window"), MINUTE),
    **dict.fromkeys(("give_up_after", "oldest", "pause", "threshold", "every"), TWO_HOURS),
    **dict.fromkeys(("keep", "keep_failures", "infrequent_after"), Duration.days(35)),
    **dict.fromkeys(("call_logs", "encrypted", "system_errors", "essential"), False),
    **dict.fromkeys(("strong_consistency", "traced"), False),
    **dict.fromkeys(("attempts", "batch", "batch_size", "burst", "requests_per_second"), 3),
    **dict.fromkeys(("parallelization", "reserved_concurrency", "run", "shards", "years"), 3),
    **dict.fromkeys(("nodes", "category_shards", "embedding_shards"), 10),
    **dict.fromkeys(("name", "table_name", "topic_name", "namespace", "metrics_namespace"), "own"),
    **dict.fromkeys(("source", "detail_type", "service", "system", "session_tag"), "own"),
    **dict.fromkeys(("topic", "alarm_topic"), lambda stack: sns.Topic(stack, "Alarms")),
    **dict.fromkeys(("encryption_key", "kms_key"), lambda stack: kms.Key(stack, "OwnKey")),
    "Accelerator.vpc": None, "witness_region": None, "ring": None, "limits": (5, 50),
    "sparse_status": True,
    "zones": ["eu-west-1a", "eu-west-1b"], "node_type": "dax.r5.large", "memory_mb": 256,
    "days": 30, "rate": 200, "slow": Duration.seconds(2), "log_level": "INFO", "projects": ALL,
    "email": ["ops@example.com"], "AlarmTopic.email": "ops@example.com", "tag": ("A", "b"),
    "entity": "Reading", "fields": ("unit", "at"), "filters": [{"eventName": ["INSERT"]}],
    "issuer": "https://issuer.example.com", "audience": ["client"], "handler": "index.handler",
    "routes": [("GET", "/items")], "cors_origins": ["https://app.example.com"],
    "home": "us-east-1", "replicas": ["us-west-2"], "environment": {"NAME": "value"},
    "tags": {"Application": "own"}, "services": [ec2.InterfaceVpcEndpointAwsService.SQS],
    "log_retention": logs.RetentionDays.ONE_WEEK, "log_removal": RemovalPolicy.DESTROY,
    "platform": Platform.host(), "starting_position": lambda_.StartingPosition.LATEST,
    "entities": [Note], "takes": EXPIRED, "older_than": OLD, "since": "2025-01-01",
    "glacier_after": Duration.days(120), "before": Before,
    "table": table(), "Archive.table": table(ExpiringNotes), "Backfill.table": table(Orders),
    "SelfHealing.table": table(News), "design": Readings, "WriteTable.design": Items,
    "DayPartitionedTable.design": Dashboard, "ShardedTenantTable.design": Forms,
    "TableAlarms.design": Readings.__design__, "code": PythonCode(sources=()),
    "function": lambda stack: function_in(stack, log_group=logs.LogGroup(stack, "FunctionLogs")),
    "replica_key_arns": {"us-west-2": "arn:aws:kms:us-west-2:111122223333:key/1"},
    "assumed_by": lambda stack: iam.Role(stack, "Assuming", assumed_by=LAMBDA),
    "api": lambda stack: apigateway.HttpApi(stack, "Http"),
    "bus": lambda stack: events.EventBus(stack, "Bus"),
    "capacity": lambda _: Capacity.provisioned(read=SCALING, write=SCALING),
    "contributor_insights": dynamodb.ContributorInsightsMode.THROTTLED_KEYS,
    "kept": lambda _: cloudwatch.Metric(namespace="own", metric_name="Kept"),
    "network": network,
    "pattern": lambda _: events.EventPattern(source=["own"]),
    "plan": lambda _: news_healing(),
    "protection": lambda _: Protection.recoverable(),
    "requests": lambda stack: WorkQueue(stack, "Work", visibility=MINUTE),
}  # fmt: skip


def public_constructs() -> dict[str, type[Construct]]:
    """The constructs that the library exports, but for the base that has no resource."""
    modules = [
        import_module(f"{package.name}.constructs")
        for package in pkgutil.iter_modules(catalog.__path__, "tablewright.catalog.")
    ]
    values = [getattr(constructs, name) for name in constructs.__all__]
    for module in modules:
        values += vars(module).values()
    classes = [value for value in values if inspect.isclass(value) and issubclass(value, Construct)]
    return {cls.__name__: cls for cls in classes if cls not in (Construct, DesignTableBase)}


PUBLIC = public_constructs()


def arguments(construct: type[Construct]) -> dict[str, bool]:
    """The keyword arguments of a construct, with True for those that it requires."""
    signature = inspect.signature(construct.__init__).parameters.values()
    required = {p.name: p.default is p.empty for p in signature if p.kind is p.KEYWORD_ONLY}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature):
        required |= dict.fromkeys(get_type_hints(TableOptions), False)
    return required


def build(app: App, construct: type[Construct], *, full: bool) -> None:
    name = construct.__name__
    stack = Stack(app, f"{name}{'Full' if full else 'Minimal'}", env=IN_IRELAND)
    values = {
        argument: VALUES.get(f"{name}.{argument}", VALUES.get(argument, ...))
        for argument, required in arguments(construct).items()
        if required or full
    }
    unknown = [argument for argument, value in values.items() if value is ...]
    assert not unknown, f"give VALUES a value for {unknown} of {name}"
    options = {n: v(stack) if inspect.isfunction(v) else v for n, v in values.items()}
    construct(stack, name, **options)


def recommended() -> dict[str, Any]:
    """The flags that aws-cdk-lib recommends, from the package itself."""
    (package,) = (Path(aws_cdk.__file__).parent / "_jsii").glob("aws-cdk-lib@*.jsii.tgz")
    with tarfile.open(package) as archive:
        file = archive.extractfile("package/recommended-feature-flags.json")
        assert file is not None
        flags: dict[str, Any] = json.load(file)
    return flags


def init_flags() -> dict[str, Any]:
    flags: dict[str, Any] = json.loads(dict(app_files("shop"))[Path("cdk.json")])["context"]
    return flags


FLAGS: dict[str, Callable[[], dict[str, Any]]] = {
    "none": dict,
    "of init": init_flags,
    "of this repository": context,
}


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Template]]:
    """The template of each construct, with minimal and all arguments, by the flags of its app."""
    templates = {}
    for name, flags in FLAGS.items():
        folder = tmp_path_factory.mktemp("app")
        app = App(context={**flags(), "aws:cdk:bundling-stacks": []}, outdir=str(folder))
        for construct in PUBLIC.values():
            build(app, construct, full=False)
            build(app, construct, full=True)
        templates[name] = {stack.stack_name: stack.template for stack in app.synth().stacks}
    return templates


def comparable(value: Any) -> Any:
    """A template with plain ARNs, and with every policy as a sorted list of single permissions."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": "AWS::Partition"}:
        return "aws"
    if "Fn::Join" in value:
        delimiter, parts = comparable(value["Fn::Join"])
        texts = (p if isinstance(p, str) else json.dumps(p, sort_keys=True) for p in parts)
        return str(delimiter).join(texts)
    if "Statement" in value:
        return sorted({text for each in listed(value["Statement"]) for text in permissions(each)})
    return {name: comparable(item) for name, item in value.items()}


def permissions(statement: dict[str, Any]) -> Iterator[str]:
    for action in listed(statement["Action"]):
        for resource in listed(statement.get("Resource")):
            permission = comparable({**statement, "Action": action, "Resource": resource})
            yield json.dumps(permission, sort_keys=True)


def test_a_new_app_has_the_flags_that_the_cdk_library_recommends() -> None:
    """Copy the library's recommended-feature-flags.json to app_files/cdk.json when this fails."""
    assert init_flags() == recommended()


@pytest.mark.parametrize("flags", ["none", "of init"])
@pytest.mark.parametrize("extent", ["Minimal", "Full"])
@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_construct_has_the_same_resources_whatever_the_flags(
    name: str, extent: str, flags: str, templates: dict[str, dict[str, Template]]
) -> None:
    stack = f"{name}{extent}"
    expected = comparable(templates["of this repository"][stack])
    assert expected["Resources"]
    assert comparable(templates[flags][stack]) == expected
