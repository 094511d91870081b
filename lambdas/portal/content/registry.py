"""Content registry: what users may do to content, carried out in its table.

Whatever is in place already is answered as when it was done, so that every request can be repeated.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from lambdas.errors import Errors, InvalidRequest
from lambdas.http.bodies import changes, new_record
from lambdas.http.versions import Version, Versioned
from lambdas.portal.content.files import Files
from lambdas.portal.content.lifecycle import (
    Changes,
    edited,
    hard_expired,
    has_become,
    may_delete,
    may_read,
    moved,
    next_due,
    revision,
)
from lambdas.portal.users import User
from tablewright.catalog.portal.content import DRAFT, Content, ContentRegistry, folded
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

CHANGEABLE = (
    *("title", "summary", "product_suite", "product_concept", "audience_role"),
    *("lifecycle_stage", "tags", "review_due_date", "effective_date"),
    *("expiry_date", "expiry_policy"),
)
GIVEN = ("content_id", *CHANGEABLE)
VERSIONS = Versioned(Content, "version")
_NONE = "no content has this content_id"


class Registry:
    """Content, as users read and change it."""

    def __init__(self, store: Store, files: Files) -> None:
        self._store = store
        self._files = files

    def create(self, body: Any, user: User, now: datetime) -> tuple[Content, bool]:
        """Store a new draft, and tell whether it is new: with an id, this can be repeated."""
        moment = iso_utc(now)
        ours = {
            "status": DRAFT,
            "owner_user_id": user.user_id,
            "version": "1",
            "created_at": moment,
            "last_updated": moment,
        }
        if isinstance(body, dict):
            body = {"content_id": uuid7(now), "tags": [], **body}
        given = new_record(Content, body, GIVEN, ours, _check)
        record = Content(**{**given, "due_at": next_due(given)})
        try:
            return self._store.put(ContentRegistry.create_content, record), True
        except AlreadyExists:
            there = self._read(record.content_id)
        same = (*GIVEN, "owner_user_id")
        if there is None or any(there.get(name) != record.get(name) for name in same):
            raise AlreadyExists("other content has this content_id")
        return there, False

    def one(self, content_id: str, user: User) -> Content:
        """The content, if the user may read it; who may not is not told that it is there."""
        return _readable(self._read(content_id), user)

    def change(
        self, content_id: str, body: Any, version: Version, user: User, now: datetime
    ) -> Content:
        before = self.one(content_id, user)
        change = changes(Content, body, CHANGEABLE, _check)
        whole = edited(before, change, user)
        wrong = _order({**before, **change})
        if wrong:
            raise InvalidRequest("The body is not valid; nothing was stored.", wrong)

        def done(content: Content) -> bool:
            return all(content.get(name) == value for name, value in change.items())

        return before if done(before) else self._write(before, whole, version, now, done)

    def move(
        self, content_id: str, status: str, version: Version, user: User, now: datetime
    ) -> Content:
        """Bring content into another status; withdrawn for good, its file goes as well."""
        found = self.one(content_id, user)
        if not has_become(found, status):
            step = moved(found, status, user, now)
            if hard_expired(found):
                # Nothing can be recorded of it now, so nothing that was withdrawn comes back.
                self._files.clear(content_id, asked_until=now)
            found = self._write(found, step, version, now, lambda one: has_become(one, status))
        if hard_expired(found):
            self._files.clear(content_id, asked_until=now)
        return found

    def remove(self, content_id: str, version: Version, user: User, now: datetime) -> None:
        """Delete content and its files; what is gone is gone."""
        found = self._read(content_id)
        if found is not None:
            self._delete(_readable(found, user), version, user)
        # The id can be given again at once: what is asked for from now on is another content's.
        self._files.clear(content_id, asked_until=now)

    def _delete(self, found: Content, version: Version, user: User) -> None:
        may_delete(found, user)
        VERSIONS.require(version, found)
        unchanged = Content.version == found.version
        try:
            self._store.delete(ContentRegistry.delete_content, found, when=unchanged)
        except Conflict:
            raise VERSIONS.stale(version, self.one(found.content_id, user)) from None

    def _write(
        self,
        before: Content,
        change: Changes,
        version: Version,
        now: datetime,
        done: Callable[[Content], bool],
    ) -> Content:
        """Make a change to the version that it is meant for, unless somebody has just done so."""
        VERSIONS.require(version, before)
        new, unchanged = revision(before, change, now), Content.version == before.version
        try:
            return self._store.update(ContentRegistry.update_content, before, new, when=unchanged)
        except Conflict:
            meanwhile = self._read(before.content_id)
            if meanwhile is None:
                raise NotFound(_NONE) from None
            if done(meanwhile):
                return meanwhile
            raise VERSIONS.stale(version, meanwhile) from None

    def _read(self, content_id: str) -> Content | None:
        return self._store.get(ContentRegistry.get_content, content_id=content_id)


def _readable(found: Content | None, user: User) -> Content:
    if found is None or not may_read(found, user):
        raise NotFound(_NONE)
    return found


def _check(values: Mapping[str, Any]) -> Errors:
    tags = values.get("tags")
    texts = [folded(tag) for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    twice = len(set(texts)) < len(texts)
    return [
        *([("/tags", "has the same entry twice: case and spaces do not count")] if twice else []),
        *_order(values),
    ]


def _order(values: Mapping[str, Any]) -> Errors:
    begins, ends = values.get("effective_date"), values.get("expiry_date")
    if isinstance(begins, str) and isinstance(ends, str) and ends <= begins:
        return [("/expiry_date", "must be later than effective_date")]
    return []
