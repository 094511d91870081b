"""The audit as it is deployed: every stack is audited, by what it needs and no more."""

import json

from lambdas.audit.contract import AuditEnvironment
from tests.infrastructure.synthesis import Assembly, environment, listed, resources, statements
from tests.integration.gaps.test_audit import CALLED

# What IAM calls an operation, where that is not its own name.
ACTIONS = {
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "GetBucketEncryption": "GetEncryptionConfiguration",
}
OF_EVERY_FUNCTION = {
    *("logs:CreateLogStream", "logs:PutLogEvents", "sqs:SendMessage"),
    *("xray:PutTelemetryRecords", "xray:PutTraceSegments"),
}


def test_every_stack_of_production_is_audited_but_the_audit_s_own(prod: Assembly) -> None:
    told = environment(prod.template("audit"), "Audit")
    audited = set(json.loads(told["STACKS"]))
    others = {name for name in prod.templates if not name.endswith("-audit")}
    assert audited == others


def test_the_names_that_it_may_read_are_those_of_the_stage(prod: Assembly) -> None:
    named = json.dumps(statements(prod.template("audit"), "AuditRole"))
    for template in prod.templates.values():
        for table in resources(template, "AWS::DynamoDB::GlobalTable").values():
            assert f":table/{table['TableName']}" in named
        # Else the name does not begin with that of the stack.
        assert not [
            bucket
            for bucket in resources(template, "AWS::S3::Bucket").values()
            if "BucketName" in bucket
        ]


def test_each_role_of_tenants_is_one_that_there_is(prod: Assembly) -> None:
    told = environment(prod.template("audit"), "Audit")
    given = AuditEnvironment(stacks="[]", tenant_roles=told["TENANT_ROLES"], reports_bucket="b")
    found = {
        (name, id)
        for name, template in prod.templates.items()
        for id in resources(template, "AWS::IAM::Role")
        if "TenantAccess" in id
    }
    assert len(found) == len(given.roles) == 2
    for role in given.roles:
        assert [id for name, id in found if name == role.stack and id.startswith(role.id)]


def test_its_role_allows_what_it_calls_and_nothing_else(prod: Assembly) -> None:
    allowed = {
        action
        for statement in statements(prod.template("audit"), "AuditRole")
        for action in listed(statement["Action"])
    }
    called = {f"{service}:{ACTIONS.get(name, name)}" for service, name in CALLED}
    assert allowed == called | OF_EVERY_FUNCTION


def test_a_stage_that_is_thrown_away_is_not_audited(dev: Assembly) -> None:
    assert not [name for name in dev.templates if name.endswith("-audit")]
