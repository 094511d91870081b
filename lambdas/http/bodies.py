"""Bodies of requests: records of a design from JSON, or everything that is wrong with it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lambdas.errors import Errors, InvalidRequest
from tablewright.model import Entity, InvalidRecord, Record

# Looks at values beyond what their fields tell; gives errors by pointer.
Rule = Callable[[Mapping[str, Any]], Errors]


def new_record(
    entity: Entity, body: Any, allowed: Iterable[str], ours: Mapping[str, Any], rule: Rule
) -> Record:
    """A whole record from a body and what we add; raises InvalidRequest."""
    values, errors = fields_of(entity, body, allowed)
    if not isinstance(body, dict):
        return sound({}, errors)
    record, wrong = check(entity, {**values, **ours})
    return sound(record, errors + wrong + rule(values))


def changes(entity: Entity, body: Any, allowed: Iterable[str], rule: Rule) -> Record:
    """The fields that a body changes; null removes an optional one. Raises InvalidRequest."""
    values, errors = fields_of(entity, body, allowed)
    if not errors and not values:
        errors = [("", "must name at least one field to change")]
    record, wrong = check(entity, values, partial=True)
    return sound(record, errors + wrong + rule(values))


def only(body: Any, allowed: Iterable[str]) -> dict[str, Any]:
    """A body that may have these members and no others; none at all is an empty one."""
    names = tuple(allowed)
    if body is None:
        return {}
    if not isinstance(body, dict):
        raise InvalidRequest("The body is not valid.", [("", "must be an object")])
    errors = [(pointer(n), f"is not one of {', '.join(names)}") for n in body if n not in names]
    if errors:
        raise InvalidRequest("The body is not valid.", errors)
    return body


def fields_of(entity: Entity, body: Any, allowed: Iterable[str]) -> tuple[Record, Errors]:
    """The values of a body under the names of their fields, and errors for all other members."""
    if not isinstance(body, dict):
        return {}, [("", "must be an object")]
    labels = {entity.by_name[name].label: name for name in allowed}
    values = {labels[label]: value for label, value in body.items() if label in labels}
    known = {field.label for field in entity.fields}
    errors = [
        (pointer(label), "cannot be given here")
        if label in known
        else (pointer(label), f"is not one of {', '.join(labels)}")
        for label in body
        if label not in labels
    ]
    return values, errors


def check(
    entity: Entity, values: Mapping[str, Any], *, partial: bool = False
) -> tuple[Record, Errors]:
    """The record that values make, and what is wrong with them."""
    try:
        return entity.check(values, partial=partial), []
    except InvalidRecord as invalid:
        wrong = invalid.problems
        return {}, [(pointer(entity.by_name[one.field].label), one.reason) for one in wrong]


def sound(record: Record, errors: Errors) -> Record:
    if errors:
        raise InvalidRequest("The body is not valid; nothing was stored.", errors)
    return record


def pointer(*names: str) -> str:
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
