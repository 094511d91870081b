"""Bodies of requests: records of a design from JSON, or everything that is wrong with it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from lambdas.errors import Errors, InvalidRequest
from tablewright.model import Entity, InvalidRecord

E = TypeVar("E", bound=Entity)
Values = dict[str, Any]
# Looks at values beyond what their fields tell; gives errors by pointer.
Rule = Callable[[Mapping[str, Any]], Errors]


def new_record(
    entity: type[E], body: Any, allowed: Iterable[str], ours: Mapping[str, Any], rule: Rule
) -> E:
    """A whole record from a body and what we add; raises InvalidRequest."""
    values, errors = fields_of(entity, body, allowed, ours)
    if not isinstance(body, dict):
        return sound(None, errors)
    record, wrong = made(entity, {**values, **ours})
    return sound(record, errors + wrong + rule(values))


def changes(entity: type[Entity], body: Any, allowed: Iterable[str], rule: Rule) -> Values:
    """The fields that a body changes; null removes an optional one. Raises InvalidRequest."""
    values, errors = fields_of(entity, body, allowed)
    if not errors and not values:
        errors = [("", "must name at least one field to change")]
    checked, wrong = checked_some(entity, values)
    if problems := errors + wrong + rule(values):
        raise _invalid(problems)
    return checked


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


def batch_of(body: Any, name: str, field: str, most: int) -> list[Any]:
    """The entries of a body like {"items": [...]}, or the one entry, with its `field`, that it is.

    Errors point to one entry by itself as to the first of a list.
    """
    if isinstance(body, dict) and field in body:
        return [body]
    batch = body.get(name) if isinstance(body, dict) and set(body) == {name} else None
    if not isinstance(batch, list) or not 1 <= len(batch) <= most:
        reason = f"must be a list of 1 to {most} {name}, and nothing beside it"
        raise InvalidRequest("The body is not valid.", [(f"/{name}", reason)])
    return batch


def fields_of(
    entity: type[Entity], body: Any, allowed: Iterable[str], ours: Mapping[str, Any] | None = None
) -> tuple[Values, Errors]:
    """The values of a body under the names of their fields, and errors for all other members.

    A body may repeat a part of the key that we add, such as the caller's tenant.
    """
    if not isinstance(body, dict):
        return {}, [("", "must be an object")]
    model = entity.__entity__
    labels = {model.by_name[name].label: name for name in allowed}
    keys = {name: value for name, value in (ours or {}).items() if name in model.key.fields}
    added = {model.by_name[name].label: value for name, value in keys.items()}
    values = {labels[label]: value for label, value in body.items() if label in labels}
    known = {field.label for field in model.fields}
    errors = [
        (pointer(label), "cannot be given here")
        if label in known
        else (pointer(label), f"is not one of {', '.join(labels)}")
        for label, value in body.items()
        if label not in labels and (label not in added or value != added[label])
    ]
    return values, errors


def made(
    entity: type[E], values: Mapping[str, Any], make: Callable[..., E] | None = None
) -> tuple[E | None, Errors]:
    """The record that values make, by the entity or by `make`, or what is wrong with them."""
    try:
        return (make or entity)(**values), []
    except InvalidRecord as invalid:
        return None, _errors(entity, invalid)


def checked_some(entity: type[Entity], values: Mapping[str, Any]) -> tuple[Values, Errors]:
    """Some fields of a record, None for one that is to be removed, and what is wrong with them."""
    try:
        return entity.__entity__.check(values, partial=True), []
    except InvalidRecord as invalid:
        return {}, _errors(entity, invalid)


def sound(record: E | None, errors: Errors) -> E:
    if errors or record is None:
        raise _invalid(errors)
    return record


def _errors(entity: type[Entity], invalid: InvalidRecord) -> Errors:
    labels = {field.name: field.label for field in entity.__entity__.fields}
    return [(pointer(labels.get(one.field, one.field)), one.reason) for one in invalid.problems]


def _invalid(errors: Errors) -> InvalidRequest:
    return InvalidRequest("The body is not valid; nothing was stored.", errors)


def pointer(*names: str) -> str:
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
