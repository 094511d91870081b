"""Permissions computed from access patterns: exactly what they call, exactly where."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from tablewright.model.entity import Key
from tablewright.model.key_template import Template
from tablewright.model.patterns import Pattern
from tablewright.model.table import Design

if TYPE_CHECKING:
    from tablewright.constructs.tables.base import DesignTableBase

_KEY_ACTIONS = ("kms:Decrypt", "kms:DescribeKey")
_KEY_WRITE_ACTIONS = ("kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo")
_READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})


class GrantError(ValueError):
    """What was asked for cannot be granted safely."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Actions on the table, or on an index of it, with partition keys of these forms; with any
    where none are named."""

    index: str | None
    actions: list[str]
    keys: list[str]


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
        found = actions_by_index(table.design, patterns)
        allowed = [Allowed(index, actions, list(keys)) for index, actions in found.items()]
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
    given += _grant_keys(table, grantee, patterns, [region or own for region in regions])
    return reduce(iam.Grant.combine, given)


def key_condition(keys: Sequence[str]) -> dict[str, Any]:
    """That a request names partition keys, and none but of these forms."""
    return {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)},
        # ForAllValues alone is true of a request without keys, such as a Scan.
        "Null": {"dynamodb:LeadingKeys": "false"},
    }


def actions_by_index(
    design: Design, patterns: Iterable[Pattern[Any]]
) -> dict[str | None, list[str]]:
    """What the patterns call on each index, and on the table itself under None."""
    found: dict[str | None, set[str]] = {}
    for pattern in patterns:
        for action, index in design.actions(pattern):
            found.setdefault(index, set()).add(action)
    return {index: sorted(actions) for index, actions in found.items()}


def of_tenant(design: Design, patterns: Iterable[Pattern[Any]], tag: str) -> list[Allowed]:
    """What the patterns call on the keys of the tenant in a session tag: each action on the keys
    of those patterns that call it, and not on all that the tenant has."""
    if design.tenant is None:
        raise GrantError(f"table design '{design.id}' has no tenants to tell apart")
    tenant = f"${{aws:PrincipalTag/{tag}}}"
    return _by_keys(design, patterns, lambda key: _leading_key(key, design, tenant))


def of_nobody(design: Design, patterns: Iterable[Pattern[Any]]) -> list[Allowed]:
    """What the patterns call on keys that are no tenant's in particular."""
    return _by_keys(design, patterns, _shared_key)


def _by_keys(
    design: Design, patterns: Iterable[Pattern[Any]], form: Callable[[Key], str]
) -> list[Allowed]:
    actions: dict[tuple[str | None, str], set[str]] = {}
    for pattern in patterns:
        for action, index in design.actions(pattern):
            if action == "Scan":
                raise GrantError(
                    f"'{pattern.name}' reads everything that there is, so that it cannot be "
                    "limited to keys"
                )
            for name in pattern.entities:
                entity = design.entities[name]
                key = form(entity.indexed[index] if index else entity.key)
                actions.setdefault((index, key), set()).add(action)
    # Keys with the same actions share a statement.
    keys: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    for (index, key), found in actions.items():
        keys.setdefault((index, tuple(sorted(found))), []).append(key)
    return [Allowed(index, list(called), sorted(forms)) for (index, called), forms in keys.items()]


def _shared_key(key: Key) -> str:
    if not key.shared:
        raise GrantError(f"the key {_one(key).text} is not shared: it belongs to one tenant")
    return "*".join(_one(key).literals)


def _one(key: Key) -> Template:
    """The form of the attribute that IAM knows as the leading key."""
    if len(key.partition) > 1:
        forms = ", ".join(template.text for template in key.partition)
        raise GrantError(
            f"the partition key {forms} has several attributes: IAM's dynamodb:LeadingKeys is not "
            "documented for it, so that access to it cannot be limited to keys"
        )
    return key.partition[0]


def _leading_key(key: Key, design: Design, tenant: str) -> str:
    template = _one(key)
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
    return "*".join((template.literals[0] + tenant + following, *template.literals[2:]))


def _refuse_strangers(design: Design, patterns: Sequence[Pattern[Any]]) -> None:
    if not patterns:
        raise GrantError(f"name at least one access pattern of table design '{design.id}'")
    for pattern in patterns:
        if design.patterns.get(pattern.name) is not pattern:
            raise GrantError(
                f"'{pattern.name}' is not an access pattern of table design '{design.id}'"
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
    patterns: Iterable[Pattern[Any]],
    regions: Iterable[str],
) -> list[iam.Grant]:
    if table.encryption_key is None:
        return []
    calls = {action for pattern in patterns for action, _ in table.design.actions(pattern)}
    actions = [*_KEY_ACTIONS, *(_KEY_WRITE_ACTIONS if calls - _READS else ())]
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
