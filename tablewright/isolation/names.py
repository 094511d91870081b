"""Objects and secrets of other tenants that a session could reach, by their names.

A tenant's are those that are called ``{tenant}/…``, after whatever stands before it in a policy.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from tablewright.isolation.decisions import Call, Statement, allows, listed
from tablewright.isolation.reach import Leak
from tablewright.isolation.session import reaches
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing

_READ_OBJECT, _READ_SECRET = "s3:GetObject", "secretsmanager:GetSecretValue"
_ACTIONS = {
    "s3": (
        *(_READ_OBJECT, "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject"),
        *("s3:ListBucket", "s3:ListBucketVersions"),
    ),
    "secretsmanager": (
        *(_READ_SECRET, "secretsmanager:CreateSecret", "secretsmanager:PutSecretValue"),
        *("secretsmanager:UpdateSecret", "secretsmanager:DeleteSecret"),
        "secretsmanager:ListSecrets",
    ),
}
_VARIABLE_PART = re.compile(r"(?:\$\{[^}]*\}|\*)+")
_NOTHING = "isolation-audit"


def named_leaks(
    statements: Sequence[Statement], tenants: Sequence[str], tag: str
) -> Iterator[Leak]:
    """Every way in which the policies let a tenant's session reach another's objects or secrets."""
    for mine in (*tenants, None):
        tags = {} if mine is None else {tag: mine}
        for service, usual in _ACTIONS.items():
            actions = sorted({*usual, *_service_actions(statements, service)})
            for theirs in (None, *(each for each in tenants if each != mine)):
                resources = _service_resources(statements, service)
                names = dict.fromkeys(name for each in resources for name in _names(each, theirs))
                for name in names:
                    if reached := _allowed(statements, actions, name, tags):
                        yield Leak(mine, theirs, None, None, reached, place=name)


def _names(resource: str, tenant: str | None) -> list[str]:
    """Names of a tenant's, or of nobody's, that the resource of a statement might cover."""
    if tenant is None:
        return [_VARIABLE_PART.sub(_NOTHING, resource).replace("?", "x")]
    start = _VARIABLE_PART.split(resource)[0].partition("?")[0]
    rest = resource[len(start) :]
    filled = _VARIABLE_PART.sub(lambda _: tenant, rest, count=1)
    name = _VARIABLE_PART.sub(_NOTHING, filled).replace("?", "x")
    return [f"{start}{tenant}/{_NOTHING}", f"{start}{name}"]


def _service_actions(statements: Sequence[Statement], service: str) -> Iterator[str]:
    for statement in statements:
        for action in map(str, listed(statement.get("Action", ()))):
            if action.lower().startswith(f"{service}:"):
                yield action


def _service_resources(statements: Sequence[Statement], service: str) -> list[str]:
    found = {
        str(resource)
        for statement in statements
        for action in map(str, listed(statement.get("Action", "*")))
        if action.lower().startswith((f"{service}:", "*"))
        for resource in listed(statement.get("Resource", "*"))
    }
    return sorted(found)


def _allowed(
    statements: Sequence[Statement], actions: Iterable[str], name: str, tags: Mapping[str, str]
) -> tuple[str, ...]:
    return tuple(
        action for action in actions if allows(statements, Call(action, None, (), tags, name=name))
    )


class NamedSession:
    """A tenant's session that tries to read objects and secrets for real, and reads none.

    An object is requested on the condition that it has a tag that none has, a secret by a name that
    none has. `objects` has keys of existing objects by tenant: to a session that may not list the
    bucket, S3 answers alike for a missing object and a forbidden one.
    """

    def __init__(
        self,
        clients: Callable[[str], Caller],
        mine: str | None,
        *,
        bucket: str | None,
        prefix: str | None,
        objects: Mapping[str, Iterable[str]],
    ) -> None:
        self._mine = mine
        self._bucket = bucket
        self._prefix = prefix
        self._objects = objects
        self._client = clients

    def problems(self, tenants: Iterable[str]) -> Iterator[Leak | str]:
        """What was reached of others, and what was not of its own."""
        for theirs in tenants:
            for action, name, reached in self._tried(theirs):
                if theirs == self._mine and not reached:
                    yield f"tenant {theirs!r} does not reach its own: {action} on {name}"
                elif theirs != self._mine and reached:
                    yield Leak(self._mine, theirs, None, None, (action,), place=name)

    def _tried(self, tenant: str) -> Iterator[tuple[str, str, bool]]:
        for key in self._objects[tenant]:
            asked = {"Bucket": self._bucket, "Key": key, "IfMatch": f'"{_NOTHING}"'}
            reached = reaches(partial(self._client("s3").call, "GetObject", asked))
            yield _READ_OBJECT, f"{self._bucket}/{key}", reached
        if self._prefix is not None:
            name = f"{self._prefix}{tenant}/{_NOTHING}"
            ask = partial(self._client("secretsmanager").call, "GetSecretValue")
            yield _READ_SECRET, name, reaches(partial(ask, {"SecretId": name}), ResourceMissing)


def find_objects(
    s3: Caller, bucket: str, prefixes: Iterable[str], tenants: Iterable[str]
) -> Iterator[tuple[str, str, str | None]]:
    """Find an object of each tenant under each prefix, with the rights of the operator.

    Yields the tenant, the prefix with the tenant, and the key, which is None if there is no object.
    """
    for tenant, prefix in product(tenants, prefixes):
        place = f"{prefix}{tenant}/"
        params = {"Bucket": bucket, "Prefix": place, "MaxKeys": 1}
        contents = s3.call("ListObjectsV2", params).get("Contents") or [{}]
        yield tenant, place, contents[0].get("Key")


def tenant_prefixes(statements: Sequence[Statement]) -> list[str]:
    """Prefixes that stand before the tenant in the names of objects."""
    keys = (name.partition("/")[2] for name in _service_resources(statements, "s3"))
    return sorted({key.partition("${")[0] for key in keys if "${" in key})
