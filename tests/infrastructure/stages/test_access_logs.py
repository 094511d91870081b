"""Who read and wrote what in a bucket is logged, where the data outlives its stack."""

import re
from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import Assembly, Template, id_of, one, resources, text

Stage = Callable[[str], Assembly]
BUCKET = "AWS::S3::Bucket"
LOGGED = {
    "forms": {"Payloads"},
    "portal": {"Files", "Archive"},
    "sales": {"Archive"},
    "sentiment": {"Archive"},
}


def logged(template: Template) -> set[str]:
    """The buckets with an access log, by the construct that they are of."""
    found = (id for id, one in resources(template, BUCKET).items() if "LoggingConfiguration" in one)
    return {id.partition("Bucket")[0] for id in found}


@pytest.mark.parametrize("name", ["staging", "prod"])
@pytest.mark.parametrize("system", LOGGED)
def test_what_is_kept_has_a_log_of_its_own(name: str, system: str, stage: Stage) -> None:
    template = stage(name).template(system)
    assert logged(template) == LOGGED[system]
    logs = id_of(template, BUCKET, "AccessLogs")
    prefixes = set()
    for bucket in LOGGED[system]:
        log = one(template, BUCKET, f"{bucket}Bucket")["LoggingConfiguration"]
        assert log["DestinationBucketName"] == {"Ref": logs}
        prefixes.add(log["LogFilePrefix"])
    assert len(prefixes) == len(LOGGED[system])


@pytest.mark.parametrize("name", ["local", "dev"])
@pytest.mark.parametrize("system", LOGGED)
def test_what_is_thrown_away_has_none(name: str, system: str, stage: Stage) -> None:
    template = stage(name).template(system)
    assert logged(template) == set()
    assert not [id for id in resources(template, BUCKET) if id.startswith("AccessLogs")]


def test_s3_alone_writes_logs_and_a_year_of_them_is_kept(prod: Assembly) -> None:
    portal = prod.template("portal")
    logs = id_of(portal, BUCKET, "AccessLogs")
    (rule,) = resources(portal, BUCKET)[logs]["LifecycleConfiguration"]["Rules"]
    assert rule["ExpirationInDays"] == 365
    policies = resources(portal, "AWS::S3::BucketPolicy").values()
    (policy,) = (p for p in policies if p["Bucket"] == {"Ref": logs})
    allowed = [s for s in policy["PolicyDocument"]["Statement"] if s["Effect"] == "Allow"]
    assert allowed
    for statement in allowed:
        assert statement["Principal"] == {"Service": "logging.s3.amazonaws.com"}
        assert statement["Action"] == "s3:PutObject"
        assert "aws:SourceAccount" in str(statement["Condition"])


@pytest.mark.parametrize("name", ["local", "dev", "prod"])
def test_services_deliver_logs_to_vended_groups(name: str, stage: Stage) -> None:
    """Others would share one policy of the account."""
    for template in stage(name).templates.values():
        groups = resources(template, "AWS::Logs::LogGroup")
        for kind, settings in (
            ("AWS::ApiGatewayV2::Stage", "AccessLogSettings"),
            ("AWS::Pipes::Pipe", "LogConfiguration"),
        ):
            for sender in resources(template, kind).values():
                (id,) = re.findall(r"'Fn::GetAtt': \['(\w+)', 'Arn'\]", str(sender[settings]))
                assert text(groups[id]["LogGroupName"]["Fn::Join"][1][0]).startswith(
                    "/aws/vendedlogs/"
                )


@pytest.mark.thorough
def test_custom_resources_time_out_and_flow_logs_are_trusted_for_one_account(stage: Stage) -> None:
    assembly = stage("prod-accelerated")
    asked = [
        resource
        for template in assembly.templates.values()
        for kind in ("Custom::PrimaryKey", "Custom::ReplicaStream")
        for resource in resources(template, kind).values()
    ]
    assert asked
    assert {resource["ServiceTimeout"] for resource in asked} == {"300"}
    (trust,) = (
        statement
        for role in resources(assembly.template("sentiment"), "AWS::IAM::Role").values()
        for statement in role["AssumeRolePolicyDocument"]["Statement"]
        if "vpc-flow-logs" in str(statement["Principal"])
    )
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": "111122223333"}}
