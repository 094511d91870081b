"""IAM decisions: whether policies allow a call, without asking IAM.

Knows what policies of tables are made of: actions, the table and its indexes, leading keys,
session tags and variables; and of objects and secrets, which have names. A condition that it does
not know counts as met where it would allow and as unmet where it would deny, so that nothing is
taken for safe that may not be.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Statement = Mapping[str, Any]

_LEADING_KEYS = "dynamodb:leadingkeys"
_PRINCIPAL_TAG = "aws:principaltag/"
# ${key}, ${key, 'default'} and the escapes ${*}, ${?} and ${$}
VARIABLE = re.compile(r"\$\{([^},]+)(?:,\s*'([^']*)')?\}")
_ESCAPES = frozenset("*?$")
_COMPARED = {"stringequals", "stringlike", "stringequalsignorecase"}


@dataclass(frozen=True, slots=True)
class Call:
    """An action on the table, or on an index of it, that names these partition keys; or, with its
    service, on what has this `name`.

    `tags` are those of the session. A call such as a Scan names no keys.
    """

    action: str
    index: str | None
    keys: tuple[str, ...]
    tags: Mapping[str, str]
    name: str | None = None


def allows(statements: Iterable[Statement], call: Call) -> bool:
    """Whether a session with these statements may make the call: some allow it, none denies it."""
    allowed = False
    for statement in statements:
        denies = statement.get("Effect") == "Deny"
        if not _is_about(statement, call):
            continue
        if meets_conditions(statement.get("Condition") or {}, call, unknown=not denies):
            if denies:
                return False
            allowed = True
    return allowed


def _is_about(statement: Statement, call: Call) -> bool:
    action = call.action if call.name is not None else f"dynamodb:{call.action}"
    actions = listed(statement.get("Action", statement.get("NotAction", ())))
    named = any(matches_action(each, action) for each in actions)
    if named is ("NotAction" in statement):
        return False
    if "NotResource" in statement and call.name is None:
        # The table may be any but those: what allows is about it, what denies is not.
        return statement.get("Effect") != "Deny"
    resources = listed(statement.get("Resource", statement.get("NotResource", ())))
    covered = any(_covers(each, call) for each in resources)
    return covered is ("NotResource" not in statement)


def _covers(resource: str, call: Call) -> bool:
    """Whether a resource is what has the name, or the table, or its index; any table counts as the
    one in question."""
    if call.name is not None:
        pattern = _pattern(resource, "stringlike", call)
        return bool(pattern and pattern.fullmatch(call.name))
    _, separator, name = resource.partition("/index/")
    if separator:
        return call.index is not None and bool(_glob(name).fullmatch(call.index))
    # After its last wildcard, a resource must end as the index does.
    ending = re.split(r"[*?]", resource)[-1]
    return call.index is None or (ending != resource and f"/index/{call.index}".endswith(ending))


def matches_action(pattern: str, action: str) -> bool:
    """True if an action of a policy, which may have wildcards, is or includes the action."""
    return bool(_glob(pattern, ignore_case=True).fullmatch(action))


def meets_conditions(
    conditions: Mapping[str, Mapping[str, Any]], call: Call, *, unknown: bool = True
) -> bool:
    """True if the call meets all conditions; `unknown` decides those that are not known here."""
    return all(
        _holds(operator, key, listed(wanted), call, unknown=unknown)
        for operator, block in conditions.items()
        for key, wanted in block.items()
    )


def _holds(operator: str, key: str, wanted: Sequence[Any], call: Call, *, unknown: bool) -> bool:
    values = _values(key, call)
    if values is None:
        return unknown
    quantity, _, base = operator.lower().rpartition(":")
    if base == "null":
        return not values if str(wanted[0]).lower() == "true" else bool(values)
    optional, base = base.endswith("ifexists"), base.removesuffix("ifexists")
    negated = base.startswith("stringnot")
    base = base.replace("stringnot", "string", 1)
    if base not in _COMPARED:
        return unknown
    if not values:
        return optional or quantity == "forallvalues" or (negated and quantity != "foranyvalue")
    patterns = [p for p in (_pattern(str(each), base, call) for each in wanted) if p]
    met = [any(p.fullmatch(value) for p in patterns) is not negated for value in values]
    # Without a quantity, several values are not provided for: take what is worse.
    every = quantity == "forallvalues" or (not quantity and not unknown)
    return all(met) if every else any(met)


def _values(key: str, call: Call) -> tuple[str, ...] | None:
    """What the call has for a condition key; None for a key that is not known here."""
    name = key.lower()
    if name == _LEADING_KEYS:
        return call.keys
    if name.startswith(_PRINCIPAL_TAG):
        tags = {tag.lower(): value for tag, value in call.tags.items()}
        value = tags.get(name.removeprefix(_PRINCIPAL_TAG))
        return () if value is None else (value,)
    return None


def _pattern(text: str, base: str, call: Call) -> re.Pattern[str] | None:
    """What a policy's value matches; nothing when a variable in it has no value."""
    regex, position = "", 0
    for variable in VARIABLE.finditer(text):
        regex += _regex(text[position : variable.start()], base == "stringlike")
        name, default = variable[1].strip(), variable[2]
        values = (name,) if name in _ESCAPES else _values(name, call)
        value = values[0] if values and len(values) == 1 else default
        if value is None:
            return None
        # A wildcard in the value of a variable is a character like others.
        regex += re.escape(value)
        position = variable.end()
    regex += _regex(text[position:], base == "stringlike")
    return _compiled(regex, base == "stringequalsignorecase")


def _glob(text: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    return _compiled(_regex(text, True), ignore_case)


# A policy has few values, and an audit asks for each thousands of times.
@lru_cache(maxsize=4096)
def _regex(text: str, wild: bool) -> str:
    if not wild:
        return re.escape(text)
    return "".join({"*": ".*", "?": "."}.get(char) or re.escape(char) for char in text)


@lru_cache(maxsize=4096)
def _compiled(regex: str, ignore_case: bool) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def listed(value: Any) -> Sequence[Any]:
    """A value of a policy as a list: it may be one text."""
    return value if isinstance(value, list | tuple) else [value]
