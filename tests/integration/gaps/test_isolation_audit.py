"""The audit tries every tenant's session against every other, where IAM decides."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.commands.operations.audit_isolation import main
from tablewright.constructs import Protection
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tests.infrastructure.catalog.test_forms import OF_TENANTS
from tests.infrastructure.synthesis import new_stack, template_of
from tests.integration.gaps.clouds import HOME, Cloud, deploy

TABLE, BUCKET, SECRETS = "audited-forms", "audited-payloads", "audited/forms/"
LINKS = "links/"
TENANTS = ("a", "ab", "A")
LOOSE = "TENANT#${aws:PrincipalTag/tenant_id}*"


class Audited:
    """The form table, a role for its tenants, and the function's role that may assume it."""

    def __init__(self, cloud: Cloud, folder: Path) -> None:
        self.cloud = cloud
        template = {"Resources": template_of(_stack())["Resources"]}
        self._ids = deploy(cloud, "isolation-audit", template)
        self.file = folder / "template.json"
        self.file.write_text(json.dumps(template))
        self.store = Store(Forms, TABLE, Boto3Client(cloud.client("dynamodb")))
        for tenant in TENANTS:
            config = TenantConfig.__entity__.example
            self.store.put(Forms.put_config, TenantConfig(**{**config, "tenant_id": tenant}))
            for key in (f"{tenant}/payload", f"{LINKS}{tenant}/link"):
                cloud.client("s3").put_object(Bucket=BUCKET, Key=key, Body=b"theirs")

    def role(self, prefix: str) -> str:
        (name,) = (
            id for name, id in self._ids.items() if name.startswith(prefix) and "Policy" not in name
        )
        return name

    def arn(self, prefix: str) -> str:
        found = self.cloud.client("iam").get_role(RoleName=self.role(prefix))
        return str(found["Role"]["Arn"])

    def audit(self, *more: str) -> int:
        return main(
            [
                *("--design", "tablewright.catalog.forms.design:Forms"),
                *("--tenants", *TENANTS[:2], "--tag", "tenant_id", "--table", TABLE),
                *("--role-arn", self.arn("FormsAccessRole"), "--through", self.arn("Function")),
                *("--bucket", BUCKET, "--secrets", SECRETS),
                *("--policies", str(self.file), "--role", "FormsAccessRole"),
                *("--region", HOME, "--endpoint-url", self.cloud.endpoint, *more),
            ]
        )

    @contextmanager
    def planted(self, **statement: Any) -> Iterator[None]:
        """A statement more in the policies of the tenants' role."""
        client, role = self.cloud.client("iam"), self.role("FormsAccessRole")
        document = {"Statement": [{"Effect": "Allow", "Resource": "*", **statement}]}
        client.put_role_policy(
            RoleName=role, PolicyName="planted", PolicyDocument=json.dumps(document)
        )
        try:
            yield
        finally:
            client.delete_role_policy(RoleName=role, PolicyName="planted")

    def items(self) -> list[Any]:
        found = self.cloud.client("dynamodb").scan(TableName=TABLE)["Items"]
        return sorted(found, key=json.dumps)


