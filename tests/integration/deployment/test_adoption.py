"""Keys of encrypted items survive `off` and `on` again, and a stage that is destroyed and deployed
again: what they encrypted stays readable."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_cdk import App

from cdk_app.application import build
from cdk_app.settings import read
from cdk_app.stage_file import StageFile
from deployment import Refused
from deployment.adoption import adopted
from deployment.cdk import Assembly
from deployment.deploy import Asked, deploy
from deployment.target import Target
from tablewright.model import Entity, Field, Get, Key, Prose, Put, Table, Text
from tablewright.runtime import DataKeys, Secrets, Store, client_config, connect
from tablewright.runtime.secrets.rotation import Rotation
from tests.infrastructure.synthesis import HOST, context
from tests.integration.deployment.small_cdk import STACK, SmallCdk
from tests.integration.gaps.clouds import HOME, Cloud, needed_by

OREGON = "us-west-2"
PROD = STACK.replace("dev", "prod")
ENCRYPTED = "prod-sentiment-items-primary"
RINGS = {ENCRYPTED: "ItemKeys", "prod-sentiment-items-dashboard": "DashboardKeys"}
ROOTS = ("SecretsItems", "SecretsDashboard")


class Note(Entity, key=Key("NOTE#{id}")):
    id: Field[str] = Text()
    text: Field[str | None] = Prose(default=None, secret=True)


class Notes(Table, pk="PK"):
    put = Put(Note)
    get = Get(Note, consistent=True)


@cache
def synthesized(folder: Path, mode: str, more: str) -> dict[str, Any]:
    """The sentiment stack's keys, as the application makes them of these settings."""
    app = App(context=context(stage="prod", **json.loads(more)), outdir=str(folder / "app"))
    settings = {
        "TABLEWRIGHT_ACCOUNT": "000000000000",
        "TABLEWRIGHT_REGION": HOME,
        "TABLEWRIGHT_REPLICAS": OREGON,
        "TABLEWRIGHT_ENCRYPTED_FIELDS": mode,
    }
    build(app, read(app.node.try_get_context, settings, host=HOST))
    template: dict[str, Any] = app.synth().get_stack_by_name(PROD).template
    return template


class KeysCdk(SmallCdk):
    """Deploys the stack's keys and a small table."""

    def __init__(self, cloud: Cloud, folder: Path) -> None:
        super().__init__(cloud, folder, stage="prod")
        self.mode = "on"

    def synth(self, context: Mapping[str, str] | None = None) -> Assembly:
        template = synthesized(self._folder, self.mode, json.dumps(dict(context or {})))
        self.other = needed_by(template, *ROOTS)["Resources"]
        outputs = template["Outputs"]
        self.outputs = {
            name: outputs[name]["Value"]
            for name in (*RINGS.values(), "FieldKey")
            if name in outputs
        }
        return super().synth(context)


@pytest.fixture
def target(cloud: Cloud) -> Target:
    return Target(StageFile("prod", {}), {"AWS_REGION": HOME})


@pytest.fixture
def cdk(cloud: Cloud, tmp_path: Path) -> KeysCdk:
    return KeysCdk(cloud, tmp_path)


def run(target: Target, cdk: KeysCdk) -> list[str]:
    said: list[str] = []
    deploy(target, cdk, Asked(approve="never"), said.append)
    return said


def caller(service: str) -> Any:
    return connect(boto3.session.Session(region_name=HOME), service)


def store_of(target: Target, table: str) -> Store:
    """A store of copies of a table's items, with the ring that the stack names."""
    keys = DataKeys(
        table,
        target.output(PROD, RINGS[table]),
        target.output(PROD, "FieldKey"),
        secretsmanager=lambda: caller("secretsmanager"),
        kms=lambda: caller("kms"),
    )
    client = boto3.client("dynamodb", region_name=HOME, config=client_config())
    return Store(Notes, f"copy-of-{table}", client, secrets=Secrets(keys))


def encrypt_items(cloud: Cloud, target: Target) -> None:
    """Make the first key of each ring, and store an item with it."""
    for table, ring in RINGS.items():
        edges = {"secretsmanager": caller("secretsmanager"), "kms": caller("kms")}
        Rotation(table, target.output(PROD, ring), **edges).add(target.output(PROD, "FieldKey"))
        cloud.client("dynamodb").create_table(
            TableName=f"copy-of-{table}",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        )
        store_of(target, table).put(Notes.put, Note(id="1", text=f"secret of {table}"))


def require_readable(target: Target) -> None:
    for table in RINGS:
        note = store_of(target, table).get(Notes.get, id="1")
        assert note == Note(id="1", text=f"secret of {table}")


def test_items_stay_readable_when_encryption_is_switched_off_and_on(
    cloud: Cloud, target: Target, cdk: KeysCdk
) -> None:
    run(target, cdk)
    encrypt_items(cloud, target)
    cdk.mode = "off"
    with pytest.raises(Refused, match="removals"):
        run(target, cdk)
    keys = [id for id, found in _resources(target).items() if "Secret" in found or "Key" in found]
    target.file = StageFile("prod", {"removals": [f"{PROD}/{id}" for id in keys]})
    run(target, cdk)
    cdk.mode = "on"
    for _ in range(2):
        said = run(target, cdk)
        assert said[0].count("arn:aws:") == 3
        require_readable(target)
    assert not _resources(target).keys() - {"Items"}


def test_items_stay_readable_when_the_stage_is_destroyed_and_deployed(
    cloud: Cloud, target: Target, cdk: KeysCdk
) -> None:
    run(target, cdk)
    encrypt_items(cloud, target)
    before = target.outputs(PROD)
    cdk.destroy(cdk.synth())
    assert not target.has_stack(PROD)
    run(target, cdk)
    assert target.outputs(PROD) == before
    require_readable(target)


def test_keys_that_are_to_be_deleted_are_refused(
    cloud: Cloud, target: Target, cdk: KeysCdk
) -> None:
    run(target, cdk)
    assembly = cdk.synth()
    assert adopted(target, assembly) == {}
    outputs = target.outputs(PROD)
    assert outputs is not None
    cdk.destroy(assembly)
    secrets, kms = cloud.client("secretsmanager"), cloud.client("kms")
    secrets.delete_secret(SecretId=outputs["ItemKeys"])
    with pytest.raises(Refused, match=f"restore-secret .* {ENCRYPTED}-keys"):
        run(target, cdk)
    secrets.restore_secret(SecretId=outputs["ItemKeys"])
    kms.schedule_key_deletion(KeyId=outputs["FieldKey"])
    with pytest.raises(Refused, match=f"aws kms cancel-key-deletion --region {HOME}"):
        run(target, cdk)


def _resources(target: Target) -> dict[str, str]:
    template = target.template(PROD, HOME)
    assert template is not None
    return {id: resource["Type"] for id, resource in template["Resources"].items()}
