"""A user is made once, for one tenant for good, and the command says what happens next."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from deployment import Refused
from deployment.deploy import Asked, deploy
from deployment.target import Target
from deployment.users import ensure_user
from tests.integration.deployment.small_cdk import SmallCdk
from tests.integration.gaps.clouds import HOME, Cloud

EMAIL = "sam@acme.example"


@pytest.fixture
def pool(cloud: Cloud) -> str:
    """The user pool of a stage that is deployed."""
    return made_pool(cloud, "tablewright-dev-identity", HOME)


def made_pool(cloud: Cloud, stack: str, region: str) -> str:
    cognito = cloud.client("cognito-idp", region_name=region)
    tenant = {"Name": "tenant", "AttributeDataType": "String", "Mutable": False}
    made: str = cognito.create_user_pool(PoolName="pool", Schema=[tenant])["UserPool"]["Id"]
    for group in ("operators", "writers"):
        cognito.create_group(UserPoolId=made, GroupName=group)
    template = {
        "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
        "Outputs": {"UserPoolId": {"Value": made}},
    }
    formation = cloud.client("cloudformation", region_name=region)
    formation.create_stack(StackName=stack, TemplateBody=json.dumps(template))
    formation.get_waiter("stack_create_complete").wait(StackName=stack, WaiterConfig={"Delay": 1})
    return made


def made(target: Target, tenant: str | None = "acme", groups: tuple[str, ...] = ()) -> str:
    said: list[str] = []
    ensure_user(target, email=EMAIL, tenant=tenant, groups=groups, say=said.append)
    (line,) = said
    return line


def user(cloud: Cloud, pool: str) -> dict[str, Any]:
    found = cloud.client("cognito-idp").admin_get_user(UserPoolId=pool, Username=EMAIL)
    return {a["Name"]: a["Value"] for a in found["UserAttributes"]}


def groups_of(cloud: Cloud, pool: str) -> set[str]:
    cognito = cloud.client("cognito-idp")
    listed = cognito.admin_list_groups_for_user(UserPoolId=pool, Username=EMAIL)["Groups"]
    return {group["GroupName"] for group in listed}


def test_a_user_belongs_to_a_tenant_and_to_groups(cloud: Cloud, target: Target, pool: str) -> None:
    line = made(target, groups=("writers",))
    attributes = user(cloud, pool)
    assert (attributes["custom:tenant"], attributes["email"]) == ("acme", EMAIL)
    assert attributes["email_verified"] == "true"
    assert groups_of(cloud, pool) == {"writers"}
    assert line.startswith(f"{EMAIL} is made, for tenant acme, in writers. AWS sends a temporary")


def test_a_second_time_only_groups_are_added(cloud: Cloud, target: Target, pool: str) -> None:
    made(target)
    before = user(cloud, pool)
    line = made(target, groups=("writers", "operators"))
    assert user(cloud, pool) == before
    assert groups_of(cloud, pool) == {"writers", "operators"}
    assert "has not signed in yet" in line
    cloud.client("cognito-idp").admin_set_user_password(
        UserPoolId=pool, Username=EMAIL, Password="Aa1!aaaaaaaaaaaa", Permanent=True
    )
    assert made(target).endswith("and signs in on dev.")


@pytest.mark.parametrize(
    ("has", "asked"), [("", "without a tenant"), ("globex", "for tenant globex")]
)
def test_whoever_has_another_tenant_or_none_is_made_again(
    has: str, asked: str, target: Target, pool: str
) -> None:
    made(target, tenant=has or None, groups=("operators",))
    with pytest.raises(Refused, match=f"{EMAIL} is there {asked}, .* admin-delete-user"):
        made(target)


@pytest.mark.usefixtures("pool")
def test_what_is_missing_or_wrong_is_said(target: Target) -> None:
    with pytest.raises(Refused, match="Say whose user it is, TENANT=acme"):
        made(target, tenant=None)
    with pytest.raises(Refused, match=r"There is no group 'kings'. There are: operators, writers"):
        made(target, groups=("kings",))
    with pytest.raises(Refused, match="'sam' is no e-mail address"):
        ensure_user(target, email="sam", tenant="acme", groups=(), say=print)


def test_a_stage_that_is_not_deployed_has_no_users(target: Target) -> None:
    with pytest.raises(Refused, match="run make deploy STAGE=dev first"):
        made(target)


def test_a_user_is_made_in_every_region_that_the_stage_runs_from(
    cloud: Cloud, target: Target, pool: str, cdk: Callable[..., SmallCdk]
) -> None:
    there, tables_only = "us-west-2", "ap-south-1"
    deploy(target, cdk(there, tables_only), Asked(approve="never"), lambda line: None)
    # The small CDK makes no identity stack, and a deployment removes those that it does not make.
    other = made_pool(cloud, f"tablewright-dev-identity-{there}", there)
    said: list[str] = []
    ensure_user(target, email=EMAIL, tenant="acme", groups=("writers",), say=said.append)
    assert len(said) == 2
    assert said[1].startswith(f"In {there}: {EMAIL} is made, for tenant acme, in writers.")
    cognito = cloud.client("cognito-idp", region_name=there)
    assert cognito.admin_get_user(UserPoolId=other, Username=EMAIL)["Username"]
    assert groups_of(cloud, pool) == {"writers"}
