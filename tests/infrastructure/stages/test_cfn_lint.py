"""Templates hold before cfn-lint, and resources exist in the regions that they are deployed to."""

import re
from collections.abc import Callable

import pytest
from cfnlint.api import lint_by_config
from cfnlint.config import ManualArgs
from cfnlint.helpers import REGIONS
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from cdk_app.deployable_regions import PARTITIONS, WITHOUT_PIPES, missing_service
from cdk_app.setting import SettingError
from cdk_app.settings import ROOT, read
from tablewright.constructs import CostAlerts
from tests.infrastructure.synthesis import Assembly

Stage = Callable[[str], Assembly]
HOME = "us-east-1"
IGNORED = {
    # CDK has a function wait for its role and for the policies of it, one by one.
    "W3005",
    # A cluster's subnets need zones by name; `Accelerator` says where those come from.
    "W3010",
}
BUDGET = "AWS::Budgets::Budget"
# Resource types by the name of their service in messages.
SERVICES = {"AWS::Pipes": "EventBridge Pipes", "AWS::Cognito": "Cognito user pools"}
PAGE = (ROOT / "docs" / "deployable-regions.md").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["dev", "staging", "prod-accelerated", "prod-replicated-encrypted"]
)
def test_cfn_lint_finds_nothing(name: str, stage: Stage) -> None:
    files = [
        str(file)
        for stack, file in stage(name).files.items()
        # Those are the same as in us-west-2, as the snapshots hold.
        if not stack.endswith(("eu-west-1", "ap-south-1"))
        and stage(name).templates[stack]["Resources"]
    ]
    # All at once: the rules are read anew each time.
    asked = ManualArgs(regions=[HOME], ignore_checks=sorted(IGNORED), templates=files)
    found = lint_by_config(asked)
    said = [f"{m.filename}: {m.rule.id} {m.path}: {m.message}" for m in found]
    assert said == []


def test_every_region_that_has_the_services_can_have_a_stage(stage: Stage) -> None:
    used = {
        resource["Type"]
        for name in ("dev", "prod")
        for template in stage(name).templates.values()
        for resource in template["Resources"].values()
    }
    for region in REGIONS:
        if region.startswith(("us-iso", "eu-iso", "eusc-")):
            # cfn-lint knows nothing of their services.
            continue
        missing = used - {BUDGET} - set(PROVIDER_SCHEMA_MANAGER.get_resource_types(region))
        services = {SERVICES[type.rpartition("::")[0]] for type in missing}
        assert services == ({missing_service(region)} - {None}), region


def test_page_names_all_services_and_refused_regions(stage: Stage) -> None:
    used = {
        resource["Type"].split("::")[1]
        for name in ("dev", "prod-accelerated", "prod-replicated-encrypted")
        for template in stage(name).templates.values()
        for resource in template["Resources"].values()
        if not resource["Type"].startswith(("Custom::", "AWS::CloudFormation::"))
    }
    first_column = re.findall(r"^\| `(.+?)` \|", PAGE, re.MULTILINE)
    documented = {name for cell in first_column for name in cell.split("`, `")}
    assert documented == used | {"CloudFront", "WAFv2", "Budgets"}
    assert set(re.findall(r"^- `(.+?)`", PAGE, re.MULTILINE)) == {*PARTITIONS, *WITHOUT_PIPES}


@pytest.mark.parametrize("region", ["us-gov-west-1", "cn-north-1", "eusc-de-east-1", "ca-west-1"])
def test_stage_in_a_region_without_a_service_is_refused(region: str) -> None:
    message = f"TABLEWRIGHT_REGION is {region}, which lacks {missing_service(region)}: choose"
    with pytest.raises(SettingError, match=message):
        read({"stage": "prod"}.get, {"TABLEWRIGHT_REGION": region})


def test_replica_may_be_in_a_region_without_pipes_of_the_same_partition() -> None:
    environ = {"TABLEWRIGHT_REGION": HOME, "TABLEWRIGHT_REPLICAS": "ca-west-1"}
    assert read({"stage": "prod"}.get, environ).replicas.regions == ("ca-west-1",)
    with pytest.raises(SettingError, match="TABLEWRIGHT_REPLICAS is cn-north-1, which lacks"):
        read({"stage": "prod"}.get, {**environ, "TABLEWRIGHT_REPLICAS": "cn-north-1"})


def test_budgets_are_made_where_cloudformation_makes_them() -> None:
    known = {r for r in REGIONS if "iso" not in r and not r.startswith("eusc")}
    have = {r for r in known if BUDGET in PROVIDER_SCHEMA_MANAGER.get_resource_types(r)}
    assert have == CostAlerts.REGIONS
