"""Content registry: what users may do to content, carried out in its table.

Whatever is in place already is answered as when it was done, so that every request can be repeated.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from lambdas.errors import Errors, InvalidRequest, NotAllowed, RequestConflict
from lambdas.http.bodies import changes, new_record
from lambdas.http.versions import Version, Versioned
from lambdas.portal.content.files import Files
from lambdas.portal.content.lifecycle import (
    HIDDEN_FIELDS,
    Changes,
    edited,
    hard_expired,
    has_become,
    latest_version,
    may_delete,
    may_read,
    may_read_draft,
    next_due,
    next_version,
    revision,
    unchanged,
    with_draft,
    with_status,
    withdrawn,
)
from lambdas.portal.content.uploads import file_keys
from lambdas.portal.contract import ADMINS, ROLE
from lambdas.portal.users import User
from tablewright.catalog.portal.content import APPROVED, DRAFT, Content, ContentRegistry
from tablewright.catalog.portal.fields import is_without_zone, stored_utc, unique_tags
from tablewright.model.declaration import unchecked
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import AlreadyExists, Conflict, NotFound
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.store import Store

CHANGEABLE = (
    *("title", "summary", "product_suite", "product_concept", "audience_role"),
    *("lifecycle_stage", "tags", "review_due_date", "effective_date"),
    *("expiry_date", "expiry_policy"),
)
_SAME = ("content_id", "owner_user_id", *CHANGEABLE)
GIVEN = ("content_id", "status", "owner_user_id", "version", *CHANGEABLE)
MAX_VERSION = 32
_DATES = ("review_due_date", "effective_date", "expiry_date")
_NONE = "no content has this content_id"


class ContentVersions(Versioned):
    """Versions of content: a draft that waits for approval is later than what readers see."""

    def version_of(self, record: Mapping[str, Any]) -> str:
        return latest_version(record)


VERSIONS = ContentVersions(Content, "version")


class Registry:
    """Content, as users read and change it; `review` is who approves it in this stage."""

    def __init__(self, store: Store, files: Files, review: str = ROLE) -> None:
        self._store = store
        self._files = files
        self.review = review

    def create_content(self, body: Any, user: User, now: datetime) -> tuple[Content, bool]:
        """Store new content, and tell whether it is new: with an id, this can be repeated."""
        moment = iso_utc(now)
        ours = {"created_at": moment, "last_updated": moment}
        if isinstance(body, dict):
            own = {"owner_user_id": user.user_id, "version": "1", "status": DRAFT}
            body = _with_unique_tags({"content_id": uuid7(now), "tags": [], **own, **body})
        given = new_record(Content, body, GIVEN, ours, _check)
        status, owner = given.status, given.owner_user_id
        if owner != user.user_id and not user.has(ADMINS):
            raise NotAllowed("Only admins create content of another owner_user_id.")
        draft = Content(**{**given, "status": DRAFT, "draft_by": user.user_id})
        changes = {} if status == DRAFT else with_status(draft, status, user, self.review, now)
        record = Content(**{**draft, **changes})
        record = Content(**{**record, "due_at": next_due(record)})
        try:
            return self._store.put(ContentRegistry.create_content, record), True
        except AlreadyExists:
            there = self._read(record.content_id)
        if there is None or any(there.get(name) != record.get(name) for name in _SAME):
            raise RequestConflict("other content has this content_id")
        return there, False

    def get_content(self, content_id: str, user: User) -> Content:
        """The content, if the user may read it; who may not is not told that it is there."""
        return _readable(self._read(content_id), user)

    def update_content(
        self, content_id: str, body: Any, version: Version, user: User, now: datetime
    ) -> Content:
        before = self.get_content(content_id, user)
        change = changes(Content, _with_unique_tags(body), CHANGEABLE, _check)
        whole = edited(before, change, user, self.review)
        wrong = _order({**with_draft(before), **change})
        if wrong:
            raise InvalidRequest("The body is not valid; nothing was stored.", wrong)

        def done(content: Content) -> bool:
            now_so = with_draft(content)
            return all(now_so.get(name) == value for name, value in change.items())

        return before if done(before) else self._write(before, whole, version, now, done)

    def set_status(
        self, content_id: str, status: str, version: Version, user: User, now: datetime
    ) -> Content:
        """Set the status of content; withdrawn for good, its file goes as well."""
        found = self.get_content(content_id, user)

        def done(content: Content) -> bool:
            approves = status == APPROVED
            return has_become(content, status) and not (approves and _missed(content, version))

        if not done(found):
            step = with_status(found, status, user, self.review, now)
            if hard_expired(found):
                # Nothing can be recorded of it now, so nothing that was withdrawn comes back.
                self._clear(found, now)
            found = self._write(found, step, version, now, done)
        if hard_expired(found):
            self._clear(found, now)
        return found

    def withdraw_draft(
        self, content_id: str, version: Version, user: User, now: datetime
    ) -> Content:
        """Drop the changes that wait for approval; the content stays as readers see it."""
        found = self.get_content(content_id, user)
        change = withdrawn(found, user)
        if found.draft is None:
            return found
        return self._write(found, change, version, now, lambda one: one.draft is None)

    def delete_content(self, content_id: str, version: Version, user: User, now: datetime) -> None:
        """Delete content and its files; what is gone is gone."""
        found = self._read(content_id)
        if found is not None:
            self._delete(_readable(found, user), version, user)
        # The id can be given again at once: what is asked for from now on is another content's.
        self._files.clear(content_id, asked_until=now)

    def _delete(self, found: Content, version: Version, user: User) -> None:
        may_delete(found, user)
        VERSIONS.require(version, found)
        try:
            self._store.delete(ContentRegistry.delete_content, found, when=unchanged(found))
        except Conflict:
            raise VERSIONS.stale(version, self.get_content(found.content_id, user)) from None

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
        new, same = revision(before, change, now), unchanged(before)
        try:
            return self._store.update(ContentRegistry.update_content, before, new, when=same)
        except Conflict:
            meanwhile = self._read(before.content_id)
            if meanwhile is None:
                raise NotFound(_NONE) from None
            if done(meanwhile):
                return meanwhile
            raise VERSIONS.stale(version, meanwhile) from None

    def _clear(self, content: Content, now: datetime) -> None:
        self._files.clear(content.content_id, asked_until=now, keep=file_keys(content))

    def _read(self, content_id: str) -> Content | None:
        return self._store.get(ContentRegistry.get_content, content_id=content_id)


def shown(content: Content, user: User) -> Content:
    """The content as a user sees it: without the draft, for those who may not."""
    if may_read_draft(content, user):
        return content
    return unchecked(Content, {n: v for n, v in content.items() if n not in HIDDEN_FIELDS})


def _missed(content: Content, version: Version) -> bool:
    """Whether an approval of a version is another than the one that the content has."""
    approved = latest_version(content) if content.draft else content.version
    named = [unquote(tag.strip('"')) for tag in version.tags]
    return latest_version(content) not in named and approved not in map(next_version, named)


def _readable(found: Content | None, user: User) -> Content:
    if found is None or not may_read(found, user):
        raise NotFound(_NONE)
    return found


def _with_unique_tags(body: Any) -> Any:
    tags = body.get("tags") if isinstance(body, dict) else None
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return body
    return {**body, "tags": unique_tags(tags)}


def _check(values: Mapping[str, Any]) -> Errors:
    version = values.get("version")
    if isinstance(version, str) and len(version) > MAX_VERSION:
        return [("/version", f"must have 1 to {MAX_VERSION} characters"), *_order(values)]
    return [*_without_zone(values), *_order(values)]


def _without_zone(values: Mapping[str, Any]) -> Errors:
    texts = {n: v for n in _DATES if isinstance(v := values.get(n), str) and is_without_zone(v)}
    return [(f"/{name}", "must name its time zone, such as 2025-12-31T09:30:00Z") for name in texts]


def _order(values: Mapping[str, Any]) -> Errors:
    try:
        begins = stored_utc(values.get("effective_date"))
        ends = stored_utc(values.get("expiry_date"), end_of_day=True)
    except (TypeError, ValueError, OverflowError):
        return []  # told of the field itself
    if begins and ends and ends <= begins:
        return [("/expiry_date", "must be later than effective_date")]
    return []