def _stack() -> Any:
    stack = new_stack()
    forms = FormsTable(stack, "Forms", table_name=TABLE, protection=Protection.throw_away())
    function = iam.Role(stack, "Function", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    access = forms.tenant_access_role(
        "Access", *OF_TENANTS, assumed_by=function, session_tag="tenant_id"
    )
    bucket = s3.Bucket(stack, "Payloads", bucket_name=BUCKET)
    access.grant_objects(bucket, "s3:GetObject")
    access.grant_objects(bucket, "s3:GetObject", prefix=LINKS)
    access.grant_secrets(SECRETS, "secretsmanager:GetSecretValue")
    return stack


@pytest.fixture(scope="module")
def audited(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    return Audited(cloud, tmp_path_factory.mktemp("audited"))


@pytest.fixture(autouse=True)
def operator(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


def test_no_session_reaches_another_tenant_and_each_reaches_its_own(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    before = audited.items()
    # With the policies as they are deployed, everything that they allow must be reached.
    assert audited.audit("--tenants", *TENANTS) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "Tried: no tenant reaches another" in told.err
    assert audited.items() == before


def test_a_planted_wildcard_is_found_by_trying_and_changes_nothing(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    before = audited.items()
    condition = {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": [LOOSE]},
        "Null": {"dynamodb:LeadingKeys": "false"},
    }
    with audited.planted(Action="dynamodb:*", Condition=condition):
        assert audited.audit() == 1
    lines = capsys.readouterr().out.splitlines()
    # The policies that were planted are not those of the design: only trying can find them.
    assert {line.partition(":")[0] for line in lines} == {"Tried"}
    assert all("tenant 'a' reaches tenant 'ab'" in line for line in lines)
    on_table = next(line for line in lines if "TENANT#ab (TenantConfig" in line)
    for action in ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem"):
        assert action in on_table
    for index in Forms.__design__.indexes:
        assert any(f"Query on index {index}" in line for line in lines)
    assert audited.items() == before


def test_a_planted_scan_is_found(audited: Audited, capsys: pytest.CaptureFixture[str]) -> None:
    with audited.planted(Action="dynamodb:Scan"):
        assert audited.audit() == 1
    lines = capsys.readouterr().out.splitlines()
    assert "Tried: tenant 'a' reaches everybody: Scan on the table" in lines
    assert "Tried: tenant 'a' reaches everybody: Scan on index GSI2" in lines


@pytest.mark.parametrize(
    ("action", "loose", "name"),
    [
        ("s3:GetObject", f"arn:aws:s3:::{BUCKET}/${{aws:PrincipalTag/tenant_id}}*", "ab/payload"),
        (
            "secretsmanager:GetSecretValue",
            f"arn:aws:secretsmanager:*:*:secret:{SECRETS}${{aws:PrincipalTag/tenant_id}}*",
            "ab/isolation-audit",
        ),
    ],
)
def test_a_planted_name_that_does_not_end_the_tenant_is_found_by_trying(
    audited: Audited, action: str, loose: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with audited.planted(Action=action, Resource=loose):
        assert audited.audit() == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"Tried: tenant 'a' reaches tenant 'ab': {action} on ")
    assert line.endswith(name)


def test_objects_are_tried_under_every_prefix_of_the_policies(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    with audited.planted(Action="s3:GetObject", Resource=f"arn:aws:s3:::{BUCKET}/{LINKS}*"):
        assert audited.audit() == 1
    start = "Tried: tenant 'a' reaches tenant 'ab': s3:GetObject on "
    assert f"{start}{BUCKET}/{LINKS}ab/link" in capsys.readouterr().out.splitlines()


def test_a_prefix_without_an_object_of_a_tenant_is_not_called_safe(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited.audit("--tenants", "a", "abc") == 2
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        f"Tried, not tried: s3:GetObject on {BUCKET}/{prefix}abc/: it has no object"
        for prefix in ("", LINKS)
    ]
    assert "Tried: cannot tell" in told.err


@pytest.mark.parametrize("service", ["s3", "secretsmanager"])
def test_a_session_that_does_not_reach_its_own_names_is_a_problem(
    audited: Audited, service: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with audited.planted(Action=f"{service}:*", Effect="Deny"):
        assert audited.audit() == 1
    told = capsys.readouterr().out
    assert f"Tried: tenant 'a' does not reach its own: {service}:Get" in told


def test_a_session_that_does_not_reach_its_own_is_a_problem(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    with audited.planted(Action="dynamodb:*", Effect="Deny"):
        assert audited.audit() == 1
    assert "Tried: tenant 'a' does not reach anything of its own" in capsys.readouterr().out
    with audited.planted(Action="dynamodb:PutItem", Effect="Deny"):
        assert audited.audit() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all("does not reach its own, as its policies say: PutItem" in line for line in lines)


def test_a_role_that_the_operator_cannot_assume_is_said(
    audited: Audited, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        audited.audit("--through", audited.arn("FormsAccessRole"))
    assert stopped.value.code == 2
    assert "cannot be assumed" in capsys.readouterr().err
