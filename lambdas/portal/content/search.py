"""Search for content by words: the protocol, and the search that is built in.

The built-in search reads a list and keeps what matches, so many records a request. It finds
everything, a page at a time; whoever has more content than he wants to read puts a search engine
behind the same protocol.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from lambdas.portal.content.lifecycle import may_read
from lambdas.portal.users import User
from tablewright.catalog.portal.content import Content, folded
from tablewright.model import Query
from tablewright.runtime.store.reader import Keep, Page
from tablewright.runtime.store.store import Store

# Records that a request reads at most; an answer says how many it was.
WINDOW = 500
LONGEST_QUERY = 200
_WORD = re.compile(r"\w+")


class Listing(NamedTuple):
    """A list of content, as far as a user may read it."""

    pattern: Query[Content]
    where: Mapping[str, Any]
    user: User


class Search(Protocol):
    """Finds content of a list by words; `Page.examined` tells how much of it was searched."""

    def find(self, query: str, listing: Listing, limit: int, cursor: str | None) -> Page[Content]:
        """Content that has all words of the query; without a cursor in the page, that is all."""
        ...


class ListSearch:
    """Searches a list by reading it. Without words, it is the list."""

    def __init__(self, store: Store, window: int = WINDOW) -> None:
        self._store = store
        self._window = window

    def find(self, query: str, listing: Listing, limit: int, cursor: str | None) -> Page[Content]:
        asked = words(query)
        keep = Keep(
            " ".join(asked), lambda one: may_read(one, listing.user) and matches(asked, one)
        )
        return self._store.query(
            listing.pattern,
            listing.where,
            keep=keep,
            examine=self._window,
            limit=limit,
            cursor=cursor,
            caller=listing.user.user_id,
        )


def words(text: str) -> list[str]:
    r"""The words of a text, without what case and compatible forms of characters set apart.

    >>> words("Straße: \uff21BC, v2.1")
    ['strasse', 'abc', 'v2', '1']
    """
    return _WORD.findall(folded(text))


def matches(asked: list[str], content: Mapping[str, Any]) -> bool:
    """Whether each word is the beginning of a word in the title, the summary or the tags."""
    texts = (content.get("title", ""), content.get("summary", ""), *content.get("tags", ()))
    found = {word for text in texts for word in words(text)}
    return all(any(word.startswith(beginning) for word in found) for beginning in asked)
