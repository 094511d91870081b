"""A table's page says what an index would cost that carries what its lists need."""

from tablewright.model import (
    ALL,
    KEYS_ONLY,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Query,
    Shards,
    Table,
    Text,
)
from tablewright.pages.page import page


class Book(
    Entity,
    key=Key("BOOK#{isbn}"),
    example={"isbn": "1", "author": "a", "title": "t" * 300, "text": "x" * 3000},
):
    """A book."""

    isbn: Field[str] = Text()
    author: Field[str] = Text()
    title: Field[str] = Text(max_length=300)
    text: Field[str] = Text(max_length=5000)


BY_AUTHOR = Key("AUTHOR#{author}#{shard}", "{isbn}", shards=Shards(4, by="isbn"))


class Library(Table, pk="PK"):
    """Books."""

    by_author = Index(pk="APK", sk="ASK", projects=KEYS_ONLY, keys={Book: BY_AUTHOR})
    titles = Query(Book, by_author, select=(Book.title,), hydrate=True)
    numbers = Query(Book, by_author)
    book = Get(Book)


class Whole(Library, id="library"):
    """Books, with all of them in the index."""

    by_author = Index(pk="APK", sk="ASK", projects=ALL, keys={Book: BY_AUTHOR})


def test_the_costs_are_those_of_the_example() -> None:
    chapter = page(Library.__design__).split("## Other projections")[1]
    rows = [line for line in chapter.splitlines() if line.startswith("| ")]
    assert rows == [
        "| by_author | keys only (as it is) | keys and `title` | everything |",
        "| --- | --- | --- | --- |",
        # Five entries of each of four shards; as it is, twenty items by themselves as well.
        "| `titles`, read units | 12 | 2 | 10 |",
        "| `numbers`, read units | 2 | 2 | 10 |",
        # An item and its entry: 4 and 1 units, and three more for an entry of the whole.
        "| write units of a put | 5 | +0 | +3 |",
        "| write units of a change |  | +1 | +4 |",
        "| bytes stored | 25 | +305 | +3321 |",
    ]


def test_an_index_with_everything_has_nothing_to_be_completed() -> None:
    written = page(Whole.__design__)
    assert "## Other projections" not in written
    assert "completes" not in written
    assert "BatchGetItem" not in written
