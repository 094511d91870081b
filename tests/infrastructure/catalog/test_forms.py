"""The form table: as its design says, and a role for one tenant that reaches no other's keys."""

from fnmatch import fnmatchcase
from typing import Any

import pytest
from aws_cdk import aws_iam as iam

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.constructs import GrantError
from tablewright.model import Epoch, Epochs, Record
from tablewright.model.patterns import Pattern
from tablewright.model.table_form import TableForm
from tests.infrastructure.synthesis import (
    allowed,
    new_stack,
    one,
    statements,
    template_of,
    text,
)

TYPE = "AWS::DynamoDB::GlobalTable"
TENANT = "TENANT#${aws:PrincipalTag/tenant}"
# What is not about one tenant, and is refused to a role that is.
ACROSS_TENANTS = (
    *("tenants", "day_of_tenants", "due_claims"),
    *("put_domain", "get_domain", "update_domain", "delete_domain"),
)
OF_TENANTS = [p for p in Forms.__design__.pattern_list if p.name not in ACROSS_TENANTS]


def with_access(*patterns: Pattern[Any], **options: Any) -> dict[str, Any]:
    stack = new_stack()
    forms = FormsTable(stack, "Forms")
    function = iam.Role(stack, "Function", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    forms.tenant_access_role("Access", *patterns, assumed_by=function, **options)
    return template_of(stack)


@pytest.fixture(scope="module")
def granted() -> dict[str, Any]:
    """A role for everything that a tenant can be granted."""
    return with_access(*OF_TENANTS)


def leading_keys(template: dict[str, Any]) -> dict[str | None, list[str]]:
    """The partition keys that a session may name, by index."""
    found: dict[str | None, list[str]] = {}
    for statement in statements(template, "FormsAccessRole"):
        condition = statement["Condition"]
        assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
        index = text(statement["Resource"]).partition("/index/")[2] or None
        keys = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        found[index] = sorted({*found.get(index, []), *keys})
    return found


def test_the_table_is_the_design_s() -> None:
    stack = new_stack()
    FormsTable(stack, "Forms")
    deployed = one(template_of(stack), TYPE, "Forms")
    tested = TableForm.of(Forms.__design__).definition("forms")
    assert deployed["KeySchema"] == tested["KeySchema"]
    assert deployed["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert deployed["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    names = [index["IndexName"] for index in deployed["GlobalSecondaryIndexes"]]
    assert names == ["GSI1", "GSI2", "GSI3"]
    for index, other in zip(
        deployed["GlobalSecondaryIndexes"], tested["GlobalSecondaryIndexes"], strict=True
    ):
        assert index["KeySchema"] == other["KeySchema"]
        assert set(index["Projection"]["NonKeyAttributes"]) == set(
            other["Projection"]["NonKeyAttributes"]
        )


def test_a_tenant_s_session_may_name_these_keys_and_no_others(granted: dict[str, Any]) -> None:
    assert leading_keys(granted) == {
        None: [
            TENANT,
            f"{TENANT}#*",
            f"{TENANT}#COUNTED#*#*#*",
            f"{TENANT}#KEY#*",
            f"{TENANT}#REQUESTS#*",
            f"{TENANT}#SUB#*",
        ],
        "GSI1": [TENANT, f"{TENANT}#*"],
        "GSI2": [f"{TENANT}#DEST#*#*", f"{TENANT}#STATUS#*"],
        "GSI3": [f"{TENANT}#FORM#*#*"],
    }


def keys_of(tenant: str) -> list[tuple[str, str | None, str]]:
    """The partition key of an item of every entity in every place: entity, index, key."""

    class Ten:
        def latest(self) -> int:
            return 1 << 48

        def known(self, whose: str, upto: int) -> Epochs:
            return Epochs([Epoch("2025-01-01T00:00:00.000Z", 10)])

    found = []
    for entity in Forms.__design__.entity_list:
        record: Record = entity.check({**entity.example, "tenant_id": tenant})
        attributes = Forms.__design__.derived(entity, record, Ten())
        for index, key in ((None, entity.key), *entity.indexed.items()):
            if not key.shared:
                pk = str(attributes[Forms.__design__.key_attributes(index).partition[0]])
                found.append((entity.name, index, pk))
    return found


def test_no_tenant_reaches_a_key_of_one_whose_id_begins_alike(granted: dict[str, Any]) -> None:
    forms = leading_keys(granted)
    tenants = ("a", "ab", "a-b", "a.b", "A", "ab0", "a0", "0", "SUB")
    for mine in tenants:
        allowed_keys = {
            index: [key.replace("${aws:PrincipalTag/tenant}", mine) for key in keys]
            for index, keys in forms.items()
        }
        for theirs in tenants:
            for entity, index, key in keys_of(theirs):
                reached = any(fnmatchcase(key, form) for form in allowed_keys[index])
                assert reached is (mine == theirs), (mine, theirs, entity, index, key)


@pytest.mark.parametrize("name", ACROSS_TENANTS)
def test_what_is_not_about_one_tenant_is_refused(name: str) -> None:
    with pytest.raises(GrantError, match="does not begin with the tenant"):
        with_access(Forms.__design__.patterns[name])


def test_whoever_computes_a_shard_may_read_the_epochs() -> None:
    for pattern in (Forms.put_submission, Forms.submissions, Forms.update_attempt):
        actions = {action for action, _ in allowed(with_access(pattern), "FormsAccessRole")}
        assert "dynamodb:GetItem" in actions
        assert TENANT in leading_keys(with_access(pattern))[None]
    reads_config = with_access(Forms.get_config)
    assert leading_keys(reads_config) == {None: [TENANT]}


def test_the_session_tag_can_be_named() -> None:
    template = with_access(Forms.get_config, session_tag="org")
    assert leading_keys(template) == {None: ["TENANT#${aws:PrincipalTag/org}"]}
