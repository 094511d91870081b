"""Index of content: keeps the postings of each content as its words are now.

The content, its document and its postings are compared and changed in one transaction. So the
document always lists what postings there are, and whoever read what has changed since changes
nothing: it does not matter in which order, how often or how late changes are heard of.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import uuid4

from lambdas.portal.search.words import rank_of, weights
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.search import ContentSearch, Document, Posting
from tablewright.model.errors import TablewrightError
from tablewright.runtime.errors import Conflict
from tablewright.runtime.store.batches import chunks
from tablewright.runtime.store.store import Store
from tablewright.runtime.store.transactions import MOST_ACTIONS, Action

_ATTEMPTS = 10
# A transaction also has the document and the content.
_AT_ONCE = MOST_ACTIONS - 2


class NotIndexed(TablewrightError):
    """A content that could not be indexed now: the record of its change is kept, others go on."""


class Listed(NamedTuple):
    """A word and its rank, as a document lists a posting."""

    word: str
    rank: str

    @property
    def text(self) -> str:
        return "#".join(self)

    def posting(self, content_id: str) -> Posting:
        initial = self.word[0]
        return Posting(initial=initial, word=self.word, rank=self.rank, content_id=content_id)


def implied(content: Mapping[str, object] | None) -> set[Listed]:
    """The postings that a content should have."""
    return {Listed(word, rank_of(weight)) for word, weight in weights(content or {}).items()}


def listed(document: Document | None) -> set[Listed]:
    """The postings that a document says there are."""
    texts = document.postings if document else ()
    return {Listed(word, rank) for word, _, rank in (text.partition("#") for text in texts)}


class ContentIndex:
    """Brings the index of contents up to date."""

    def __init__(self, content: Store, index: Store) -> None:
        self._content = content
        self._index = index

    def content(self, content_id: str) -> Content | None:
        return self._content.get(ContentRegistry.get_content, content_id=content_id)

    def document(self, content_id: str) -> Document | None:
        return self._index.get(ContentSearch.get_document, content_id=content_id)

    def refresh(self, content_id: str, *, stray: Iterable[Listed] = (), anew: bool = False) -> int:
        """Make the postings of a content those of its words; gives how many were written.

        `stray` ones are known to be there, whatever the document says; `anew` writes those again
        that it lists.
        """
        for _ in range(_ATTEMPTS):
            document = self.document(content_id)
            content = self.content(content_id)
            wanted, there = implied(content), listed(document)
            gone = {*there, *stray} - wanted
            new = wanted if anew else wanted - there
            try:
                return self._write(content_id, content, document, gone=gone, new=new)
            except Conflict:
                continue  # changed by others in the meantime: look again
        raise NotIndexed("other writers changed the content on every attempt")

    def _write(
        self,
        content_id: str,
        content: Content | None,
        document: Document | None,
        *,
        gone: set[Listed],
        new: set[Listed],
    ) -> int:
        """Write so many at once as a transaction has room for; each leaves a sound document."""
        changed = [*((one, False) for one in sorted(gone)), *((one, True) for one in sorted(new))]
        for chunk in chunks(changed, _AT_ONCE):
            there = listed(document) - {one for one, _ in chunk}
            there |= {one for one, kept in chunk if kept}
            after = _document(content_id, there)
            self._index.transact_write(
                *(self._posting(one.posting(content_id), kept) for one, kept in chunk),
                *self._documents(document, after),
                *self._unchanged(content),
            )
            document = after
        return len(changed)

    def _posting(self, posting: Posting, kept: bool) -> Action:
        if kept:
            return self._index.to_put(ContentSearch.put_posting, posting)
        return self._index.to_delete(ContentSearch.remove_posting, posting)

    def _documents(self, before: Document | None, after: Document | None) -> list[Action]:
        if before is None:
            return [self._index.to_put(ContentSearch.create_document, after)] if after else []
        as_read = Document.revision == before.revision
        if after is None:
            delete = ContentSearch.delete_document
            return [self._index.to_delete(delete, before, when=as_read, missing_ok=False)]
        change = {"revision": after.revision, "postings": after.postings}
        update = ContentSearch.update_document
        return [self._index.to_update(update, before, change, when=as_read)]

    def _unchanged(self, content: Content | None) -> list[Action]:
        """That the content is as it was read. One that is gone can only come back by a change that
        is heard of."""
        if content is None:
            return []
        # An id can be given again, and the first version is always the same.
        as_read = {"version": content.version, "last_updated": content.last_updated}
        key = {"content_id": content.content_id}
        return [self._content.to_check(ContentRegistry.check_content, key, when=as_read)]


def _document(content_id: str, postings: set[Listed]) -> Document | None:
    if not postings:
        return None
    texts = tuple(one.text for one in sorted(postings))
    return Document(content_id=content_id, revision=uuid4().hex, postings=texts)
