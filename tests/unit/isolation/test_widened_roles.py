"""A correct role is clean, and the audit reports every way to widen it."""

import copy
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tablewright.commands.operations.audit_isolation import main
from tablewright.isolation.reach import tenant_ids
from tablewright.model import (
    Choice,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Timestamp,
    Whole,
)

TAG = "${aws:PrincipalTag/tenant}"
TABLE = "arn:aws:dynamodb:eu-west-1:111122223333:table/orders"
FILES = "arn:aws:s3:::files"
SECRETS = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:dev/orders/"
LEADING = "dynamodb:LeadingKeys"


class Order(Entity, key=Key("TENANT#{tenant}#ORDER#{order_id}", "ORDER")):
    """An order without an example, in fields that accept few texts."""

    tenant: Field[str] = Text(pattern="[a-z]{3,8}(-[0-9]+)?")
    order_id: Field[str] = Text(pattern="ORD-[0-9]{6}")
    customer: Field[str] = Text(pattern="[A-Z]{5}")
    placed_at: Field[datetime] = Timestamp()


class Orders(Table, pk="PK", sk="SK", tenant="tenant"):
    by_customer = Index(
        pk="CPK", sk="CSK", keys={Order: Key("TENANT#{tenant}#CUSTOMER#{customer}", "{placed_at}")}
    )
    place = Put(Order)
    order = Get(Order)
    of_customer = Query(Order, by_customer)


def keys(*patterns: str) -> dict[str, Any]:
    return {
        "ForAllValues:StringLike": {LEADING: list(patterns)},
        "Null": {LEADING: "false"},
    }


def allow(actions: str | list[str], resource: str | list[str], **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resource, **more}


ORDER_KEYS = keys(f"TENANT#{TAG}#ORDER#*")
ITEMS = allow(["dynamodb:GetItem", "dynamodb:PutItem"], TABLE, Condition=ORDER_KEYS)
CORRECT = {
    "items": ITEMS,
    "index": allow(
        "dynamodb:Query", f"{TABLE}/index/by_customer", Condition=keys(f"TENANT#{TAG}#CUSTOMER#*")
    ),
    "objects": allow(["s3:GetObject", "s3:PutObject"], f"{FILES}/exports/{TAG}/*"),
    "secrets": allow("secretsmanager:GetSecretValue", f"{SECRETS}{TAG}/*"),
    "key": allow(
        "kms:Decrypt",
        "arn:aws:kms:eu-west-1:111122223333:key/1",
        Condition={"StringEquals": {"kms:ViaService": "dynamodb.eu-west-1.amazonaws.com"}},
    ),
}
Role = dict[str, Any]


def also(*arguments: Any, **more: Any) -> Callable[[Role], object]:
    """Widen a role by a statement."""
    return lambda role: role.update(planted=allow(*arguments, **more))


def change(name: str, *path: str, to: Any) -> Callable[[Role], object]:
    """Widen a role by another value in one of its statements; None removes it."""

    def widen(role: Role) -> None:
        place = role[name]
        for step in path[:-1]:
            place = place[step]
        place.pop(path[-1])
        if to is not None:
            place[path[-1]] = to

    return widen


def leading_keys(operator: str, pattern: str = f"TENANT#{TAG}#ORDER#*") -> dict[str, Any]:
    return {operator: {LEADING: [pattern]}}


