"""Changing what somebody has read, unless somebody else has changed it since.

Every change moves `updated_at` on, so that it tells one version from another.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from aws_lambda_powertools.event_handler import Response

from lambdas.http.answers import answer, record_json, to_json
from lambdas.http.problems import Problem
from tablewright.designs import Entity, InvalidValue, Pattern, Record
from tablewright.designs.fields import timestamp
from tablewright.designs.forms_tenants import CONFIG
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store import Store

VERSION = "updated_at"
_ANY = "*"


class Version(NamedTuple):
    """The version that a request means to change, and how it is refused when there is another."""

    tags: tuple[str, ...]
    refusal: int

    def is_of(self, record: Record) -> bool:
        return _ANY in self.tags or etag(record) in self.tags


class Stale(Problem):
    """A change of what is no longer so; tells how it is now."""

    def __init__(self, status: int, entity: Entity, current: Record) -> None:
        super().__init__(status, "It was changed after it was read: `current` is how it is now.")
        self._current = record_json(entity, current)
        self._etag = etag(current)

    def response(self) -> Response[str]:
        given = super().response()
        # RFC 9457 lets a problem have members of its own.
        given.body = (given.body or "{}")[:-1] + f', "current": {to_json(self._current)}}}'
        given.headers["ETag"] = self._etag
        return given


def etag(record: Record) -> str:
    return f'"{record[VERSION]}"'


def tagged(entity: Entity, record: Record, status: int = 200) -> Response[str]:
    """The record, with the tag by which it can be changed."""
    return answer(record_json(entity, record), status, {"ETag": etag(record)})


def version_in(event: Any, body: Any) -> Version:
    """The version that a request names: in If-Match, or as `updated_at`, taken out of the body."""
    stated = _stated(body) if isinstance(body, dict) and VERSION in body else None
    header = event.headers.get("if-match")
    if header:
        return Version(tuple(tag.strip() for tag in header.split(",")), 412)
    if stated is not None:
        return Version((f'"{stated}"',), 409)
    detail = f"Send the ETag of what was read as If-Match, or its {VERSION} in the body."
    raise Problem(428, detail)


def _stated(body: dict[str, Any]) -> str:
    try:
        return str(CONFIG.by_name[VERSION].check(body.pop(VERSION)))
    except InvalidValue as problem:
        raise Problem(400, "The version is not valid.", [(f"/{VERSION}", problem.reason)]) from None


def stored(store: Store, update: Pattern, key: Mapping[str, Any]) -> Record | None:
    """The record as it is at this moment, and not as it was some moments ago."""
    try:
        return store.update(update, key, {})  # a change of nothing is a consistent read
    except NotFound:
        return None


class Change(NamedTuple):
    """A change of one record, by its design's pattern."""

    store: Store
    update: Pattern
    key: Mapping[str, Any]

    def apply(
        self, version: Version, now: datetime, decide: Callable[[Record], Mapping[str, Any]]
    ) -> Record:
        """Make the changes that `decide` finds for the record, if it is of the version.

        A change that is in place already is done, so that it can be repeated.
        """
        entity = self.store.design.entity(self.update)
        before = self._now()
        changes = decide(before)
        if _holds(before, changes):
            return before
        if not version.is_of(before):
            raise Stale(version.refusal, entity, before)
        new = {**changes, VERSION: _later(before[VERSION], now)}
        try:
            expected = {VERSION: before[VERSION]}
            return self.store.update(self.update, self.key, new, expect=expected)
        except Conflict:
            meanwhile = self._now()
            if _holds(meanwhile, changes):
                return meanwhile
            raise Stale(version.refusal, entity, meanwhile) from None

    def _now(self) -> Record:
        found = stored(self.store, self.update, self.key)
        if found is None:
            raise NotFound(f"no {self.store.design.entity(self.update).name} has this key")
        return found


def _holds(record: Record, changes: Mapping[str, Any]) -> bool:
    return all(record.get(name) == value for name, value in changes.items())


def _later(before: str, now: datetime) -> str:
    """Now, or as soon after the last version as can be told from it."""
    soonest = datetime.fromisoformat(before) + timedelta(milliseconds=1)
    return timestamp(max(now, soonest))
