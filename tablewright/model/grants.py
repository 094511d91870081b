"""Grants: what access patterns call, where, and on which keys, in the terms of IAM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablewright.model.entity import Key
from tablewright.model.key_template import Template
from tablewright.model.patterns import Pattern
from tablewright.model.table import Design


class GrantError(ValueError):
    """What was asked for cannot be granted safely."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Actions on the table, or on an index of it, with partition keys of these forms; with any
    where none are named."""

    index: str | None
    actions: list[str]
    keys: list[str]


def key_condition(keys: Sequence[str]) -> dict[str, Any]:
    """That a request names partition keys, and none but of these forms."""
    return {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)},
        # ForAllValues alone is true of a request without keys, such as a Scan.
        "Null": {"dynamodb:LeadingKeys": "false"},
    }


def statements(allowed: Iterable[Allowed], table: str) -> list[Mapping[str, Any]]:
    """The statements of a policy that allow this on the table that is named so."""
    return [
        {
            "Effect": "Allow",
            "Action": [f"dynamodb:{action}" for action in one.actions],
            "Resource": f"{table}/index/{one.index}" if one.index else table,
            **({"Condition": key_condition(one.keys)} if one.keys else {}),
        }
        for one in allowed
    ]


def of_anyone(
    design: Design, patterns: Iterable[Pattern[Any]], keys: Sequence[str] = ()
) -> list[Allowed]:
    """What the patterns call, on these keys or else on all."""
    found: dict[str | None, set[str]] = {}
    for pattern in patterns:
        for action, index in design.actions(pattern):
            found.setdefault(index, set()).add(action)
    return [Allowed(index, sorted(actions), list(keys)) for index, actions in found.items()]


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