OTHER_TABLE = TABLE.replace("orders", "invoices")
WIDENED: dict[str, tuple[Callable[[Role], object], str]] = {
    "another table": (also("dynamodb:GetItem", OTHER_TABLE, Condition=ORDER_KEYS), "invoices"),
    "every table": (change("items", "Resource", to=f"{TABLE[:-6]}*"), "table/*"),
    "another index": (also("dynamodb:Query", f"{TABLE}/index/*"), "index by_customer"),
    "part of an index ARN": (also("dynamodb:Query", f"{TABLE}/*/by_customer"), "by_customer"),
    "a scan": (also("dynamodb:Scan", TABLE), "Scan on the table"),
    "a PartiQL select": (also("dynamodb:PartiQLSelect", TABLE), "PartiQLSelect on the table"),
    "an unknown action": (also("dynamodb:GetRecords", f"{TABLE}/stream/*"), "GetRecords"),
    "no leading keys": (change("items", "Condition", to=None), "PutItem"),
    "no null check": (change("items", "Condition", "Null", to=None), "without dynamodb:Leading"),
    "IfExists": (
        change("items", "Condition", to=leading_keys("StringLikeIfExists")),
        "without dynamodb:Leading",
    ),
    "ForAnyValue": (
        also("dynamodb:BatchGetItem", TABLE, Condition=leading_keys("ForAnyValue:StringLike")),
        "BatchGetItem on the table",
    ),
    "a wildcard after the tenant": (
        change("items", "Condition", to=keys(f"TENANT#{TAG}*")),
        "PutItem",
    ),
    "a wildcard for the tenant": (
        change("items", "Condition", to=keys("TENANT#*#ORDER#*")),
        "PutItem",
    ),
    "another variable": (
        change("items", "Condition", to=keys("TENANT#${aws:username}#ORDER#*")),
        "aws:username",
    ),
    "another session tag": (
        also("dynamodb:*", TABLE, Condition={"StringEquals": {"aws:PrincipalTag/role": "admin"}}),
        "aws:PrincipalTag/role",
    ),
    "an unknown condition": (
        also("dynamodb:GetItem", TABLE, Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}),
        "GetItem on the table",
    ),
    "NotAction": (
        lambda role: role.update(
            planted={"Effect": "Allow", "NotAction": "s3:*", "Resource": TABLE}
        ),
        "NotAction s3:*",
    ),
    "NotResource": (
        lambda role: role.update(
            planted={"Effect": "Allow", "Action": "dynamodb:GetItem", "NotResource": OTHER_TABLE}
        ),
        "GetItem on the table",
    ),
    "another prefix": (also("s3:GetObject", f"{FILES}/invoices/*"), f"{FILES}/invoices/"),
    "one object": (also("s3:GetObject", f"{FILES}/all.csv"), f"{FILES}/all.csv"),
    "the end of names": (also("s3:GetObject", f"{FILES}/*/all.csv"), f"{FILES}/*/all.csv"),
    "every bucket": (also("s3:GetObject", f"arn:aws:s3:::*/{TAG}/*"), f"arn:aws:s3:::*/{TAG}/*"),
    "no slash after the tenant": (
        change("objects", "Resource", to=f"{FILES}/exports/{TAG}*"),
        f"{FILES}/exports/",
    ),
    "a dash after the tenant": (also("s3:GetObject", f"{FILES}/{TAG}-*"), f"{FILES}/{TAG}-*"),
    "a list of objects": (also("s3:ListBucket", FILES), f"s3:ListBucket on {FILES}"),
    "object tags": (also("s3:GetObjectTagging", f"{FILES}/*"), "s3:GetObjectTagging"),
    "every secret": (change("secrets", "Resource", to=f"{SECRETS}*"), f"{SECRETS}"),
    "a secret's suffix": (also("secretsmanager:*", f"{SECRETS}key-??????"), f"{SECRETS}key-"),
    "a key by itself": (change("key", "Condition", to=None), "kms:Decrypt"),
    "another service": (also("sqs:ReceiveMessage", "*"), "sqs:ReceiveMessage on *"),
    "everything": (also("*", "*"), "PutItem"),
}


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(role: Role, *options: str) -> tuple[int, str]:
        file = tmp_path / "policy.json"
        file.write_text(json.dumps({"Statement": list(role.values())}))
        code = main(["--design", f"{__name__}:Orders", "--policies", str(file), *options])
        return code, capsys.readouterr().out

    return run


@pytest.mark.parametrize("tenants", [(), ("--tenants", "acme", "bolt")])
def test_a_correct_role_is_clean(
    audit: Callable[..., tuple[int, str]], tenants: tuple[str, ...]
) -> None:
    assert audit(CORRECT, *tenants) == (0, "")


@pytest.mark.parametrize("tenants", [(), ("--tenants", "acme", "bolt")])
@pytest.mark.parametrize("name", WIDENED)
def test_a_widened_role_is_reported(
    name: str, tenants: tuple[str, ...], audit: Callable[..., tuple[int, str]]
) -> None:
    role = copy.deepcopy(CORRECT)
    widen, expected = WIDENED[name]
    widen(role)
    code, report = audit(role, *tenants)
    assert code in (1, 2)
    assert expected in report


def test_excluded_resources_are_left_out(audit: Callable[..., tuple[int, str]]) -> None:
    role = {**CORRECT, "queue": allow("sqs:SendMessage", "{Queue.Arn}")}
    assert audit(role)[0] == 2
    assert audit(role, "--exclude", "{Queue.Arn}") == (0, "")


@pytest.mark.parametrize(
    "field",
    [
        *(Text(), Text(pattern="[0-9]{6}"), Text(pattern="(?:eu|us)-[A-Z]{2}[0-9]+")),
        *(Text(min_length=20), Whole(), Choice(["acme", "bolt"]), Text(pattern=r"t_\w{8,}")),
    ],
)
def test_every_tenant_field_has_ids_to_audit(field: Any) -> None:
    class Note(Entity, key=Key("T#{tenant}#", "NOTE")):
        tenant: Field[Any] = field

    class Notes(Table, pk="PK", sk="SK", tenant="tenant"):
        note = Get(Note)

    ids = tenant_ids(Notes.__design__)
    assert len(set(ids)) >= 2
    for one in ids:
        assert Note.__entity__.by_name["tenant"].fits_text(one)


@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        (("acme", "Bolt"), "'Bolt' does not fit the design: tenant must be of the form [a-"),
        (("ab", "acme"), "'ab' does not fit the design"),
    ],
)
def test_a_tenant_id_is_refused_by_its_rule(
    ids: tuple[str, ...],
    reason: str,
    audit: Callable[..., tuple[int, str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stopped:
        audit(CORRECT, "--tenants", *ids)
    assert stopped.value.code == 2
    assert reason in capsys.readouterr().err


def test_objects_are_not_tried_without_their_prefixes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--design", f"{__name__}:Orders", "--bucket", "files"])
    assert stopped.value.code == 2
    assert "--bucket needs --policies" in capsys.readouterr().err
