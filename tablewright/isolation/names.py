"""Objects and secrets of other tenants that a session could reach, by their names.

A tenant's are those that are called ``{tenant}/…``, after whatever stands before it in a policy.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tablewright.isolation.decisions import Call, Statement, allows
from tablewright.isolation.reach import Leak
from tablewright.isolation.session import reaches
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing

_READ_OBJECT, _READ_SECRET = "s3:GetObject", "secretsmanager:GetSecretValue"
_ACTIONS = {
    "s3": (_READ_OBJECT, "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject"),
    "secretsmanager": (
        *(_READ_SECRET, "secretsmanager:CreateSecret", "secretsmanager:PutSecretValue"),
        *("secretsmanager:UpdateSecret", "secretsmanager:DeleteSecret"),
    ),
}
# They name no object and no secret: whoever may call them learns of everybody's.
_OF_ALL = ("s3:ListBucket", "s3:ListBucketVersions", "secretsmanager:ListSecrets")
_OPEN = re.compile(r"\$\{|[*?]")
_NOTHING = "isolation-audit"


def named_leaks(
    statements: Sequence[Statement], tenants: Sequence[str], tag: str
) -> Iterator[Leak]:
    """Every way in which the policies let a tenant's session reach another's objects or secrets."""
    for mine in (*tenants, None):
        tags = {} if mine is None else {tag: mine}
        for service, actions in _ACTIONS.items():
            for beginning in _beginnings(statements, service):
                for theirs in tenants:
                    if theirs != mine:
                        name = f"{beginning}{theirs}/{_NOTHING}"
                        reached = _allowed(statements, actions, name, tags)
                        if reached:
                            yield Leak(mine, theirs, None, None, reached, place=name)
        for resource in sorted({each for one in statements for each in _resources(one)}):
            reached = _allowed(statements, _OF_ALL, resource, tags)
            if reached:
                yield Leak(mine, None, None, None, reached, place=resource)


def _beginnings(statements: Sequence[Statement], service: str) -> list[str]:
    """What stands before a tenant's id in the names that statements about a service have."""
    found = {
        _OPEN.split(resource)[0]
        for statement in statements
        if any(action.lower().startswith((f"{service}:", "*")) for action in _actions(statement))
        for resource in _resources(statement)
    }
    return sorted(found)


def _allowed(
    statements: Sequence[Statement], actions: Iterable[str], name: str, tags: Mapping[str, str]
) -> tuple[str, ...]:
    return tuple(
        action for action in actions if allows(statements, Call(action, None, (), tags, name=name))
    )


def _actions(statement: Statement) -> list[str]:
    # What is all but some may be anything.
    return _listed(statement.get("Action", "*"))


def _resources(statement: Statement) -> list[str]:
    return _listed(statement.get("Resource", "*"))


def _listed(value: Any) -> list[str]:
    return [str(each) for each in (value if isinstance(value, list | tuple) else [value])]


class NamedSession:
    """A tenant's session that tries to read objects and secrets for real, and reads none.

    An object is asked for on the condition that it has a tag that none has, a secret by a name that
    none has. `sample` gives the name of an object of a tenant: to whoever may not list a bucket, S3
    says of one that is not there what it says of one that is forbidden.
    """

    def __init__(
        self,
        clients: Callable[[str], Caller],
        mine: str | None,
        *,
        bucket: str | None,
        prefix: str | None,
        sample: Callable[[str], str | None],
    ) -> None:
        self._mine = mine
        self._bucket = bucket
        self._prefix = prefix
        self._sample = sample
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
        key = self._sample(tenant) if self._bucket else None
        if key:
            asked = {"Bucket": self._bucket, "Key": key, "IfMatch": f'"{_NOTHING}"'}
            reached = reaches(partial(self._client("s3").call, "GetObject", asked))
            yield _READ_OBJECT, f"{self._bucket}/{key}", reached
        if self._prefix is not None:
            name = f"{self._prefix}{tenant}/{_NOTHING}"
            ask = partial(self._client("secretsmanager").call, "GetSecretValue")
            yield _READ_SECRET, name, reaches(partial(ask, {"SecretId": name}), ResourceMissing)


def sampler(s3: Caller, bucket: str | None) -> Callable[[str], str | None]:
    """Finds an object of a tenant, with the rights of whoever audits."""

    def sample(tenant: str) -> str | None:
        asked = {"Bucket": bucket, "Prefix": f"{tenant}/", "MaxKeys": 1}
        found = s3.call("ListObjectsV2", asked)
        return next((str(one["Key"]) for one in found.get("Contents", ())), None)

    return sample
