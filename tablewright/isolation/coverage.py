"""Coverage of an audit: permissions that it cannot try, and so cannot call safe.

A condition that the audit does not know is no gap: it counts as met where it would allow.
"""

import json
import re
from collections.abc import Iterator, Sequence

from tablewright.isolation.decisions import (
    VARIABLE,
    Call,
    Statement,
    listed,
    matches_action,
    meets_conditions,
)
from tablewright.isolation.reach import ACTIONS

NAMED_SERVICES = ("s3", "secretsmanager")
# They describe the table and show no item.
_METADATA = frozenset(
    f"dynamodb:describe{name}" for name in ("table", "timetolive", "continuousbackups")
)
_WILDCARD = re.compile(r"[*?]")
_CONDITION_TAG = re.compile(r'"aws:PrincipalTag/([^"]+)"', re.IGNORECASE)


def untried(statements: Sequence[Statement], tag: str) -> Iterator[str]:
    """Describe each permission that the audit cannot try, with the reason."""
    for statement in statements:
        for name in sorted(_unknown_values(statement, tag)):
            yield f"{name}: its value in a tenant's session is not known"
        if statement.get("Effect") != "Deny":
            yield from _unknown_permissions(statement, tag)
    tables = {table for statement in statements for table in _tables(statement)}
    if len(tables) > 1:
        for table in sorted(tables):
            yield f"{table}: the policies name {len(tables)} tables, and the design describes one"


def _unknown_values(statement: Statement, tag: str) -> set[str]:
    """Variables and session tags other than the tenant's."""
    text, tenant = json.dumps(statement), f"aws:principaltag/{tag}".lower()
    names = {match[1].strip() for match in VARIABLE.finditer(text)} - {"*", "?", "$"}
    names |= {f"aws:PrincipalTag/{name}" for name in _CONDITION_TAG.findall(text)}
    return {name for name in names if name.lower() != tenant}


def _unknown_permissions(statement: Statement, tag: str) -> Iterator[str]:
    for name in ("NotAction", "NotResource"):
        if name in statement:
            excluded = ", ".join(map(str, listed(statement[name])))
            yield f"{name} {excluded}: it allows more than the audit can list"
    for action in map(str, listed(statement.get("Action", ()))):
        for resource in map(str, listed(statement.get("Resource", ()))):
            if reason := _reason(statement, action, resource, tag):
                yield f"{action} on {resource}: {reason}"


def _reason(statement: Statement, action: str, resource: str, tag: str) -> str | None:
    service = action.lower().partition(":")[0]
    if service in NAMED_SERVICES:
        tenant = re.escape(f"${{aws:PrincipalTag/{tag}}}")
        safe = re.fullmatch(rf"[^*?$]*{tenant}(/.*)?", resource, re.IGNORECASE)
        return None if safe else "it is not limited to names that begin with the tenant and a slash"
    if service == "kms":
        via = statement.get("Condition", {}).get("StringEquals", {}).get("kms:ViaService", ())
        services = [str(service).partition(".")[0] for service in listed(via)]
        return None if set(services) == {"dynamodb"} else "it is not limited to use by DynamoDB"
    if service != "dynamodb":
        return "the audit does not try this service"
    if _WILDCARD.search(_table(resource)):
        return "it is not limited to one table"
    if action.lower() in _METADATA:
        return None
    if not any(matches_action(action, f"dynamodb:{name}") for name in ACTIONS):
        return "the audit does not try this action"
    keyless = Call(action, None, (), {tag: "tenant"})
    condition = statement.get("Condition") or {}
    if ("leadingkeys" in str(condition).lower() or "*" in action) and meets_conditions(
        condition, keyless
    ):
        return "a request without dynamodb:LeadingKeys meets its conditions"
    return None


def _tables(statement: Statement) -> Iterator[str]:
    """Names of a statement's tables, without the region, which differs between replicas."""
    actions = [str(action).lower() for action in listed(statement.get("Action", "*"))]
    if not any(action.startswith(("dynamodb:", "*")) for action in actions):
        return
    denies = statement.get("Effect") == "Deny"
    for resource in listed(statement.get("Resource", statement.get("NotResource", ()))):
        name = _table(str(resource))
        # `_reason` reports an allowed wildcard.
        if resource != "*" and (denies or not _WILDCARD.search(name)):
            yield name


def _table(resource: str) -> str:
    name = resource.rpartition(":table/")[2].partition("/")[0]
    return name.strip("{}").removesuffix(".Arn")
