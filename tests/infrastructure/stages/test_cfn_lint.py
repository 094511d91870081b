"""Templates hold before cfn-lint, and resources exist in the regions that they are deployed to."""

from collections.abc import Callable

import pytest
from cfnlint.api import lint_by_config
from cfnlint.config import ManualArgs
from cfnlint.helpers import REGIONS
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

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
# Regions of the commercial partition that lack a service which the application cannot do without.
LACKING = {
    "AWS::Pipes::Pipe": {
        *("ap-east-2", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7"),
        *("ca-west-1", "il-central-1", "mx-central-1"),
    },
}
ELSEWHERE = ("cn-", "us-gov-", "us-iso", "eu-iso", "eusc-")
COMMERCIAL = [region for region in REGIONS if not region.startswith(ELSEWHERE)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["dev", "staging", "prod-accelerated"])
def test_cfn_lint_finds_nothing(name: str, stage: Stage) -> None:
    files = [
        str(file)
        for stack, file in stage(name).files.items()
        # Those are the same as in us-west-2, as the snapshots hold.
        if not stack.endswith(("eu-west-1", "ap-south-1"))
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
    lacking: dict[str, set[str]] = {}
    for region in COMMERCIAL:
        for type in used - {BUDGET} - set(PROVIDER_SCHEMA_MANAGER.get_resource_types(region)):
            lacking.setdefault(type, set()).add(region)
    assert lacking == LACKING


def test_budgets_are_made_where_cloudformation_makes_them() -> None:
    known = {r for r in REGIONS if "iso" not in r and not r.startswith("eusc")}
    have = {r for r in known if BUDGET in PROVIDER_SCHEMA_MANAGER.get_resource_types(r)}
    assert have == CostAlerts.REGIONS
