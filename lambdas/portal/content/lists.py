"""Lists of content, as far as a user may read them: by owner, product or status, and filtered."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lambdas.portal.content.lifecycle import may_read, may_read_draft
from lambdas.portal.users import User
from tablewright.catalog.portal.content import Content
from tablewright.catalog.portal.fields import folded
from tablewright.model import Condition, Query
from tablewright.runtime.store.reader import Keep, Page
from tablewright.runtime.store.store import Store

# Records that a request reads at most.
WINDOW = 500


class View(NamedTuple):
    """What a user may see, of a tag if one is asked for, or with a draft that he may see."""

    user: User
    tag: str | None = None  # folded
    drafts: bool = False

    def shows(self, content: Content) -> bool:
        may = may_read_draft if self.drafts else may_read
        tagged = self.tag is None or self.tag in map(folded, content.tags or ())
        return tagged and may(content, self.user)


class Listing(NamedTuple):
    """A list of content, and what is asked for of it."""

    pattern: Query[Content]
    key: Mapping[str, Any]
    filters: Condition | None
    view: View


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
            keep=Keep(f"readable {listing.view.tag} {listing.view.drafts}", listing.view.shows),
            examine=self._window,
            limit=limit,
            cursor=cursor,
            caller=listing.view.user.user_id,
        )
