"""A throw-away stage goes whole, with what its buckets hold and the secrets that it made."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from deployment import Refused
from deployment.cdk import Assembly
from deployment.deploy import Asked, deploy
from deployment.destroy import destroy
from deployment.target import Target
from tests.integration.deployment.small_cdk import ITEMS, STACK, SmallCdk
from tests.integration.gaps.clouds import Cloud

Stub = Callable[..., SmallCdk]
PREFIX = "dev/forms/"
VERSIONED = {
    "Type": "AWS::S3::Bucket",
    "Properties": {"VersioningConfiguration": {"Status": "Enabled"}},
}
FUNCTION = {
    "Type": "AWS::Lambda::Function",
    "Properties": {
        "Runtime": "python3.11",
        "Handler": "index.handler",
        "Role": "arn:aws:iam::000000000000:role/none",
        "Code": {"ZipFile": "def handler(event, context): ..."},
        "Environment": {"Variables": {"SECRETS_PREFIX": PREFIX}},
    },
}


def deployed(target: Target, cdk: Stub, **more: dict[str, Any]) -> SmallCdk:
    stage = cdk()
    stage.other = {"Function": FUNCTION, **more}
    deploy(target, stage, Asked(approve="never"), lambda line: None)
    return stage


def filled(cloud: Cloud, target: Target, id: str) -> str:
    """The stack's bucket, with two versions of an object, another, and one that was deleted."""
    bucket = target.physical_id(STACK, id)
    assert bucket
    s3 = cloud.client("s3")
    for key in ("a", "a", "b", "c"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    s3.delete_object(Bucket=bucket, Key="c")
    return bucket


def secrets(cloud: Cloud) -> set[str]:
    listed = cloud.client("secretsmanager").list_secrets()["SecretList"]
    return {secret["Name"] for secret in listed}


def buckets(cloud: Cloud) -> set[str]:
    return {bucket["Name"] for bucket in cloud.client("s3").list_buckets()["Buckets"]}


def test_what_a_throw_away_stage_holds_goes_with_it(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    stage = deployed(target, cdk, Bucket=VERSIONED)
    bucket = filled(cloud, target, "Bucket")
    manager = cloud.client("secretsmanager")
    for name in (f"{PREFIX}acme/k1", "prod/forms/acme/k1"):
        manager.create_secret(Name=name, SecretString="x")
    said: list[str] = []
    destroy(target, stage, said.append, lambda what: True)
    assert bucket not in buckets(cloud)
    assert target.table(ITEMS) is None
    assert secrets(cloud) == {"prod/forms/acme/k1"}
    # The name is free at once: whoever makes the tenant again gets a new value.
    manager.create_secret(Name=f"{PREFIX}acme/k1", SecretString="y")
    assert any("objects deleted" in line for line in said)


def test_what_a_stage_keeps_is_neither_emptied_nor_forgotten(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    stage = deployed(target, cdk, Kept={**VERSIONED, "DeletionPolicy": "RetainExceptOnCreate"})
    bucket = filled(cloud, target, "Kept")
    cloud.client("secretsmanager").create_secret(Name=f"{PREFIX}acme/k1", SecretString="x")
    # CloudFormation keeps the bucket; this is about what is in it.
    stage.destroy = lambda assembly: None  # type: ignore[method-assign]
    destroy(target, stage, lambda line: None, lambda what: True)
    versions = cloud.client("s3").list_object_versions(Bucket=bucket)
    assert len(versions["Versions"]) == 4
    assert secrets(cloud) == {f"{PREFIX}acme/k1"}


def test_who_is_not_sure_destroys_nothing(cloud: Cloud, target: Target, cdk: Stub) -> None:
    stage = deployed(target, cdk, Bucket=VERSIONED)
    bucket = filled(cloud, target, "Bucket")
    asked: list[str] = []

    def unsure(what: str) -> bool:
        asked.append(what)
        return False

    with pytest.raises(Refused, match="Nothing was destroyed"):
        destroy(target, stage, lambda line: None, unsure)
    assert "all stacks of dev, the contents of 1 buckets" in asked[0]
    assert bucket in buckets(cloud)


def test_what_was_written_meanwhile_does_not_stop_it(
    cloud: Cloud, target: Target, cdk: Stub
) -> None:
    stage = deployed(target, cdk, Bucket=VERSIONED)
    bucket = filled(cloud, target, "Bucket")
    real, attempts = stage.destroy, []

    def once_in_vain(assembly: Any) -> None:
        attempts.append(1)
        if len(attempts) == 1:
            cloud.client("s3").put_object(Bucket=bucket, Key="late", Body=b"x")
            raise Refused("cdk destroy ended with code 1: see above.")
        real(assembly)

    stage.destroy = once_in_vain  # type: ignore[method-assign]
    destroy(target, stage, lambda line: None, lambda what: True)
    assert bucket not in buckets(cloud)


@pytest.mark.parametrize("there", [True, False])
def test_stacks_that_the_settings_no_longer_have_go_too(
    there: bool, cloud: Cloud, target: Target, cdk: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = deployed(target, cdk)
    template = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
    for system in ("audit", "keys") if there else ():
        name = f"tablewright-dev-{system}"
        cloud.client("cloudformation").create_stack(StackName=name, TemplateBody=template)
    told: list[Mapping[str, str]] = []
    synth = stage.synth

    def noted(context: Mapping[str, str] | None = None) -> Assembly:
        told.append(context or {})
        return synth(context)

    monkeypatch.setattr(stage, "synth", noted)
    destroy(target, stage, lambda line: None, lambda what: True)
    found = told[-1]["audit"], told[-1]["customer_keys"]
    assert found == (("on", "sentiment,sales,forms,portal") if there else ("off", "off"))


def test_stacks_of_settings_that_are_off_by_now_go_first(
    cloud: Cloud, target: Target, monkeypatch: pytest.MonkeyPatch, cdk: Stub
) -> None:
    stage = cdk("us-west-2")
    deploy(target, stage, Asked(approve="never"), lambda line: None)
    topic = {"Topic": {"Type": "AWS::SNS::Topic"}}
    key = {
        "Type": "AWS::SecretsManager::Secret",
        "Properties": {"Name": "tablewright/dev/edge-key"},
    }
    left = [("firewall-us-east-1", "us-east-1"), ("sentiment-us-west-2", "us-west-2")]
    for system, region, resources in (
        ("identity", target.region, {"EdgeKey": key}),
        *((system, region, topic) for system, region in left),
    ):
        cloud.client("cloudformation", region_name=region).create_stack(
            StackName=f"tablewright-dev-{system}", TemplateBody=json.dumps({"Resources": resources})
        )
    destroyed = stage.destroy

    def checked(assembly: Assembly) -> None:
        assert not [name for name, region in left if there(name, region)]
        destroyed(assembly)

    def there(system: str, region: str) -> bool:
        return target.has_stack(f"tablewright-dev-{system}", region)

    assert all(there(*one) for one in left)
    monkeypatch.setattr(stage, "destroy", checked)
    destroy(target, stage, lambda line: None, lambda what: True)
    assert not target.has_stack(STACK)
