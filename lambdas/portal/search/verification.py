"""Verification of the search index: that it is what the contents imply, and its repair.

Two walks, a page at a time, each of which can be gone on with: over the contents, whose documents
and postings must be those of their words; and over the index, whose documents must have a content
and whose postings must be listed. What is being changed meanwhile is looked at once more before it
counts as wrong.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lambdas.portal.search.index import ContentIndex, Listed, implied, listed
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.search import ContentSearch
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.records import Item
from tablewright.runtime.store.store import Store

PAGE = 100
WALKS = CONTENTS, DOCUMENTS, POSTINGS = ("contents", "documents", "postings")


class Position(NamedTuple):
    """The walk that a run has come to, and the key after which it goes on."""

    walk: str = CONTENTS
    start: Item | None = None


class Verified(NamedTuple):
    """What a run looked at, and the contents whose index was wrong; `after`, where to go on."""

    looked_at: int
    wrong: list[str]
    after: Position | None


class Verification:
    """Compares the index with the contents, and repairs it."""

    def __init__(self, content: Store, index: Store, *, page: int = PAGE) -> None:
        self._content = content
        self._postings = index
        self._index = ContentIndex(content, index)
        self._page = page

    def run(
        self,
        position: Position,
        *,
        repair: bool,
        in_time: Callable[[], bool] = lambda: True,
    ) -> Verified:
        """Go on as long as there is time: by one page at least."""
        looked_at, wrong = 0, list[str]()
        after: Position | None = position
        while after is not None:
            looked, suspects, after = self._look(after)
            looked_at += looked
            wrong += self._settled(suspects, repair=repair)
            if not in_time():
                break
        return Verified(looked_at, wrong, after)

    def _look(self, at: Position) -> tuple[int, dict[str, set[Listed]], Position | None]:
        """One page of a walk: how much that was, contents that look wrong with postings that are
        there and not listed, and where to go on."""
        walk = {CONTENTS: self._contents, DOCUMENTS: self._documents, POSTINGS: self._strays}
        looked, suspects, last = walk[at.walk](at.start)
        if last is not None:
            return looked, suspects, Position(at.walk, last)
        following = WALKS[WALKS.index(at.walk) + 1 :]
        return looked, suspects, Position(following[0]) if following else None

    def _contents(self, start: Item | None) -> tuple[int, dict[str, set[Listed]], Item | None]:
        scan = ContentRegistry.scan_contents
        found, last = self._content.scan_page(scan, start=start, limit=self._page)
        documents = self._listed(one.content_id for one in found)

        def sound(one: Content) -> bool:
            return documents[one.content_id] == implied(one) and self._are_there(one)

        checked = zip(found, in_parallel(sound, found), strict=True)
        suspects = {one.content_id: set[Listed]() for one, is_sound in checked if not is_sound}
        return len(found), suspects, last

    def _documents(self, start: Item | None) -> tuple[int, dict[str, set[Listed]], Item | None]:
        scan = ContentSearch.scan_documents
        found, last = self._postings.scan_page(scan, start=start, limit=10 * self._page)
        keys = [{"content_id": one.content_id} for one in found]
        contents = self._content.get_many(ContentRegistry.contents_by_id, keys)
        gone = {one.content_id for one in found} - {one.content_id for one in contents}
        return len(found), {id: set() for id in gone}, last

    def _strays(self, start: Item | None) -> tuple[int, dict[str, set[Listed]], Item | None]:
        scan = ContentSearch.scan_postings
        found, last = self._postings.scan_page(scan, start=start, limit=10 * self._page)
        documents = self._listed({one.content_id for one in found})
        strays = defaultdict[str, set[Listed]](set)
        for one in found:
            if (place := Listed(one.word, one.rank)) not in documents[one.content_id]:
                strays[one.content_id].add(place)
        return len(found), strays, last

    def _listed(self, content_ids: Iterable[str]) -> dict[str, set[Listed]]:
        """What documents list of these contents."""
        keys = [{"content_id": id} for id in content_ids]
        found = self._postings.get_many(ContentSearch.documents_by_id, keys)
        there = {one.content_id: listed(one) for one in found}
        return {key["content_id"]: there.get(key["content_id"], set()) for key in keys}

    def _are_there(self, content: Mapping[str, Any]) -> bool:
        """Whether a content has all of its postings."""
        keys = [one.posting(content["content_id"]) for one in implied(content)]
        return len(self._postings.get_many(ContentSearch.look_up_postings, keys)) == len(keys)

    def _settled(self, suspects: dict[str, set[Listed]], *, repair: bool) -> list[str]:
        """Those that are wrong still: what the stream brings is behind by some seconds."""

        def settle(content_id: str) -> bool:
            content = self._index.content(content_id)
            document = self._index.document(content_id)
            wanted = implied(content)
            stray = suspects[content_id] - wanted
            sound = listed(document) == wanted and not self._there(content_id, stray)
            if sound and (content is None or self._are_there(content)):
                return False
            if repair:
                self._index.refresh(content_id, stray=stray, anew=True)
            return True

        ids = sorted(suspects)
        return [id for id, wrong in zip(ids, in_parallel(settle, ids), strict=True) if wrong]

    def _there(self, content_id: str, places: set[Listed]) -> bool:
        keys = [one.posting(content_id) for one in places]
        return bool(self._postings.get_many(ContentSearch.look_up_postings, keys))
