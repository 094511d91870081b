"""Permissions computed from access patterns: exactly what they call, exactly where."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from tablewright.model.arguments import described
from tablewright.model.grants import GrantError, key_condition, of_anyone, of_nobody, of_tenant
from tablewright.model.patterns import Pattern
from tablewright.model.table import Design

if TYPE_CHECKING:
    from tablewright.constructs.tables.base import DesignTableBase

_KEY_ACTIONS = ("kms:Decrypt", "kms:DescribeKey")
_KEY_WRITE_ACTIONS = ("kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo")
_READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})


def grant(
    table: "DesignTableBase",
    grantee: iam.IGrantable,
    patterns: Sequence[Pattern[Any]],
    *,
    tenant_tag: str | None,
    shared: bool,
    keys: Sequence[str],
    regions: Sequence[str | None],
) -> iam.Grant:
    """Allow the patterns in these regions, None being the table's own."""
    _refuse_strangers(table.design, patterns)
    if not hasattr(grantee, "grant_principal"):
        raise GrantError(f"a grantee must be a role or a function, not {described(grantee)}")
    if isinstance(keys, str):
        raise GrantError(f"keys must be a list of forms, not {keys!r}")
    own = Stack.of(table).region
    _refuse_contradictions(table, own, [tenant_tag, shared, keys], regions)
    arns = [
        table.replica_arn(region) if region and region != own else table.table_arn
        for region in regions
    ]
    if tenant_tag is not None:
        allowed = of_tenant(table.design, patterns, tenant_tag)
    elif shared:
        allowed = of_nobody(table.design, patterns)
    else:
        allowed = of_anyone(table.design, patterns, keys)
    given = [
        _allow(
            grantee,
            [f"dynamodb:{action}" for action in one.actions],
            [f"{arn}/index/{one.index}" if one.index else arn],
            key_condition(one.keys) if one.keys else None,
        )
        for one in allowed
        for arn in arns
    ]
    calls = {action for pattern in patterns for action, _ in table.design.actions(pattern)}
    given += _grant_keys(table, grantee, calls, [region or own for region in regions])
    return reduce(iam.Grant.combine, given)


def grant_calls(table: "DesignTableBase", grantee: iam.IGrantable, *calls: str) -> iam.Grant:
    """Allow these calls on the table itself, whatever its patterns, in its own region."""
    given = [_allow(grantee, [f"dynamodb:{call}" for call in calls], [table.table_arn], None)]
    given += _grant_keys(table, grantee, calls, [Stack.of(table).region])
    return reduce(iam.Grant.combine, given)


def _refuse_strangers(design: Design, patterns: Sequence[Pattern[Any]]) -> None:
    if not patterns:
        raise GrantError(f"name at least one access pattern of table design '{design.id}'")
    for pattern in patterns:
        if not isinstance(pattern, Pattern) or design.patterns.get(pattern.name) is not pattern:
            name = getattr(pattern, "name", pattern)
            raise GrantError(
                f"{described(name)} is not an access pattern of table design '{design.id}'. "
                "Pass patterns of it, such as Orders.place"
            )


def _refuse_contradictions(
    table: "DesignTableBase", own: str, limits: Sequence[object], regions: Sequence[str | None]
) -> None:
    if sum(map(bool, limits)) > 1:
        raise GrantError("access is limited to a tenant, to shared keys or to keys: choose one")
    for region in regions:
        if region and region not in (own, *table.replica_regions):
            raise GrantError(
                f"table '{table.design.id}' has no replica in {region}: "
                "name the region in the table's replicas"
            )


def _grant_keys(
    table: "DesignTableBase",
    grantee: iam.IGrantable,
    calls: Iterable[str],
    regions: Iterable[str],
) -> list[iam.Grant]:
    if table.encryption_key is None:
        return []
    actions = [*_KEY_ACTIONS, *(_KEY_WRITE_ACTIONS if {*calls} - _READS else ())]
    keys = {Stack.of(table).region: table.encryption_key.key_arn, **table.replica_key_arns}
    suffix = Stack.of(table).url_suffix
    # Through DynamoDB only: the principal cannot use the key by itself.
    return [
        _allow(
            grantee,
            actions,
            [keys[region]],
            {"StringEquals": {"kms:ViaService": f"dynamodb.{region}.{suffix}"}},
        )
        for region in regions
    ]


def _allow(
    grantee: iam.IGrantable,
    actions: Sequence[str],
    resources: Sequence[str],
    conditions: dict[str, Any] | None,
) -> iam.Grant:
    given = iam.Grant.add_to_principal(
        grantee=grantee, actions=actions, resource_arns=resources, conditions=conditions
    )
    given.assert_success()
    return given
