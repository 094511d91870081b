"""Policies decide here as they do in IAM, and never more safely than they do there."""

from typing import Any

import pytest

from tablewright.isolation.decisions import Call, allows

TENANT = "TENANT#${aws:PrincipalTag/tenant}"


def statement(**more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "table", **more}


def call(
    *keys: str, tenant: str | None = "a", action: str = "GetItem", index: str | None = None
) -> Call:
    return Call(action, index, keys, {} if tenant is None else {"tenant": tenant})


def only(operator: str, *values: str, key: str = "dynamodb:LeadingKeys") -> dict[str, Any]:
    return statement(Condition={operator: {key: list(values)}})


@pytest.mark.parametrize(
    ("given", "action", "index", "expected"),
    [
        ({"Action": "dynamodb:GetItem"}, "GetItem", None, True),
        ({"Action": ["dynamodb:getitem"]}, "GetItem", None, True),
        ({"Action": "dynamodb:Get*"}, "PutItem", None, False),
        ({"Action": "*"}, "PutItem", None, True),
        ({"Action": None, "NotAction": "dynamodb:Put*"}, "PutItem", None, False),
        ({"Resource": "table"}, "Query", "GSI1", False),
        ({"Resource": "table/index/GSI1"}, "Query", "GSI1", True),
        ({"Resource": "table/index/GSI1"}, "Query", "GSI10", False),
        ({"Resource": "table/index/GSI1"}, "Query", None, False),
        ({"Resource": "table/index/*"}, "Query", "GSI2", True),
        ({"Resource": ["table", "table/*"]}, "Query", "GSI2", True),
        ({"Resource": "*"}, "Query", None, True),
    ],
)
def test_a_statement_is_about_certain_actions_on_certain_places(
    given: dict[str, Any], action: str, index: str | None, expected: bool
) -> None:
    made = {key: value for key, value in statement(**given).items() if value is not None}
    assert allows([made], call("k", action=action, index=index)) is expected


@pytest.mark.parametrize(
    ("pattern", "tenant", "key", "expected"),
    [
        (TENANT, "a", "TENANT#a", True),
        (TENANT, "a", "TENANT#ab", False),
        (TENANT, "a", "TENANT#A", False),
        (f"{TENANT}*", "a", "TENANT#ab", True),
        (f"{TENANT}#*", "a", "TENANT#ab", False),
        (f"{TENANT}#*", "a", "TENANT#a#x\ny", True),
        (f"{TENANT}#?", "a", "TENANT#a#12", False),
        # A wildcard in a tag is a character.
        (TENANT, "*", "TENANT#ab", False),
        (TENANT, "*", "TENANT#*", True),
        (f"{TENANT}#*", "?", "TENANT#a#1", False),
        # Two spellings of one letter are two texts.
        (TENANT, "\u00e1", "TENANT#a\u0301", False),
        (TENANT, "a.b", "TENANT#a-b", False),
        # Without the tag there is nothing that it could match, but for a default.
        (TENANT, None, "TENANT#", False),
        (TENANT, None, TENANT, False),
        ("TENANT#${aws:PrincipalTag/tenant, 'none'}", None, "TENANT#none", True),
        ("TENANT#${*}", "a", "TENANT#*", True),
        ("TENANT#${*}", "a", "TENANT#a", False),
        ("TENANT#${aws:username}", "a", "TENANT#a", False),
    ],
)
def test_a_key_is_matched_with_the_session_s_tenant_in_it(
    pattern: str, tenant: str | None, key: str, expected: bool
) -> None:
    found = allows([only("ForAllValues:StringLike", pattern)], call(key, tenant=tenant))
    assert found is expected


@pytest.mark.parametrize(
    ("operator", "keys", "expected"),
    [
        ("ForAllValues:StringLike", ("a", "b"), False),
        ("ForAllValues:StringLike", ("a", "a"), True),
        ("ForAllValues:StringLike", (), True),
        ("ForAnyValue:StringLike", ("a", "b"), True),
        ("ForAnyValue:StringLike", (), False),
        ("StringLike", (), False),
        ("StringLikeIfExists", (), True),
        ("StringEquals", ("A",), False),
        ("StringEqualsIgnoreCase", ("A",), True),
        ("StringNotEquals", ("b",), True),
        ("ForAllValues:StringNotLike", ("a", "b"), False),
        ("StringNotLike", (), True),
    ],
)
def test_many_keys_and_none(operator: str, keys: tuple[str, ...], expected: bool) -> None:
    assert allows([only(operator, "a")], call(*keys)) is expected


def test_equality_knows_no_wildcards() -> None:
    assert not allows([only("StringEquals", "a*")], call("ab"))
    assert allows([only("StringEquals", "a*")], call("a*"))


def test_null_asks_whether_keys_are_named() -> None:
    named = only("Null", "false")
    assert allows([named], call("a"))
    assert not allows([named], call())
    assert allows([only("Null", "true")], call())


def test_every_condition_of_a_statement_must_be_met() -> None:
    both = statement(
        Condition={
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["a"]},
            "Null": {"dynamodb:LeadingKeys": "false"},
        }
    )
    assert allows([both], call("a"))
    assert not allows([both], call())
    assert not allows([both], call("b"))


def test_a_denial_outweighs_what_is_allowed() -> None:
    denied = {**only("ForAnyValue:StringLike", "b*"), "Effect": "Deny"}
    assert allows([denied, statement()], call("a"))
    assert not allows([denied, statement()], call("a", "b1"))
    assert not allows([], call("a"))


def test_what_is_not_known_is_taken_for_the_worse() -> None:
    when = {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}
    assert allows([statement(Condition=when)], call("a"))
    assert allows([statement(), statement(Effect="Deny", Condition=when)], call("a"))
    loose = only("StringLike", "a")
    assert allows([loose], call("a", "b"))
    assert allows([statement(), {**loose, "Effect": "Deny"}], call("a", "b"))
