"""Encrypted fields: off unless asked for; then each function has the keys that it needs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.infrastructure.synthesis import (
    STAGES,
    Assembly,
    Template,
    allowed,
    environment,
    id_of,
    resources,
    statements,
    synthesize_stage,
)

pytestmark = pytest.mark.thorough

Stage = Callable[[str], Assembly]
SECRET = "AWS::SecretsManager::Secret"


@pytest.fixture(scope="module")
def encrypted(stage: Stage) -> Template:
    return stage("prod-replicated-encrypted").template("sentiment")


@pytest.mark.parametrize("name", STAGES)
def test_nothing_is_encrypted_unless_it_is_asked_for(name: str, stage: Stage) -> None:
    template = stage(name).template("sentiment")
    assert not resources(template, "AWS::KMS::Key")
    for function in ("Ingest", "Project", "Api"):
        assert "ENCRYPTED_FIELDS" not in environment(template, function)


def test_each_function_has_the_keys_that_it_needs(encrypted: Template) -> None:
    items, dashboard = (
        f"{{{id_of(encrypted, SECRET, start)}}}" for start in ("SecretsItems", "SecretsDashboard")
    )
    expected = {
        "Ingest": {items, dashboard},
        "Project": {items, dashboard},
        "Api": {dashboard},
        "Analyse": set(),
        "NewsApi": set(),
        "NewsHeal": set(),
    }
    for function, rings in expected.items():
        may = allowed(encrypted, f"{function}Role")
        assert {where for _, where in may if where in (items, dashboard)} == rings, function
        told = environment(encrypted, function)
        assert {value for value in told.values() if value in (items, dashboard)} == rings, function
        assert ("kms:Decrypt" in {action for action, _ in may}) is bool(rings), function


def test_no_function_can_make_a_key(encrypted: Template) -> None:
    for function in ("Ingest", "Project", "Api", "Analyse"):
        actions = {action for action, _ in allowed(encrypted, f"{function}Role")}
        assert not [action for action in actions if action.startswith("kms:Generate")]


def test_replicas_of_the_items_have_their_keys(encrypted: Template) -> None:
    ring = resources(encrypted, SECRET)[id_of(encrypted, SECRET, "SecretsItems")]
    regions = {one["Region"] for one in ring["ReplicaRegions"]}
    assert regions == {"us-west-2"}


def test_a_region_that_stands_by_unwraps_the_same_keys(stage: Stage) -> None:
    home = stage("prod-replicated-encrypted").template("sentiment")
    away = stage("prod-replicated-encrypted").template("sentiment-us-west-2")
    name = "prod-sentiment-items-primary-keys"
    ring = resources(home, SECRET)[id_of(home, SECRET, "SecretsItems")]
    assert ring["Name"] == name
    assert [one["AliasName"] for one in resources(home, "AWS::KMS::Alias").values()] == [
        f"alias/{name}"
    ]
    # Neither the key nor the ring is made a second time.
    assert not resources(away, "AWS::KMS::Key")
    assert not [id for id in resources(away, SECRET) if id.startswith("SecretsItems")]
    (primary,) = resources(away, "Custom::PrimaryKey").values()
    assert (primary["Alias"], primary["Region"]) == (f"alias/{name}", "us-east-1")
    ((key, replica),) = resources(away, "AWS::KMS::ReplicaKey").items()
    assert replica["PrimaryKeyArn"]["Fn::GetAtt"][1] == "KeyArn"
    for function in ("Ingest", "Project"):
        assert environment(away, function)["ITEMS_KEYS_SECRET_ARN"] == name
        may = allowed(away, f"{function}Role")
        assert ("kms:Decrypt", f"{{{key}.Arn}}") in may
        reads = {where for action, where in may if action == "secretsmanager:GetSecretValue"}
        assert any(where.endswith(f":secret:{name}-??????") for where in reads)


def test_who_asks_for_the_key_may_ask_for_this_one_only(stage: Stage) -> None:
    away = stage("prod-replicated-encrypted").template("sentiment-us-west-2")
    (found,) = (one for one in statements(away, "DescribeKeyRole") if "kms" in str(one["Action"]))
    assert found["Action"] == "kms:DescribeKey"
    alias = "alias/prod-sentiment-items-primary-keys"
    assert found["Condition"] == {"StringEquals": {"kms:RequestAlias": alias}}


def test_keys_of_earlier_stacks_are_adopted_in_each_region(tmp_path: Path) -> None:
    key = "arn:aws:kms:{}:111122223333:key/mrk-1"
    secret = "arn:aws:secretsmanager:{}:111122223333:secret:prod-sentiment-items-{}-keys-abcdef"
    arns = {}
    for suffix, region in (("", "us-east-1"), ("-us-west-2", "us-west-2")):
        for ring in ("primary", "dashboard"):
            name = f"prod-sentiment-items-{ring}-keys"
            arns[f"tablewright-prod-sentiment{suffix}/{name}"] = secret.format(region, ring)
        for stack, alias in (
            ("sentiment", "prod-sentiment-items-primary-keys"),
            ("keys", "tablewright-prod-sentiment-tables"),
        ):
            arns[f"tablewright-prod-{stack}{suffix}/alias/{alias}"] = key.format(region)
    made = synthesize_stage(
        "prod-replicated-encrypted",
        tmp_path,
        {"TABLEWRIGHT_CUSTOMER_KEYS": "sentiment"},
        adopted=json.dumps(arns),
    )
    for suffix, region in (("", "us-east-1"), ("-us-west-2", "us-west-2")):
        for system in ("sentiment", "keys"):
            template = made.template(f"{system}{suffix}")
            for kind in ("AWS::KMS::Key", "AWS::KMS::ReplicaKey", "AWS::KMS::Alias"):
                assert not resources(template, kind)
        template = made.template(f"sentiment{suffix}")
        assert not [id for id in resources(template, SECRET) if id.startswith("Secrets")]
        may = allowed(template, "ProjectRole")
        assert ("kms:Decrypt", key.format(region)) in may
        rings = {where for action, where in may if action == "secretsmanager:GetSecretValue"}
        assert secret.format(region, "dashboard") in rings
        assert any(":secret:prod-sentiment-items-primary-keys-" in ring for ring in rings)
    (items,) = (
        table
        for table in resources(made.template("sentiment"), "AWS::DynamoDB::GlobalTable").values()
        if table["TableName"] == "prod-sentiment-items-primary"
    )
    encryption = {r["Region"]: r["SSESpecification"] for r in items["Replicas"]}
    assert encryption["us-east-1"]["KMSMasterKeyId"] == key.format("us-east-1")


def test_keys_have_an_alias_that_stays_in_each_region(stage: Stage) -> None:
    for system in ("sentiment", "sentiment-us-west-2"):
        template = stage("prod-replicated-encrypted").template(system)
        (alias,) = (r for r in template["Resources"].values() if r["Type"] == "AWS::KMS::Alias")
        assert alias["Properties"]["AliasName"] == "alias/prod-sentiment-items-primary-keys"
        assert alias["DeletionPolicy"] == "RetainExceptOnCreate"
