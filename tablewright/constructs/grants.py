"""Permissions computed from access patterns: exactly what they call, exactly where."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from tablewright.designs.model import Table
from tablewright.designs.patterns import Pattern
from tablewright.designs.template import Template

if TYPE_CHECKING:
    from tablewright.constructs.table import DesignTable

_KEY_ACTIONS = ("kms:Decrypt", "kms:DescribeKey")
_KEY_WRITE_ACTIONS = ("kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo")
_READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})


class GrantError(ValueError):
    """What was asked for cannot be granted safely."""


def grant(
    table: "DesignTable",
    grantee: iam.IGrantable,
    patterns: Sequence[Pattern],
    *,
    tenant_tag: str | None,
    keys: Sequence[str],
    regions: Sequence[str | None],
) -> None:
    """Allow the patterns in these regions, None being the table's own."""
    _refuse_strangers(table.design, patterns)
    own = Stack.of(table).region
    _refuse_contradictions(table, own, tenant_tag=tenant_tag, keys=keys, regions=regions)
    arns = [
        table.replica(region).table_arn if region and region != own else table.table_arn
        for region in regions
    ]
    for index, actions in actions_by_index(patterns).items():
        allowed = list(keys)
        if tenant_tag is not None:
            allowed = leading_keys(table.design, patterns, index, tenant_tag)
        conditions = key_condition(allowed) if allowed else None
        for arn in arns:
            _allow(
                grantee,
                [f"dynamodb:{action}" for action in actions],
                [f"{arn}/index/{index}" if index else arn],
                conditions,
            )
    _grant_keys(table, grantee, patterns, [region or own for region in regions])


def key_condition(keys: Sequence[str]) -> dict[str, Any]:
    """That a request names partition keys, and none but of these forms."""
    return {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)},
        # ForAllValues alone is true of a request without keys, such as a Scan.
        "Null": {"dynamodb:LeadingKeys": "false"},
    }


def actions_by_index(patterns: Iterable[Pattern]) -> dict[str | None, list[str]]:
    """What the patterns call on each index, and on the table itself under None."""
    found: dict[str | None, set[str]] = {}
    for pattern in patterns:
        for action, index in pattern.actions:
            found.setdefault(index, set()).add(action)
    return {index: sorted(actions) for index, actions in found.items()}


def leading_keys(
    design: Table, patterns: Iterable[Pattern], index: str | None, tag: str
) -> list[str]:
    """The partition keys of the tenant in a session tag, in the forms that the patterns use."""
    if design.tenant is None:
        raise GrantError(f"table design '{design.id}' has no tenants to tell apart")
    tenant = f"${{aws:PrincipalTag/{tag}}}"
    return sorted(
        {_leading_key(template, design, tenant) for template in _used(design, patterns, index)}
    )


def _used(design: Table, patterns: Iterable[Pattern], index: str | None) -> Iterator[Template]:
    for pattern in patterns:
        if any(index == named for _, named in pattern.actions):
            for name in pattern.entities:
                entity = design.entities[name]
                yield (entity.indexed[index] if index else entity.key).pk


def _leading_key(template: Template, design: Table, tenant: str) -> str:
    # A field before the tenant would become a '*' that reaches into other tenants' keys.
    if not template.fields or template.fields[0] != design.tenant:
        raise GrantError(
            f"the key {template.text} does not begin with the tenant, so that access to it "
            "cannot be limited to one"
        )
    following = template.literals[1]
    ends = following == "" and len(template.fields) == 1
    # Without it, tenant 'a' would match the keys of tenant 'ab'.
    if not ends and not (template.delimiter and following.startswith(template.delimiter)):
        raise GrantError(
            f"in the key {template.text} the tenant must be followed by a delimiter, so that no "
            "tenant's keys begin with another's"
        )
    key = template.literals[0] + tenant + following
    for literal in template.literals[2:]:
        key += "*" + literal
    return key


def _refuse_strangers(design: Table, patterns: Sequence[Pattern]) -> None:
    if not patterns:
        raise GrantError(f"name at least one access pattern of table design '{design.id}'")
    for pattern in patterns:
        if design.patterns.get(pattern.name) is not pattern:
            raise GrantError(
                f"'{pattern.name}' is not an access pattern of table design '{design.id}'"
            )


def _refuse_contradictions(
    table: "DesignTable",
    own: str,
    *,
    tenant_tag: str | None,
    keys: Sequence[str],
    regions: Sequence[str | None],
) -> None:
    if tenant_tag is not None and keys:
        raise GrantError("access is limited to a tenant or to keys, not to both: choose one")
    for region in regions:
        if region and region not in (own, *table.replica_regions):
            raise GrantError(
                f"table '{table.design.id}' has no replica in {region}: "
                "name the region in the table's replicas"
            )


def _grant_keys(
    table: "DesignTable",
    grantee: iam.IGrantable,
    patterns: Iterable[Pattern],
    regions: Iterable[str],
) -> None:
    if table.encryption_key is None:
        return
    calls = {action for pattern in patterns for action, _ in pattern.actions}
    actions = [*_KEY_ACTIONS, *(_KEY_WRITE_ACTIONS if calls - _READS else ())]
    keys = {Stack.of(table).region: table.encryption_key.key_arn, **table.replica_key_arns}
    for region in regions:
        arn = keys[region]
        # Through DynamoDB only: the principal cannot use the key by itself.
        service = f"dynamodb.{region}.{Stack.of(table).url_suffix}"
        _allow(grantee, actions, [arn], {"StringEquals": {"kms:ViaService": service}})


def _allow(
    grantee: iam.IGrantable,
    actions: Sequence[str],
    resources: Sequence[str],
    conditions: dict[str, Any] | None,
) -> None:
    iam.Grant.add_to_principal(
        grantee=grantee, actions=actions, resource_arns=resources, conditions=conditions
    ).assert_success()
