"""Conditions as text for error messages, in the words of the program."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from tablewright.model import EntityModel
from tablewright.model.conditions import (
    Between,
    Comparison,
    Condition,
    Function,
    Junction,
    Membership,
    Negation,
)
from tablewright.model.fields.base import Field
from tablewright.model.operands import Operand, Size
from tablewright.runtime.store.bounds import value_at

_MAX_CHARACTERS = 80
_OPERATORS = {"=": "==", "<>": "!="}
_METHODS = {
    "attribute_exists": "exists",
    "attribute_not_exists": "is_missing",
    "attribute_type": "is_of_type",
}


def condition_text(entity: EntityModel, condition: Condition) -> str:
    """Write a condition as a program has it: ``Room.state == "free"``."""
    if isinstance(condition, Junction):
        word = f" {condition.word.lower()} "
        return word.join(_part(entity, one) for one in condition.parts)
    if isinstance(condition, Negation):
        return f"not {_part(entity, condition.of)}"
    if not isinstance(condition, Comparison | Between | Membership | Function):
        return repr(condition)
    name = _name(entity, condition.operand)
    if isinstance(condition, Comparison):
        sign = _OPERATORS.get(condition.operator, condition.operator)
        return f"{name} {sign} {_shown(condition.value)}"
    if isinstance(condition, Between):
        return f"{name}.between({_shown(condition.low)}, {_shown(condition.high)})"
    if isinstance(condition, Membership):
        return f"{name}.is_in({', '.join(map(_shown, condition.values))})"
    argument = "" if condition.argument is None else _shown(condition.argument)
    return f"{name}.{_METHODS.get(condition.name, condition.name)}({argument})"


def values_text(entity: EntityModel, condition: Condition, record: Mapping[str, Any]) -> str:
    """Write the values that a record has where a condition looks: ``it is "taken"``."""
    names = {_name(entity, one): _value(entity, one, record) for one in condition.operands()}
    if len(names) == 1:
        return f"it is {next(iter(names.values()))}"
    return ", ".join(f"{name} is {value}" for name, value in names.items())


def _part(entity: EntityModel, condition: Condition) -> str:
    text = condition_text(entity, condition)
    return f"({text})" if isinstance(condition, Junction | Negation) else text


def _name(entity: EntityModel, operand: Operand[Any]) -> str:
    text = f"{entity.name}.{operand.field.name}"
    if operand.path:
        steps = (one.name if isinstance(one, Field) else repr(one) for one in operand.path)
        text += f".at({', '.join(steps)})"
    return f"{text}.size()" if isinstance(operand, Size) else text


def _value(entity: EntityModel, operand: Operand[Any], record: Mapping[str, Any]) -> str:
    value = value_at(record, operand)
    if value is None:
        return "missing"
    field = entity.by_name.get(operand.field.name)
    return "secret" if field is None or field.secret else _shown(value)


def _shown(value: Any) -> str:
    value = value.value if isinstance(value, Enum) else value
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"
