"""Uploads: making an uploaded file the content's file, and removing what is nobody's.

What becomes of an object follows from its key and its content alone. So whatever is repeated, in
whatever order, ends the same: the content has the file that was last asked for and has arrived.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import NamedTuple

from lambdas.portal.content.files import Files, Place
from lambdas.portal.content.lifecycle import edit, hard_expired, revision, unchanged
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.fields import stored_utc
from tablewright.model.time_ids import moment_of
from tablewright.runtime.errors import Conflict, NotFound, ObjectMissing
from tablewright.runtime.store.store import Store

RECORDED, ARRIVED, LATE, UNWANTED = "recorded", "arrived", "late", "unwanted"
REFUSED, MISSING = "refused", "missing"

# Longer than an event can be on its way, with a weekend to see to those that failed.
ABANDONED = timedelta(days=7)
# Whoever began to record an upload in time is done long before it is removed.
_RECORDING = timedelta(hours=1)
_ATTEMPTS = 5
_AT_ONCE = 200


def upload_status(content: Content | None, place: Place, now: datetime) -> str:
    """What an object is to its content: its file, perhaps its next one, or nothing any more."""
    if content is None:
        return UNWANTED
    keys = file_keys(content)
    if place.key in keys:
        return RECORDED
    if hard_expired(content) or place.key in (content.removing or ()):
        return UNWANTED
    # An id that was given up can be given again: what was asked for before is not meant.
    if moment_of(place.upload_id) < (stored_utc(content.created_at) or ""):
        return UNWANTED
    recorded = [found.upload_id for found in map(Place.of, keys) if found]
    if recorded and place.upload_id < max(recorded):
        return UNWANTED
    return ARRIVED if now < _asked_at(place) + ABANDONED else LATE


def file_keys(content: Content) -> list[str]:
    """The keys of the content's file, unless it was withdrawn with it, and of its draft's."""
    keys = (None if hard_expired(content) else content.s3_key, (content.draft or {}).get("s3_key"))
    return [key for key in keys if key]


class Cleaned(NamedTuple):
    """What a run of cleaning did; `after` is the key to go on after when its time was up."""

    looked_at: int = 0
    removed: int = 0
    after: str | None = None


class Uploads:
    """Settles what becomes of objects."""

    def __init__(self, store: Store, files: Files) -> None:
        self._store = store
        self._files = files

    def settle(self, place: Place, now: datetime) -> str:
        """Record an object that has arrived as its content's file; tells what it is then."""
        for _ in range(_ATTEMPTS):
            content = self._content(place.content_id)
            status = upload_status(content, place, now)
            if content is None or status == UNWANTED:
                self._files.remove(place.key)
                return UNWANTED
            if status == LATE:
                return LATE  # nobody records it any more; cleaning removes it
            if status == ARRIVED:
                try:
                    content = self._record(content, place, now)
                    if content is None:
                        return REFUSED
                except ObjectMissing:
                    return MISSING
                except (Conflict, NotFound):
                    continue  # changed or deleted meanwhile: look again
            # Also when it was recorded before: whoever did so may have come no further.
            self._files.clear_before(place.content_id, place.upload_id, keep=file_keys(content))
            return RECORDED
        raise Conflict("other writers changed the content on every attempt")

    def clean(
        self,
        now: datetime,
        *,
        after: str | None = None,
        in_time: Callable[[], bool] = lambda: True,
    ) -> Cleaned:
        """Remove objects that are nobody's, and uploads that were never completed."""
        looked_at = removed = 0
        places = self._files.places(after=after)
        while chunk := list(islice(places, _AT_ONCE)):
            for content_id, group in groupby(chunk, key=lambda place: place.content_id):
                content = self._content(content_id)
                for place in group:
                    looked_at += 1
                    if _nobodys(content, place, now):
                        self._files.remove(place.key)
                        removed += 1
            if not in_time():
                return Cleaned(looked_at, removed, chunk[-1].key)
        return Cleaned(looked_at, removed)

    def _record(self, content: Content, place: Place, now: datetime) -> Content | None:
        """The content with the file; None if the file is not what was asked for."""
        found = self._files.uploaded(place.key)
        if found is None:
            self._files.remove(place.key)
            return None
        file, fields = found
        changes = edit(content, fields, file.user_id, approved=file.approved)
        return self._store.update(
            ContentRegistry.update_content,
            content,
            revision(content, changes, now),
            when=unchanged(content),
        )

    def _content(self, content_id: str) -> Content | None:
        return self._store.get(ContentRegistry.get_content, content_id=content_id)


def _nobodys(content: Content | None, place: Place, now: datetime) -> bool:
    status = upload_status(content, place, now)
    if status == LATE:
        return now >= _asked_at(place) + ABANDONED + _RECORDING
    return status == UNWANTED


def _asked_at(place: Place) -> datetime:
    return datetime.fromisoformat(moment_of(place.upload_id))
