"""The audit reads a role's policies from what is synthesized, and they leak nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.commands.operations.audit_isolation import main
from tablewright.isolation.policies import from_design, from_file
from tests.infrastructure.catalog.test_forms import OF_TENANTS
from tests.infrastructure.synthesis import (
    Assembly,
    listed,
    new_stack,
    statements,
    template_of,
)

pytestmark = pytest.mark.thorough

PLANTED = "TENANT#${aws:PrincipalTag/tenant}*"


def with_role(path: Path, *planted: iam.PolicyStatement) -> tuple[Path, dict[str, Any]]:
    """A template with a tenant's role for every pattern, in a file."""
    stack = new_stack()
    forms = FormsTable(stack, "Forms")
    function = iam.Role(stack, "Function", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    access = forms.tenant_access_role("Access", *OF_TENANTS, assumed_by=function)
    for statement in planted:
        access.role.add_to_principal_policy(statement)
    template = template_of(stack)
    file = path / "template.json"
    file.write_text(json.dumps(template))
    return file, template


@pytest.fixture(scope="module")
def safe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_role(tmp_path_factory.mktemp("safe"))[0]


def audit(*arguments: str | Path) -> int:
    design = ("--design", "tablewright.catalog.forms.design:Forms")
    return main([str(argument) for argument in (*design, *arguments)])


def test_what_is_computed_for_a_design_is_what_is_synthesized(tmp_path: Path) -> None:
    path, template = with_role(tmp_path)
    read = from_file(path, "FormsAccessRole")
    assert len(read) == len(statements(template, "FormsAccessRole"))

    def told(found: list[Any]) -> list[Any]:
        return sorted(
            (
                str(each["Resource"]).partition("/index/")[2],
                sorted(each["Action"] if isinstance(each["Action"], list) else [each["Action"]]),
                str(each["Condition"]),
            )
            for each in found
        )

    assert told(read) == told(from_design(Forms.__design__, "tenant"))


def test_no_tenant_reaches_another_by_a_grant_of_every_pattern(
    safe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit("--policies", safe, "--role", "FormsAccessRole") == 0
    assert audit() == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "no tenant reaches another" in told.err


def test_the_application_s_sales_role_leaks_nothing(
    stage: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assembly: Assembly = stage("prod")
    path = tmp_path / "sales.json"
    path.write_text(json.dumps(assembly.template("sales")))
    design = "tablewright.catalog.sales.design:Sales"
    assert audit("--design", design, "--policies", path, "--role", "TenantAccess") == 0
    assert capsys.readouterr().out == ""


def test_the_application_s_role_for_forms_leaks_nothing(
    stage: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assembly: Assembly = stage("prod")
    path = tmp_path / "forms.json"
    template = assembly.template("forms")
    path.write_text(json.dumps(template))
    services = {
        action.partition(":")[0]
        for statement in statements(template, "TenantAccess")
        for action in listed(statement["Action"])
    }
    assert services == {"dynamodb", "s3", "secretsmanager"}
    assert audit("--policies", path, "--role", "TenantAccess", "--tag", "tenant_id") == 0
    assert capsys.readouterr().out == ""


def test_a_planted_leak_is_reported_with_what_it_reaches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = iam.PolicyStatement(
        actions=["dynamodb:GetItem"],
        resources=["*"],
        conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [PLANTED]}},
    )
    path, _ = with_role(tmp_path, planted)
    arguments = ("--policies", path, "--role", "FormsAccessRole", "--tenants", "a", "ab", "b")
    assert audit(*arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    leaks = [line for line in lines if line.startswith("By its policies: ")]
    start = "By its policies: tenant 'a' reaches tenant 'ab': GetItem on the table, TENANT#ab"
    assert any(line.startswith(start) and "TenantSecret" in line for line in leaks)
    assert not any("tenant 'b' reaches tenant 'a" in line for line in leaks)
    (gap,) = set(lines) - set(leaks)
    assert (
        gap == "By its policies, not tried: dynamodb:GetItem on *: it is not limited to one table"
    )


def test_a_policy_alone_can_be_audited(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    whole = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}
    path.write_text(json.dumps({"Statement": whole}))
    assert audit("--policies", path) == 1
    path.write_text(json.dumps({"Statement": [{**whole, "Effect": "Deny"}]}))
    assert audit("--policies", path) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--role", "Nobody"), "0 roles whose id begins with 'Nobody'"),
        ((), "say by --role which role"),
        (("--tenants", "a"), "name two tenants at least"),
        (("--tenants", "a", "a#b"), "'a#b' does not fit the design: tenant_id must be letters"),
        (("--design", "tablewright.catalog.forms.design:NONE"), "there is nothing at"),
        (("--design", "tablewright.catalog.forms.design:_SHARDS"), "is no table design"),
        (("--table", "t"), "give both --table and --role-arn"),
    ],
)
def test_what_cannot_be_audited_is_said(
    safe: Path, arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        audit("--policies", safe, *arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def _role(**properties: Any) -> dict[str, Any]:
    return {"Resources": {"R": {"Type": "AWS::IAM::Role", "Properties": properties}}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (_role(ManagedPolicyArns=["arn:aws:iam::aws:policy/x"]), "managed policies"),
        (
            _role(Policies=[{"PolicyDocument": {"Statement": {"Resource": {"Fn::Sub": "${T}"}}}}]),
            "Fn::Sub in a policy",
        ),
        ({"Outputs": {}}, "neither a policy with a Statement nor a template"),
    ],
)
def test_a_role_that_cannot_be_read_is_not_taken_for_safe(
    document: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document))
    with pytest.raises(LookupError, match=message):
        from_file(path, "R")


def test_policies_inside_and_beside_the_role_are_read(tmp_path: Path) -> None:
    stack = Stack()
    role = iam.Role(
        stack,
        "Role",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        inline_policies={
            "inside": iam.PolicyDocument(
                statements=[iam.PolicyStatement(actions=["a:a"], resources=["*"])]
            )
        },
    )
    role.add_to_policy(iam.PolicyStatement(actions=["b:b"], resources=["*"]))
    iam.ManagedPolicy(
        stack,
        "Managed",
        roles=[role],
        statements=[iam.PolicyStatement(actions=["c:c"], resources=["*"])],
    )
    path = tmp_path / "template.json"
    path.write_text(json.dumps(template_of(stack)))
    assert {each["Action"] for each in from_file(path, "Role")} == {"a:a", "b:b", "c:c"}
