"""Keys of secret fields: who may use them, who may make them, and that no deployment loses them."""

from typing import Any

import pytest

from tablewright.constructs import FieldKeys
from tests.infrastructure.constructs.building_blocks import (
    IN_IRELAND,
    findings,
    function_in,
    table_in,
)
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    id_of,
    new_stack,
    one,
    only,
    statements,
    template_of,
    text,
)

SECRET, KEY = "AWS::SecretsManager::Secret", "AWS::KMS::Key"


def keys(**options: Any) -> Template:
    """A table's keys, a function that uses them, and one that rotates them."""
    stack = new_stack(env=IN_IRELAND)
    made = FieldKeys(stack, "Keys", table=table_in(stack, **options))
    made.grant_use(function_in(stack, "User"))
    made.grant_rotation(function_in(stack, "Rotator"))
    return template_of(stack)


@pytest.fixture(scope="module")
def template() -> Template:
    return keys(replicas=["us-west-2"])


def test_whoever_uses_keys_reads_them_and_has_them_unwrapped_for_one_table(
    template: Template,
) -> None:
    key, secret = id_of(template, KEY, "Keys"), id_of(template, SECRET, "Keys")
    assert allowed(template, "UserRole") == {
        ("secretsmanager:GetSecretValue", f"{{{secret}}}"),
        ("kms:Decrypt", f"{{{key}.Arn}}"),
    }


def test_nobody_who_uses_keys_can_make_one(template: Template) -> None:
    key = f"{{{id_of(template, KEY, 'Keys')}.Arn}}"
    assert ("kms:GenerateDataKeyWithoutPlaintext", key) in allowed(template, "RotatorRole")
    assert not [action for action, _ in allowed(template, "UserRole") if "Generate" in action]


@pytest.mark.parametrize("role", ["UserRole", "RotatorRole"])
def test_every_use_of_the_key_of_kms_names_the_table(template: Template, role: str) -> None:
    (found,) = (one for one in statements(template, role) if "kms" in str(one["Action"]))
    ((name, value),) = found["Condition"]["StringEquals"].items()
    assert name == "kms:EncryptionContext:table"
    assert text(value) == f"{{{id_of(template, 'AWS::DynamoDB::GlobalTable', 'Table')}}}"


def test_no_deployment_puts_a_value_in_the_place_of_the_keys(template: Template) -> None:
    secret = only(template, SECRET)
    assert "SecretString" not in secret
    assert "GenerateSecretString" not in secret


def test_keys_are_kept_when_their_stack_goes(template: Template) -> None:
    for kind in (SECRET, KEY):
        found = template["Resources"][id_of(template, kind, "Keys")]
        assert found["DeletionPolicy"] == "RetainExceptOnCreate"
        assert found["UpdateReplacePolicy"] == "Retain"


def test_keys_go_where_the_table_is(template: Template) -> None:
    assert only(template, SECRET)["ReplicaRegions"] == [{"Region": "us-west-2"}]
    assert one(template, KEY, "Keys")["MultiRegion"] is True
    assert one(template, KEY, "Keys")["EnableKeyRotation"] is True


def test_keys_break_no_rule() -> None:
    stack = new_stack(env=IN_IRELAND)
    keys = FieldKeys(stack, "Keys", table=table_in(stack))
    keys.grant_use(function_in(stack))
    assert not {one for one in findings(stack) if "SMG" in one or "KMS" in one or "IAM5" in one}
