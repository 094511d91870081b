"""A tenant's session that tries for real what it can reach, and changes nothing.

Each write has a condition that no item meets: that it fails tells that it was allowed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tablewright.isolation.reach import SCAN, Leak, Place, targets
from tablewright.model.table import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import AccessDenied, Conflict, StoreError
from tablewright.runtime.store.attribute_values import encode

_NEVER = "attribute_exists(#p) AND attribute_not_exists(#p)"

Calls = dict[str, Callable[[], Any]]


def assume(sts: Caller, role_arn: str, tags: dict[str, str]) -> dict[str, str] | None:
    """Credentials of a session with these tags, or None where it cannot be had."""
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    asked = {"RoleArn": role_arn, "RoleSessionName": "isolation-audit"}
    try:
        answer = sts.call("AssumeRole", {**asked, "Tags": listed} if listed else asked)
    except AccessDenied:
        return None
    credentials: dict[str, str] = answer["Credentials"]
    return credentials


class TenantSession:
    """DynamoDB as the session of one tenant, or of none, has it."""

    def __init__(self, dynamodb: Caller, design: Design, table: str, mine: str | None) -> None:
        self._dynamodb = dynamodb
        self._design = design
        self._table = table
        self.mine = mine

    def leaks(self, of: Mapping[str | None, Sequence[Place]]) -> Iterator[Leak]:
        """What was reached of other tenants' places, and of those that are nobody's."""
        for theirs, place in targets(of, self.mine):
            calls = self._calls(place, of.get(self.mine, ()))
            if reached := tuple(name for name, call in calls.items() if reaches(call)):
                yield Leak(self.mine, theirs, place.index, place.partition, reached, place.entities)

    def scans(self) -> Iterator[Leak]:
        """Where everybody's items were reached at once."""
        for index in (None, *self._design.indexes):
            named = {"IndexName": index} if index else {}
            if reaches(partial(self._do, "Scan", Limit=1, **named)):
                yield Leak(self.mine, None, index, None, (SCAN,))

    def reached(self, own: Sequence[Place]) -> Iterator[tuple[Place, str, bool]]:
        """Whether each call on places of its own was allowed."""
        for place in own:
            if not place.shared:
                for name, call in self._calls(place, ()).items():
                    yield place, name, reaches(call)

    def _calls(self, place: Place, own: Sequence[Place]) -> Calls:
        partition = self._design.key_attributes(place.index).partition[0]
        names = {"#p": partition}
        key = {name: encode(value) for name, value in place.key.items()}
        asked = {
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {":p": key[partition]},
            "Limit": 1,
        }
        if place.index:
            return {"Query": lambda: self._do("Query", IndexName=place.index, **asked)}
        never = {"ConditionExpression": _NEVER, "ExpressionAttributeNames": names}
        calls: Calls = {
            "GetItem": lambda: self._do("GetItem", Key=key),
            "Query": lambda: self._do("Query", **asked),
            "PutItem": lambda: self._do("PutItem", Item=key, **never),
            "UpdateItem": lambda: self._do("UpdateItem", Key=key, **never),
            "DeleteItem": lambda: self._do("DeleteItem", Key=key, **never),
            "BatchGetItem": lambda: self._get([key]),
        }
        mine = next((other.key for other in own if other.index is None and not other.shared), None)
        if mine is not None:
            hidden = {name: encode(value) for name, value in mine.items()}
            calls["BatchGetItem of both"] = lambda: self._get([hidden, key])
        return calls

    def _get(self, keys: list[Any]) -> Any:
        return self._dynamodb.call("BatchGetItem", {"RequestItems": {self._table: {"Keys": keys}}})

    def _do(self, operation: str, **arguments: Any) -> Any:
        return self._dynamodb.call(operation, {"TableName": self._table, **arguments})


def reaches(call: Callable[[], Any], kept_by: type[StoreError] = Conflict) -> bool:
    """Whether a call is allowed that something keeps from doing anything: by default its condition,
    which is not met. Any other error tells neither, and is raised."""
    try:
        call()
    except AccessDenied:
        return False
    except kept_by:
        pass
    return True
