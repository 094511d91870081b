"""Services assume the roles of a stage for its own account alone."""

import json
from collections.abc import Callable

import pytest

from tests.infrastructure.synthesis import STAGES, VARIANTS, Assembly, listed, resources

pytestmark = pytest.mark.thorough

# AWS documents no `aws:SourceAccount` of DAX, and a cluster whose role it cannot assume fails.
# Only its own account can pass the role to a cluster (`iam:PassRole`).
UNDOCUMENTED = {"dax.amazonaws.com"}


@pytest.mark.parametrize("name", [*STAGES, *VARIANTS])
def test_services_assume_roles_for_the_own_account_alone(
    name: str, stage: Callable[[str], Assembly]
) -> None:
    for stack, template in stage(name).templates.items():
        for id, role in resources(template, "AWS::IAM::Role").items():
            for statement in role["AssumeRolePolicyDocument"]["Statement"]:
                services = set(listed(statement["Principal"].get("Service", [])))
                if services - UNDOCUMENTED:
                    condition = statement.get("Condition", {}).get("StringEquals", {})
                    assert "aws:SourceAccount" in condition, (stack, id)


@pytest.mark.parametrize("name", [*STAGES, *VARIANTS])
def test_conditions_of_many_values_are_on_keys_of_many_values(
    name: str, stage: Callable[[str], Assembly]
) -> None:
    """`ForAllValues` is true of a request without the key."""
    many = {"dynamodb:LeadingKeys", "dynamodb:Attributes", "aws:TagKeys"}
    for stack, template in stage(name).templates.items():
        for id, resource in template.get("Resources", {}).items():
            for operator, keys in conditions(resource.get("Properties", {})):
                if operator.startswith("ForA"):
                    assert keys <= many, (stack, id, json.dumps(sorted(keys)))


def conditions(value: object) -> list[tuple[str, set[str]]]:
    """The operators of all conditions in a part of a template, with their keys."""
    if isinstance(value, list):
        return [one for part in value for one in conditions(part)]
    if not isinstance(value, dict):
        return []
    own = value.get("Condition")
    found = (
        [(operator, set(keys)) for operator, keys in own.items()] if isinstance(own, dict) else []
    )
    return [*found, *(one for part in value.values() for one in conditions(part))]
