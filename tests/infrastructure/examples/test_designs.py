"""Every design makes a table whose patterns can be granted, each by itself."""

from typing import Any

import pytest
from aws_cdk import aws_iam as iam

from examples.designs import DESIGNS
from examples.designs.clickstream import Clickstream
from tablewright.constructs import DesignTable, TenantAccessRole
from tablewright.model import Design, Table
from tests.infrastructure.synthesis import (
    allowed,
    listed,
    new_stack,
    only,
    resources,
    statements,
    template_of,
)

TABLE = "AWS::DynamoDB::GlobalTable"


def keys(schema: list[dict[str, str]], kind: str) -> tuple[str, ...]:
    return tuple(one["AttributeName"] for one in schema if one["KeyType"] == kind)


def indexes(made: dict[str, Any], kind: str) -> dict[str, tuple[Any, ...]]:
    return {
        index["IndexName"]: (keys(index["KeySchema"], "HASH"), keys(index["KeySchema"], "RANGE"))
        for index in made.get(f"{kind}SecondaryIndexes", [])
    }


def declared(design: Design, *, local: bool) -> dict[str, tuple[Any, ...]]:
    own = (index for index in design.index_list if index.local is local)
    return {index.name: (index.key.partition, index.key.sort) for index in own}


@pytest.mark.parametrize("table", DESIGNS)
def test_a_design_is_deployed_as_it_is_declared_and_granted_pattern_by_pattern(
    table: type[Table],
) -> None:
    design, stack = table.__design__, new_stack()
    construct = DesignTable(stack, "Table", design=table)
    for pattern in design.pattern_list:
        service = iam.ServicePrincipal("lambda.amazonaws.com")
        role = iam.Role(stack, f"{pattern.name}-only", assumed_by=service)
        construct.grant(role, pattern)
    template = template_of(stack)
    made = only(template, TABLE)
    assert indexes(made, "Global") == declared(design, local=False)
    assert indexes(made, "Local") == declared(design, local=True)
    assert keys(made["KeySchema"], "HASH") == (design.pk,)
    (id,) = resources(template, TABLE)
    for pattern in design.pattern_list:
        found = allowed(template, f"{pattern.name.replace('_', '')}only")
        assert found == {
            (f"dynamodb:{action}", f"{{{id}.Arn}}" + (f"/index/{index}" if index else ""))
            for action, index in design.actions(pattern)
        }


def test_a_site_s_clickstream_is_granted_to_that_site_alone() -> None:
    stack = new_stack()
    service = iam.ServicePrincipal("lambda.amazonaws.com")
    function = iam.Role(stack, "Function", assumed_by=service)
    table = DesignTable(stack, "Table", design=Clickstream)
    access = TenantAccessRole(stack, "Access", assumed_by=function)
    access.grant(table, *Clickstream.__design__.pattern_list)
    conditions = [one["Condition"] for one in statements(template_of(stack), "AccessRole")]
    forms = [
        form
        for condition in conditions
        for form in listed(condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
    ]
    own = "SITE#${aws:PrincipalTag/tenant}"
    assert set(forms) == {own, f"{own}#*", f"{own}#HOURS", f"{own}#COUNTED", f"{own}#PATH#*"}
