"""Gap: policy variables such as `${aws:PrincipalTag/tenant}` are taken as text.

They stand in conditions and in resources.

As in AWS, the value of a variable is literal: a tag with `*` in it matches only a `*`. A value
whose variable is absent from the request and has no default can match nothing.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ministack.core import iam_evaluator

from local.gaps import expected

# ${key}, ${key, 'default'} and the escapes ${*}, ${?} and ${$}
_VARIABLE = re.compile(r"\$\{([^},]+)(?:,\s*'([^']*)')?\}")
_ESCAPES = frozenset("*?$")
_PATTERN_OPERATORS = frozenset(
    {"stringlike", "stringnotlike", "arnlike", "arnnotlike", "arnequals", "arnnotequals"}
)
# Stand for a literal * and ? within a pattern: code points that Unicode assigns to nobody.
_LITERAL = {"*": "\ufdd0", "?": "\ufdd1"}
_TO_LITERAL = str.maketrans(_LITERAL)
_TO_REGEX = {"*": ".*", "?": ".", **{mark: re.escape(char) for char, mark in _LITERAL.items()}}


def close() -> None:
    met = expected.function(iam_evaluator, "_conditions_met", "conditions", "ctx")
    expected.function(iam_evaluator, "_fnmatch_compile", "pattern", "ignore_case")
    expected.function(iam_evaluator, "_resolve_condition_key", "key", "ctx")
    first = expected.function(iam_evaluator, "_first_match", "ctx", "stmts", "effect")

    def conditions_met(conditions: dict[str, Any], ctx: Any) -> bool:
        return bool(met(_expanded(conditions or {}, ctx), ctx))

    def first_match(ctx: Any, stmts: list[Any], effect: str) -> Any:
        return first(ctx, [_named(statement, ctx) for statement in stmts], effect)

    iam_evaluator._conditions_met = conditions_met
    iam_evaluator._first_match = first_match
    iam_evaluator._fnmatch_compile = compiled


@lru_cache(maxsize=4096)
def compiled(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    regex = "".join(_TO_REGEX.get(char) or re.escape(char) for char in pattern)
    return re.compile(rf"{regex}\Z", re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def _named(statement: Any, ctx: Any) -> Any:
    """The statement with the resources that it names for this request."""
    names = ("resources", "not_resources")
    if not any("${" in one for name in names for one in getattr(statement, name)):
        return statement
    found = {name: _resources(getattr(statement, name), ctx) for name in names}
    return replace(statement, **found)


def _resources(given: list[str], ctx: Any) -> list[str]:
    expanded = [_value(one, ctx, in_pattern=True) for one in given]
    # What has a variable without a value is nothing; that there were no resources, everything.
    return ["" if one is None else one for one in expanded]


def _expanded(conditions: dict[str, Any], ctx: Any) -> dict[str, Any]:
    return {
        operator: {key: _values(operator, values, ctx) for key, values in block.items()}
        if isinstance(block, dict)
        else block
        for operator, block in conditions.items()
    }


def _values(operator: str, values: Any, ctx: Any) -> list[Any]:
    listed = values if isinstance(values, list) else [values]
    in_pattern = _base(operator) in _PATTERN_OPERATORS
    expanded = (_value(value, ctx, in_pattern) for value in listed)
    return [value for value in expanded if value is not None]


def _base(operator: str) -> str:
    return operator.lower().removesuffix("ifexists").rpartition(":")[2]


def _value(value: Any, ctx: Any, in_pattern: bool) -> Any:
    """The value with its variables replaced, or None when one of them has no value."""
    if not isinstance(value, str):
        return value
    absent = False

    def replaced(variable: re.Match[str]) -> str:
        nonlocal absent
        name, default = variable[1].strip(), variable[2]
        found = name if name in _ESCAPES else iam_evaluator._resolve_condition_key(name, ctx)
        # A key with many values is no variable.
        found = default if found is None or isinstance(found, list) else str(found)
        if found is None:
            absent = True
            return ""
        return found.translate(_TO_LITERAL) if in_pattern else found

    text = _VARIABLE.sub(replaced, value)
    return None if absent else text
