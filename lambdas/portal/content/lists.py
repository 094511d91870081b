"""Lists of content, as far as a user may read them: by owner, product or status, and filtered."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lambdas.portal.content.lifecycle import may_read
from lambdas.portal.users import User
from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.fields import folded
from tablewright.model import Condition, Query
from tablewright.runtime.store.reader import Keep, Page
from tablewright.runtime.store.store import Store


def has_tag(content: Content, tag: str | None) -> bool:
    """Whether content has a tag, however it is written there; None is no filter."""
    return tag is None or tag in map(folded, content.tags or ())


# Records that a request reads at most.
WINDOW = 500


class Listing(NamedTuple):
    """A list of content, and what is asked for of it."""

    pattern: Query[Content]
    key: Mapping[str, Any]
    filters: Condition | None
    user: User
    tag: str | None = None

    def keeps(self, content: Content) -> bool:
        return may_read(content, self.user) and has_tag(content, self.tag)


class Lists:
    """Reads lists, a page at a time."""

    def __init__(self, store: Store, window: int = WINDOW) -> None:
        self._store = store
        self._window = window

    def list_content(self, listing: Listing, limit: int, cursor: str | None) -> Page[Content]:
        """A page can be short, or empty, and still have a cursor."""
        return self._store.query(
            listing.pattern,
            listing.key,
            where=listing.filters,
            keep=Keep(f"readable {listing.tag or ''}", listing.keeps),
            examine=self._window,
            limit=limit,
            cursor=cursor,
            caller=listing.user.user_id,
        )
