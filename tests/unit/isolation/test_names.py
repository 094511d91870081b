"""Objects and secrets of other tenants are found wherever a policy reaches them."""

from typing import Any

import pytest

from tablewright.isolation.names import named_leaks

OWN = "${aws:PrincipalTag/tenant}/*"
BUCKET, SECRETS = "arn:aws:s3:::payloads", "arn:aws:secretsmanager:eu-west-1:1:secret:dev/forms/"


def allow(action: str, resource: str, **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


SAFE = [
    allow("s3:GetObject", f"{BUCKET}/{OWN}"),
    allow("secretsmanager:GetSecretValue", f"{SECRETS}{OWN}"),
]


def found(*statements: dict[str, Any]) -> list[str]:
    return [str(leak) for leak in named_leaks(statements, ("a", "ab", "A"), "tenant")]


def test_a_folder_for_each_tenant_leaks_nothing() -> None:
    assert found(*SAFE) == []


def test_a_name_that_does_not_end_the_tenant_is_found() -> None:
    loose = allow("s3:GetObject", f"{BUCKET}/${{aws:PrincipalTag/tenant}}*")
    assert found(*SAFE, loose) == [
        f"tenant 'a' reaches tenant 'ab': s3:GetObject on {BUCKET}/{name}"
        for name in ("ab/isolation-audit", "ab")
    ]


@pytest.mark.parametrize(
    ("planted", "actions"),
    [
        (allow("s3:GetObject", f"{BUCKET}/*"), "s3:GetObject"),
        (allow("s3:Put*", "*"), "s3:PutObject"),
        (allow("secretsmanager:*", f"{SECRETS}*"), "secretsmanager:GetSecretValue"),
        (allow("secretsmanager:DeleteSecret", "*"), "secretsmanager:DeleteSecret"),
        ({"Effect": "Allow", "NotAction": "dynamodb:*", "Resource": "*"}, "s3:GetObject"),
    ],
)
def test_what_is_everybody_s_is_found_for_every_pair(planted: Any, actions: str) -> None:
    told = found(*SAFE, planted)
    for mine in ("tenant 'a'", "tenant 'ab'", "a session without a tag"):
        assert any(line.startswith(mine) and actions in line for line in told)


def test_a_list_of_everything_is_found() -> None:
    told = found(*SAFE, allow("s3:ListBucket", BUCKET))
    assert f"tenant 'a' reaches everybody: s3:ListBucket on {BUCKET}" in told


def test_what_is_denied_is_not_reached() -> None:
    planted = allow("s3:GetObject", f"{BUCKET}/*")
    assert found(planted, {**planted, "Effect": "Deny"}) == []
