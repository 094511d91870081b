"""One run of each access pattern of the portal's search index."""

from typing import Any

from docs.scenarios.portal_content import CONTENT, draft
from lambdas.portal.search.index import Listed, implied
from lambdas.portal.search.words import rank_of
from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.search import ContentSearch, Document, Posting
from tablewright.costs.measuring import Measuring
from tablewright.model.capacity import read_floor, update_floor, write_floor
from tablewright.model.sizes import item_bytes
from tablewright.pages.cost_chapter import Kept, Scale, Use
from tablewright.runtime.store.store import Store

WITH_A_WORD = 1_000
ONE = draft(0)
SAYS = (
    "As with the content: a small portal has 1,000 pieces of it, a large one 100,000, each changed "
    "once a month, a tenth of that in a word of the title. Each of a hundred, or ten thousand, "
    "people searches ten times on each of twenty days, by two words that a thousand contents "
    "have, or all of them."
)
LEAVES_OUT = (
    "A transaction is billed twice. What a search shows is read from the table of content: half a "
    "unit for each kilobyte. Backups are not in these figures."
)
DESIGN, POSTING, DOCUMENT = (
    ContentSearch.__design__,
    Posting.__entity__,
    Document.__entity__,
)


def posting(word: str, number: int, weight: int = 200) -> Posting:
    return Listed(word, rank_of(weight)).posting(draft(number).content_id)


def document(content: Content, *more: str) -> Document:
    texts = tuple(sorted((*more, *(one.text for one in implied(content)))))
    example = DOCUMENT.example["revision"]
    return Document(content_id=content.content_id, revision=example, postings=texts)


def measure(measuring: Measuring) -> None:
    """Run each pattern on an index in which a thousand contents have one word."""
    store = measuring.store()
    for number in range(WITH_A_WORD):
        store.put(ContentSearch.put_posting, posting("warehouse", number))
    _words(measuring, store)
    _documents(measuring, store)


def _words(measuring: Measuring, store: Store) -> None:
    word = posting("lake", 0)
    measuring.run(
        "put_posting",
        "one word",
        lambda: store.put(ContentSearch.put_posting, word),
        write=write_floor(DESIGN, POSTING, word),
    )
    measuring.run(
        "look_up_postings",
        "one word",
        lambda: store.get_many(ContentSearch.look_up_postings, [word]),
        read=read_floor([_bytes(POSTING, word)], consistent=True),
    )
    for count, asked in ((1, "lake"), (WITH_A_WORD, "ware")):
        measuring.run(
            "postings",
            f"a word of {count:,} contents" if count > 1 else "a word of one content",
            lambda asked=asked: list(  # type: ignore[misc]
                store.each(ContentSearch.postings, initial=asked[0], begins_with=asked)
            ),
            read=read_floor([_bytes(POSTING, posting("warehouse", 0))] * count),
        )
    measuring.run(
        "remove_posting",
        "one word",
        lambda: store.delete(ContentSearch.remove_posting, word),
        write=write_floor(DESIGN, POSTING, word),
    )
    measuring.run(
        "scan_postings",
        f"{WITH_A_WORD:,} postings",
        lambda: list(store.scan(ContentSearch.scan_postings)),
        read=read_floor([_bytes(POSTING, posting("warehouse", 0))] * WITH_A_WORD),
    )


def _documents(measuring: Measuring, store: Store) -> None:
    before, after = document(ONE), document(ONE, "lake#800")
    key = {"content_id": ONE.content_id}
    measuring.run(
        "create_document",
        "one content",
        lambda: store.put(ContentSearch.create_document, before),
        write=write_floor(DESIGN, DOCUMENT, before),
    )
    measuring.run(
        "get_document",
        "one content",
        lambda: store.get(ContentSearch.get_document, key),
        read=read_floor([_bytes(DOCUMENT, before)], consistent=True),
    )
    measuring.run(
        "documents_by_id",
        "one content",
        lambda: store.get_many(ContentSearch.documents_by_id, [key]),
        read=read_floor([_bytes(DOCUMENT, before)], consistent=True),
    )
    measuring.run(
        "update_document",
        "one word more",
        lambda: store.update(ContentSearch.update_document, key, {"postings": after.postings}),
        write=update_floor(DESIGN, DOCUMENT, before, after),
    )
    measuring.run(
        "scan_documents",
        f"one content among {WITH_A_WORD:,} postings",
        lambda: list(store.scan(ContentSearch.scan_documents)),
        read=read_floor(
            [*[_bytes(POSTING, posting("warehouse", 0))] * WITH_A_WORD, _bytes(DOCUMENT, after)]
        ),
    )
    measuring.run(
        "delete_document",
        "one content",
        lambda: store.delete(ContentSearch.delete_document, key),
        write=write_floor(DESIGN, DOCUMENT, after),
    )


def _bytes(entity: Any, record: Any) -> int:
    return item_bytes(DESIGN.attributes(entity, record))


def _scale(name: str, contents: int, people: int) -> Scale:
    new, edited, words = contents // 20, contents // 10, len(implied(ONE))
    searches = 10 * 20 * people
    return Scale(
        name,
        # Whatever is written is written in a transaction, at twice the units.
        uses=(
            Use("put_posting", "one word", 2 * (new * words + edited)),
            Use("remove_posting", "one word", 2 * edited),
            Use("create_document", "one content", 2 * new),
            Use("update_document", "one word more", 2 * edited),
            Use("get_document", "one content", new + edited),
            Use("postings", f"a word of {WITH_A_WORD:,} contents", 2 * searches),
        ),
        kept=(
            Kept("Posting", dict(posting("warehouse", 0)), contents * words),
            Kept("Document", dict(document(Content(**CONTENT.example))), contents),
        ),
    )


SCALES = (_scale("small", 1_000, 100), _scale("large", 100_000, 10_000))
