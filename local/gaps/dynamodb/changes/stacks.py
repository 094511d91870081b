"""Gap: a stack's update makes all changes of a table that its template asks for.

It deletes an index and makes it anew where the template changes it, and takes any number of them,
and of replicas. AWS takes one in an update. Replicas and indexes at once are refused as UpdateTable
does; of stacks it is only documented that it is better not to.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ministack.services import cloudformation

from local.gaps import expected
from local.gaps.dynamodb.changes import deletion, expiry, indexes, replicas
from local.gaps.dynamodb.changes.refusals import GLOBAL_TABLE, TABLE

Properties = dict[str, Any]

_ONE_INDEX = "Cannot perform more than one GSI creation or deletion in a single update"
_FIXED_INDEX = (
    "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights "
    "Specification. You can create a new GSI with a different name."
)
_UNDEFINED = (
    "Property AttributeDefinitions is inconsistent with the KeySchema of the table and the "
    "secondary indexes"
)
_NO_ATTRIBUTE = (
    "Invalid request provided: AttributeName property of TimeToLiveSpecification is required when "
    "TTL status is enabled or while enabling/disabling TTL."
)


def close() -> None:
    expected.attribute(cloudformation, "_stacks")
    for resource_type in (TABLE, GLOBAL_TABLE):
        handler = expected.handler(resource_type)
        handler.update(
            create=_checked_creation(handler["create"]), update=_checked_update(handler["update"])
        )


def _checked_creation(create: Callable[..., Any]) -> Callable[..., Any]:
    def create_allowed(logical_id: str, props: Properties, stack_name: str) -> Any:
        _check(_of_creation(props))
        return create(logical_id, props, stack_name)

    return create_allowed


def _checked_update(update: Callable[..., Any]) -> Callable[..., Any]:
    def update_allowed(
        physical_id: str, old: Properties, new: Properties, stack_name: str, *rest: Any
    ) -> Any:
        # What another resource's failure takes back was allowed before.
        stack = cloudformation._stacks.get(stack_name) or {}
        if not stack.get("StackStatus", "").startswith("UPDATE_ROLLBACK"):
            _check(_of_update(physical_id, old, new))
        return update(physical_id, old, new, stack_name, *rest)

    return update_allowed


def _check(refusals: Iterator[str]) -> None:
    """Raise the first of them: CloudFormation rolls back, to a table that nobody has touched."""
    for refusal in refusals:
        raise ValueError(refusal)


def _of_creation(props: Properties) -> Iterator[str]:
    yield from _of_definitions(props)
    if refusal := indexes.too_many(list(_indexes(props))):
        yield refusal.message


def _of_definitions(props: Properties) -> Iterator[str]:
    every = [props, *_indexes(props).values(), *(props.get("LocalSecondaryIndexes") or [])]
    used = {key["AttributeName"] for keyed in every for key in keyed.get("KeySchema") or []}
    defined = {each["AttributeName"] for each in props.get("AttributeDefinitions") or []}
    if used != defined:
        yield _UNDEFINED


def _of_update(name: str, old: Properties, new: Properties) -> Iterator[str]:
    yield from _of_definitions(new)
    before, after = _indexes(old), _indexes(new)
    changed = before.keys() ^ after.keys()
    if len(changed) > 1:
        yield _ONE_INDEX
    if len(after) > max(indexes.MOST, len(before)):
        yield indexes.ONE_TOO_MANY.message
    if any(_fixed(before[kept]) != _fixed(after[kept]) for kept in before.keys() & after.keys()):
        yield _FIXED_INDEX
    moved = _regions(old) ^ _regions(new)
    if len(moved) > 1:
        yield replicas.MORE_THAN_ONE
    if moved and changed:
        yield replicas.ALONE
    if refusal := deletion.protected(name, _regions(old) - _regions(new)):
        yield refusal.message
    yield from _of_expiry(_expiry(old), _expiry(new))


def _of_expiry(old: Properties, new: Properties) -> Iterator[str]:
    if str(old.get("Enabled")).lower() == "true":
        if not new.get("AttributeName"):
            yield _NO_ATTRIBUTE
        elif new["AttributeName"] != old["AttributeName"]:
            yield expiry.another_attribute(old["AttributeName"])


def _indexes(props: Properties) -> dict[str, Properties]:
    return {index["IndexName"]: index for index in props.get("GlobalSecondaryIndexes") or []}


def _fixed(index: Properties) -> tuple[Any, ...]:
    """What an index has for ever; the order of projected attributes is no part of it."""
    projection = index.get("Projection") or {}
    projected = frozenset(projection.get("NonKeyAttributes") or ())
    return index.get("KeySchema"), projection.get("ProjectionType"), projected


def _regions(props: Properties) -> set[str]:
    return {replica["Region"] for replica in props.get("Replicas") or []}


def _expiry(props: Properties) -> Properties:
    found: Properties = props.get("TimeToLiveSpecification") or {}
    return found
