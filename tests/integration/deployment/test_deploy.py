"""A stage follows its settings one replica an update, and loses nothing unless told to by name."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from botocore.client import BaseClient

from cdk_app.stage_file import StageFile
from deployment import Refused
from deployment.__main__ import _parser
from deployment.cdk import Assembly
from deployment.deploy import Asked, deploy
from deployment.target import Target
from tests.integration.deployment.small_cdk import ITEMS, STACK, STAGE, SmallCdk
from tests.integration.gaps.clouds import HOME, ROOT, Cloud

Stub = Callable[..., SmallCdk]
FIREWALL = f"tablewright-{STAGE}-firewall"
IDENTITY = f"tablewright-{STAGE}-identity"
EDGE_KEY = f"tablewright/{STAGE}/edge-key"
OREGON, MUMBAI = "us-west-2", "ap-south-1"


def run(target: Target, cdk: SmallCdk, *removals: str, **asked: object) -> list[str]:
    """Deploy with these removals in the stage file; gives the lines that are said."""
    target.file = StageFile(STAGE, {"removals": list(removals)})
    said: list[str] = []
    deploy(target, cdk, Asked(approve="never", **asked), said.append)  # type: ignore[arg-type]
    return said


def made(cloud: Cloud, name: str, region: str = HOME) -> None:
    """A stack of an earlier deployment, with something in its bucket."""
    formation = cloud.client("cloudformation", region_name=region)
    template = {"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}}
    formation.create_stack(StackName=name, TemplateBody=json.dumps(template))
    formation.get_waiter("stack_create_complete").wait(StackName=name)
    found = formation.describe_stack_resource(StackName=name, LogicalResourceId="Bucket")
    bucket = found["StackResourceDetail"]["PhysicalResourceId"]
    cloud.client("s3", region_name=region).put_object(Bucket=bucket, Key="a", Body=b"x")


def regions(target: Target) -> set[str]:
    shape = target.table(ITEMS)
    assert shape is not None
    return set(shape.replicas)


def is_protected(target: Target) -> bool:
    shape = target.table(ITEMS)
    assert shape is not None
    return shape.protected


def test_the_first_deployment_makes_all_replicas_at_once_and_says_what_is_next(
    target: Target, cdk: Stub
) -> None:
    stage = cdk(OREGON, MUMBAI)
    said = run(target, stage)
    assert stage.deployed == [(OREGON, MUMBAI)]
    assert "for the first time" in said[-2]
    assert "make user STAGE=dev" in said[-1]
    assert regions(target) == {OREGON, MUMBAI}


@pytest.mark.parametrize(("protocol", "told"), [("email", True), ("sqs", False)])
def test_whoever_gets_e_mails_is_told_to_confirm_them(
    protocol: str, told: bool, target: Target, cdk: Stub
) -> None:
    stage = cdk()
    stage.other = {
        "Topic": {"Type": "AWS::SNS::Topic"},
        "Told": {
            "Type": "AWS::SNS::Subscription",
            "Properties": {
                "TopicArn": {"Ref": "Topic"},
                "Protocol": protocol,
                "Endpoint": "ops@example.com",
            },
        },
    }
    said = run(target, stage)
    line = f"- confirm the e-mail that AWS sent, once for each region: {HOME}"
    assert (line in said) is told


def test_replicas_are_added_and_removed_one_an_update(target: Target, cdk: Stub) -> None:
    run(target, cdk())
    more = cdk(OREGON, MUMBAI)
    said = run(target, more)
    assert more.deployed == [(MUMBAI,), (OREGON, MUMBAI)]
    assert said[0] == "This takes 2 updates: AWS changes one replica of a table at a time."
    assert said[1] == f"1 of 2: A replica of {ITEMS} is made in {MUMBAI}."

    fewer = cdk(MUMBAI)
    with pytest.raises(Refused, match=f'"{STACK}/Items/{OREGON}",'):
        run(target, fewer)
    assert regions(target) == {OREGON, MUMBAI}
    run(target, fewer, f"{STACK}/Items/{OREGON}")
    assert regions(target) == {MUMBAI}


def test_what_others_no_longer_export_is_given_up_before_all_is_deployed(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    formation = cloud.client("cloudformation")
    topic = {
        "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
        "Outputs": {"Topic": {"Value": {"Ref": "Topic"}, "Export": {"Name": "topic"}}},
    }
    formation.create_stack(StackName="operations", TemplateBody=json.dumps(topic))
    formation.get_waiter("stack_create_complete").wait(StackName="operations")
    told = {
        "Type": "AWS::SNS::Subscription",
        "Properties": {
            "TopicArn": {"Fn::ImportValue": "topic"},
            "Protocol": "sqs",
            "Endpoint": f"arn:aws:sqs:{HOME}:000000000000:queue",
        },
    }
    before = cdk()
    before.other = {"Told": told}
    run(target, before)
    assert before.only == [()]
    after = cdk()
    said = run(target, after)
    assert after.only == [[STACK], ()]
    assert f"First {STACK}: they import what other stacks no longer export." in said
    assert target.physical_id(STACK, "Told") is None


def test_shards_that_something_is_in_are_not_taken_away(target: Target, cdk: Stub) -> None:
    for count in ("12", "20"):
        stage = cdk()
        stage.outputs = {"CategoryShards": count}
        run(target, stage)
    with pytest.raises(Refused, match="Set it to 20 or more"):
        run(target, cdk())
    assert target.outputs(STACK) == {"CategoryShards": "20"}


def test_a_protected_replica_goes_when_it_is_named_and_what_stands_there_with_it(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    protected = {"DeletionProtectionEnabled": True}
    run(target, cdk(OREGON, **protected))
    names = [f"tablewright-dev-{system}-{OREGON}" for system in ("sentiment", "operations")]
    for name in names:
        made(cloud, name, OREGON)
    replica = f"{STACK}/Items/{OREGON}"
    with pytest.raises(Refused, match="Nothing was changed") as refused:
        run(target, cdk(**protected), replica)
    assert re.findall(r'"(.+)",', str(refused.value)) == [replica, *names]
    said = run(target, cdk(**protected), replica, *names)
    assert regions(target) == set()
    for name in names:
        assert f"{name} is removed: the stage no longer has it." in said
        assert not target.has_stack(name, OREGON)
    # Once more, as after a failure at the very end: nothing is left to do.
    assert run(target, cdk(**protected), replica)[-1] == "dev is deployed."


def test_a_replica_whose_removal_fails_is_protected_again(target: Target, cdk: Stub) -> None:
    protected = {"DeletionProtectionEnabled": True}
    run(target, cdk(OREGON, **protected))
    stage = cdk(**protected)

    def refused(*_: object, **__: object) -> None:
        replica = target.table(ITEMS, OREGON)
        assert replica is not None
        assert not replica.protected
        raise Refused("cdk deploy ended with code 1")

    stage.deploy = refused  # type: ignore[method-assign]
    with pytest.raises(Refused, match="code 1"):
        run(target, stage, f"{STACK}/Items/{OREGON}")
    replica = target.table(ITEMS, OREGON)
    assert replica is not None
    assert replica.protected


def test_an_interrupted_removal_of_a_region_goes_on(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    run(target, cdk(OREGON))
    stack = f"tablewright-dev-operations-{OREGON}"
    made(cloud, stack, OREGON)
    allowed = (f"{STACK}/Items/{OREGON}", stack)
    stage = cdk()
    stage.synth()

    def interrupted(*_: object, **__: object) -> None:
        SmallCdk.deploy(stage, *_, **__)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    stage.deploy = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        run(target, stage, *allowed)
    assert regions(target) == set()
    assert target.has_stack(stack, OREGON)
    run(target, cdk(), *allowed)
    assert not target.has_stack(stack, OREGON)


def test_an_audit_that_was_switched_off_is_removed(cloud: Cloud, target: Target, cdk: Stub) -> None:
    run(target, cdk())
    name = "tablewright-dev-audit"
    made(cloud, name)
    with pytest.raises(Refused, match=f'"{name}",'):
        run(target, cdk())
    assert f"{name} is removed: the stage no longer has it." in run(target, cdk(), name)
    assert not target.has_stack(name)


def identity_with_edge_key(cloud: Cloud, region: str) -> None:
    formation = cloud.client("cloudformation", region_name=region)
    key = {"Type": "AWS::SecretsManager::Secret", "Properties": {"Name": EDGE_KEY}}
    template = json.dumps({"Resources": {"EdgeKey": key}})
    formation.create_stack(StackName=IDENTITY, TemplateBody=template)
    formation.get_waiter("stack_create_complete").wait(StackName=IDENTITY)


@pytest.mark.parametrize(
    ("home", "name"), [("us-east-1", FIREWALL), (HOME, f"{FIREWALL}-us-east-1")]
)
def test_a_firewall_that_was_switched_off_is_removed_before_what_it_imports_of(
    home: str, name: str, cloud: Cloud, target: Target, cdk: Stub
) -> None:
    target.region = home
    run(target, cdk())
    made(cloud, name, "us-east-1")
    # Nobody asks for it in another region before the stage has its key.
    assert run(target, cdk())[-1] == "dev is deployed."
    identity_with_edge_key(cloud, home)
    with pytest.raises(Refused, match=f'"{name}",'):
        run(target, cdk())
    stage = cdk()
    deployed = stage.deploy

    def checked(assembly: Assembly, *options: str, only: Sequence[str] = ()) -> None:
        assert not target.has_stack(name, "us-east-1")
        deployed(assembly, *options, only=only)

    stage.deploy = checked  # type: ignore[method-assign]
    assert f"{name} is removed: the stage no longer has it." in run(target, stage, name)
    assert not target.has_stack(name, "us-east-1")


def test_stacks_of_a_region_that_keeps_its_replicas_go_with_their_setting(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    run(target, cdk(OREGON))
    names = [f"tablewright-dev-{system}-{OREGON}" for system in ("sentiment", "identity")]
    keys = f"tablewright-dev-keys-{OREGON}"
    for name in (*names, keys):
        made(cloud, name, OREGON)
    with pytest.raises(Refused, match="Nothing was changed") as refused:
        run(target, cdk(OREGON))
    assert re.findall(r'"(.+)",', str(refused.value)) == names
    run(target, cdk(OREGON), *names)
    assert not any(target.has_stack(name, OREGON) for name in names)
    assert target.has_stack(keys, OREGON)
    assert regions(target) == {OREGON}


def test_a_table_that_was_left_over_is_taken_over_only_when_asked(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    cloud.client("dynamodb").create_table(
        TableName=ITEMS,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
    )
    stage = cdk()
    with pytest.raises(Refused, match=r"make deploy STAGE=dev IMPORT=1"):
        run(target, stage)
    assert stage.deployed == []

    protected: list[bool] = []

    def imported(assembly: object, *options: str, only: Sequence[str] = ()) -> None:
        stage.options = list(options)
        protected.append(is_protected(target))

    stage.deploy = imported  # type: ignore[method-assign]
    run(target, stage, take_over=True)
    assert "--import-existing-resources" in stage.options
    assert protected == [True]
    assert not is_protected(target)


def documented() -> set[str]:
    """What the page has the role that deploys be allowed, beside being CDK."""
    page = (ROOT / "docs" / "deploying.md").read_text()
    policies = [json.loads(block) for block in re.findall(r"```json\n(.+?)```", page, re.DOTALL)]
    looks = [s for policy in policies for s in policy["Statement"] if "LookAt" in s.get("Sid", "")]
    actions = [s["Action"] for s in looks]
    return {a for action in actions for a in ([action] if isinstance(action, str) else action)}


def test_a_deployment_calls_what_the_documented_role_may_and_nothing_else(
    target: Target, cdk: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(target, cdk(OREGON))
    stage = cdk(OREGON, MUMBAI)
    stage.other = {
        name: {"Type": type, "DeletionPolicy": "Retain", "Properties": {property: "alias/new"}}
        for name, type, property in (
            ("Alias", "AWS::KMS::Alias", "AliasName"),
            ("Ring", "AWS::SecretsManager::Secret", "Name"),
        )
    }
    stage.deploy = lambda assembly, *options: None  # type: ignore[method-assign]
    called: set[str] = set()
    real = BaseClient._make_api_call

    def noted(client: Any, operation: str, arguments: Any) -> Any:
        called.add(f"{client.meta.service_model.endpoint_prefix}:{operation}")
        return real(client, operation, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", noted)
    run(target, stage)
    assert called == documented()


def test_a_key_cannot_change(target: Target, cdk: Stub) -> None:
    run(target, cdk())
    other = cdk()
    assembly = other.synth()
    (stack,) = assembly.stacks
    items = stack.template["Resources"]["Items"]["Properties"]
    for listed in ("KeySchema", "AttributeDefinitions"):
        items[listed][0]["AttributeName"] = "id"
    other.synth = lambda context=None: assembly  # type: ignore[method-assign]
    with pytest.raises(Refused, match="the key of a table cannot be changed"):
        run(target, other)
    assert target.physical_id(STACK, "Items") == ITEMS


def test_context_reaches_every_synthesis(
    target: Target, cdk: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(target, cdk())
    more = cdk(OREGON, MUMBAI)
    told: list[Mapping[str, str]] = []
    synth = more.synth

    def noted(context: Mapping[str, str] | None = None) -> Assembly:
        told.append(context or {})
        return synth(context)

    monkeypatch.setattr(more, "synth", noted)
    run(target, more, context={"tablewright:on-the-way": "{}"})
    assert [one.get("tablewright:on-the-way") for one in told] == ["{}"] * 3


def test_context_is_given_as_the_cdk_cli_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    parsed = _parser().parse_args(["deploy", "--stage", "dev", "-c", 'a={"b": "c=d"}'])
    assert dict(parsed.context) == {"a": '{"b": "c=d"}'}
    with pytest.raises(SystemExit):
        _parser().parse_args(["deploy", "--stage", "dev", "-c", "a"])
    assert "'a' is not NAME=VALUE" in capsys.readouterr().err
