"""Reading bodies: records of the design from JSON, or everything that is wrong with it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lambdas.http.problems import Problem
from tablewright.model import Entity, InvalidRecord, Record

Errors = list[tuple[str, str]]
# Looks at values beyond what their fields tell; gives errors by pointer.
Rule = Callable[[Mapping[str, Any]], Errors]


def new_record(
    entity: Entity, body: Any, allowed: Iterable[str], ours: Mapping[str, Any], rule: Rule
) -> Record:
    """A whole record from a body and what we add; raises Problem."""
    values, errors = _named(entity, body, tuple(allowed))
    record: Record = {}
    if isinstance(body, dict):
        try:
            record = entity.check({**values, **ours})
        except InvalidRecord as invalid:
            errors += _errors(entity, invalid)
        errors += rule(values)
    return _sound(record, errors)


def changes(entity: Entity, body: Any, allowed: Iterable[str], rule: Rule) -> Record:
    """The fields that a body changes; null removes an optional one. Raises Problem."""
    values, errors = _named(entity, body, tuple(allowed))
    if not errors and not values:
        errors = [("", "must name at least one field to change")]
    record: Record = {}
    try:
        record = entity.check(values, partial=True)
    except InvalidRecord as invalid:
        errors += _errors(entity, invalid)
    return _sound(record, errors + rule(values))


def only(body: Any, allowed: Iterable[str]) -> dict[str, Any]:
    """A body that may have these members and no others; none at all is an empty one."""
    names = tuple(allowed)
    if body is None:
        return {}
    if not isinstance(body, dict):
        raise Problem(400, "The body is not valid.", [("", "must be an object")])
    errors = [(pointer(n), f"is not one of {', '.join(names)}") for n in body if n not in names]
    if errors:
        raise Problem(400, "The body is not valid.", errors)
    return body


def pointer(*names: str) -> str:
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)


def _named(entity: Entity, body: Any, allowed: tuple[str, ...]) -> tuple[Record, Errors]:
    if not isinstance(body, dict):
        return {}, [("", "must be an object")]
    values = {name: value for name, value in body.items() if name in allowed}
    errors = [
        (pointer(name), f"is not one of {', '.join(allowed)}")
        if name not in entity.by_name
        else (pointer(name), "cannot be given here")
        for name in body
        if name not in allowed
    ]
    return values, errors


def _errors(entity: Entity, invalid: InvalidRecord) -> Errors:
    return [(pointer(entity.by_name[one.field].label), one.reason) for one in invalid.problems]


def _sound(record: Record, errors: Errors) -> Record:
    if errors:
        raise Problem(400, "The body is not valid; nothing was stored.", errors)
    return record
