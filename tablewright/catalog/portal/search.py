"""Search index of content: a posting for each word of a content, and a document that lists them.

A word's postings are beneath its first character, in the order of words, and of each word the
heaviest first: so one query finds the words that begin with some letters, whole words before longer
ones. Of a content, the document says which postings there are. Both change in one transaction.
"""

from __future__ import annotations

from tablewright.catalog.portal.fields import path_id
from tablewright.model import (
    IN_KEY,
    BatchGet,
    Delete,
    Entity,
    Field,
    Get,
    Key,
    ListOf,
    Put,
    Query,
    Scan,
    Table,
    Text,
    Update,
)

LONGEST_WORD = 40
# More than the fields of a content have room for.
MOST_WORDS = 2_500
_WORD = r"\w{1,40}"
_RANK = "[0-9]{3}"


class Posting(
    Entity,
    key=Key("{initial}", "{word}#{rank}#{content_id}"),
    example={
        "initial": "w",
        "word": "warehouse",
        "rank": "750",
        "content_id": "0194a211-7280-7abc-8def-0123456789ab",
    },
):
    """That a content has a word; all of it is in the key."""

    initial: Field[str] = Text(IN_KEY, max_length=1, pattern=r"\w", form="the word's first")
    word: Field[str] = Text(IN_KEY, max_length=LONGEST_WORD, pattern=_WORD)
    # The lower, the more the word weighs in the content.
    rank: Field[str] = Text(IN_KEY, max_length=3, pattern=_RANK)
    content_id: Field[str] = path_id(IN_KEY)


class Document(
    Entity,
    # No first character of a word has a '#'.
    key=Key("document#{content_id}", "document"),
    example={
        "content_id": Posting.__entity__.example["content_id"],
        "revision": "5b1f9c0e4a7d4c2f8e3a6b9d0c1e2f3a",
        "postings": ["positioning#750", "warehouse#800"],
    },
):
    """The postings that there are of a content; without any there is no document."""

    content_id: Field[str] = path_id(IN_KEY)
    # Another one with every change, never used again.
    revision: Field[str] = Text(max_length=32)
    # The word and the rank of each.
    postings: Field[tuple[str, ...]] = ListOf(
        Text(max_length=64, pattern=f"{_WORD}#{_RANK}"), max_items=MOST_WORDS
    )


class ContentSearch(Table, pk="PK", sk="SK"):
    """Words of enablement content: which content has them, the heaviest first."""

    postings = Query(
        Posting, range=Posting.word, describes="Content with a word, or words that begin so."
    )
    put_posting = Put(Posting, describes="Add a word of a content.")
    remove_posting = Delete(Posting, describes="Remove a word of a content.")
    get_document = Get(Document, consistent=True, describes="Which postings a content has.")
    create_document = Put(Document, create=True, describes="Begin the list of postings.")
    update_document = Update(Document, describes="Change the list of postings.")
    delete_document = Delete(Document, describes="Remove the list of a content without words.")
    look_up_postings = BatchGet(
        Posting, consistent=True, describes="Look which postings there are."
    )
    documents_by_id = BatchGet(Document, consistent=True, describes="Look what is listed.")
    scan_postings = Scan(Posting, describes="Every posting, for a check of the index.")
    scan_documents = Scan(Document, describes="Every document, for a check of the index.")
