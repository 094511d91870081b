"""Search for content by words: the protocol, and the search that is built in.

The built-in search reads the postings of each word, the heaviest first and so many at most, ranks
the contents that have all of the words, and reads those that it shows. What it shows is as the
table has it: content that was changed, hidden or removed a moment ago is not shown by what it was.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from math import log2
from typing import NamedTuple, Protocol

from lambdas.portal.content.lists import View
from lambdas.portal.search.words import matches, weight_of
from tablewright.catalog.portal.content import Content, ContentRegistry
from tablewright.catalog.portal.search import LONGEST_WORD, ContentSearch
from tablewright.model import Condition
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.parallel import in_parallel
from tablewright.runtime.store.batches import chunks
from tablewright.runtime.store.evaluation import compiled
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store

LONGEST_QUERY = 200
MOST_WORDS = 10
_CONTENT = Records(ContentRegistry.__design__, Content.__entity__)
# Postings of a word, and contents, that a request reads at most.
WINDOW = 2_000
EXAMINED = 200
# Contents that are read together at least.
_AT_ONCE = 20


class Asked(NamedTuple):
    """What somebody looks for: all of these words, in content that meets a condition."""

    words: list[str]
    filters: Condition | None
    view: View


class Found(NamedTuple):
    """A page of what was found, the best first; `complete` unless all words are so common that
    only contents in which each weighs most were looked at."""

    items: list[Content]
    cursor: str | None
    complete: bool


class Search(Protocol):
    """Finds content by words: the seam for a search engine."""

    def find(self, asked: Asked, limit: int, cursor: str | None) -> Found:
        """Content that has all of the words, and that the user may read."""
        ...


class WordList(NamedTuple):
    """Contents with a word, and how much it weighs in each; not `whole` where there are more."""

    weights: dict[str, int]
    whole: bool


class Place(NamedTuple):
    """A content's place among what was found: by its score, then by a digest of its id. Cursors can
    be read, and nobody is told of content that he may not read."""

    below: int
    digest: str
    content_id: str = ""

    @classmethod
    def of(cls, score: int, content_id: str) -> "Place":
        return cls(-score, sha256(content_id.encode()).hexdigest()[:16], content_id)


class IndexSearch:
    """Searches the index in DynamoDB."""

    def __init__(
        self,
        content: Store,
        index: Store,
        cursors: Cursors,
        *,
        window: int = WINDOW,
        examined: int = EXAMINED,
    ) -> None:
        self._content = content
        self._index = index
        self._cursors = cursors
        self._window = window
        self._examined = examined

    def find(self, asked: Asked, limit: int, cursor: str | None) -> Found:
        question = {"words": asked.words, "filters": repr((asked.filters, asked.view[1:]))}
        caller = (asked.view.user.user_id, "search", question)
        lists = in_parallel(self._list, asked.words)
        counts, after = [str(len(one.weights)) for one in lists], None
        if cursor is not None:
            *counts, below, digest = self._cursors.open(cursor, *caller)
            after = Place(int(below), digest)
        places = sorted(self._places(lists, [int(count) for count in counts]))
        rest = [place for place in places if after is None or place[:2] > after[:2]]
        items, reached = self._shown(rest, asked, limit)
        onward = None
        if reached < len(rest):
            last = rest[reached - 1]
            onward = self._cursors.issue(*caller, [*counts, str(last.below), last.digest])
        return Found(items, onward, any(one.whole for one in lists))

    def _list(self, word: str) -> WordList:
        """Contents with the word, or with one that begins so and weighs half."""
        cut = word[:LONGEST_WORD]
        postings = self._index.each(
            ContentSearch.postings, initial=cut[0], begins_with=cut, at_once=self._window + 1
        )
        found: dict[str, int] = {}
        read = list(islice(postings, self._window + 1))
        for one in read[: self._window]:
            weight = weight_of(one.rank)
            weighs = weight if one.word == cut else weight // 2
            found[one.content_id] = max(weighs, found.get(one.content_id, 0))
        return WordList(found, whole=len(read) <= self._window)

    def _places(self, lists: Sequence[WordList], counts: list[int]) -> Iterator[Place]:
        """Contents that can have all words, each with its place: by the weight of the words in it,
        of which a word that half as many contents have counts one more."""
        sure = [one for one in lists if one.whole] or lists
        rarity = [int(100 * log2(2 * self._window / max(count, 1))) for count in counts]
        for content_id in set.intersection(*(set(one.weights) for one in sure)):
            weighed = (one.weights.get(content_id, 0) for one in lists)
            score = sum(rare * weight for rare, weight in zip(rarity, weighed, strict=True))
            yield Place.of(score, content_id)

    def _shown(
        self, places: Sequence[Place], asked: Asked, limit: int
    ) -> tuple[list[Content], int]:
        """Contents that the user may read and that are what is asked for; and how many places it
        took to find so many, or all that a request may look at."""
        items: list[Content] = []
        looked = 0
        for chunk in chunks(places[: self._examined], max(limit, _AT_ONCE)):
            keys = [{"content_id": place.content_id} for place in chunk]
            there = self._content.get_many(ContentRegistry.contents_by_id, keys)
            by_id = {one.content_id: one for one in there}
            for place in chunk:
                looked += 1
                one = by_id.get(place.content_id)
                if one is not None and _is_asked_for(one, asked):
                    items.append(one)
                if len(items) == limit:
                    return items, looked
        return items, looked


def _is_asked_for(content: Content, asked: Asked) -> bool:
    if not asked.view.shows(content) or not matches(asked.words, content):
        return False
    if asked.filters is None:
        return True
    return compiled(asked.filters, _CONTENT)(_CONTENT.values(content))
