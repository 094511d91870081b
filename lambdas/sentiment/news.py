"""Financial news: lists by sentiment, and what has arrived since a reader was here."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from lambdas.errors import InvalidRequest
from lambdas.http.answers import record_json
from lambdas.sentiment.arrivals import Place, first, following
from lambdas.sentiment.contract import NewsApiEnvironment
from lambdas.sentiment.resources import Resources
from tablewright.catalog.news.design import News, NewsItem
from tablewright.model.healing import HEALING_FIELDS
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.errors import CursorError
from tablewright.runtime.store.reader import Page
from tablewright.runtime.store.store import Store

LAST_EVENT_ID = "Last-Event-ID"
# The work of healing is nobody else's business, and all that is shown is analysed.
_HIDDEN = {*HEALING_FIELDS, "status"}
SHOWN = tuple(field for field in NewsItem.__entity__.fields if field.name not in _HIDDEN)
# What every analysed article has.
FOUND = ("sentiment", "score", "model_version", "analyzed_at")


class NewsEvent(NamedTuple):
    """Articles in the order of their analysis, and the id by which their reader goes on."""

    id: str
    items: list[NewsItem]


class NewsReader:
    """Reads the table of news as one caller asks. Kept for the life of the environment."""

    def __init__(
        self,
        store: Store,
        cursors: Cursors,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._cursors = cursors
        self._now = now

    @classmethod
    def of(cls, environment: NewsApiEnvironment) -> "NewsReader":
        resources = Resources.of(environment)
        cursors = resources.cursors()
        return cls(resources.news(cursors), cursors)

    def page(self, sentiment: str, **paging: Any) -> Page[NewsItem]:
        """Articles of a sentiment, newest first."""
        return self._store.query(News.news_by_sentiment, sentiment=sentiment, **paging)

    def arrived(self, caller: str, sentiment: str | None, last_id: str | None) -> NewsEvent:
        """What has arrived since an event; without its id, the newest."""
        question = News.arrived_news.name, {"sentiment": sentiment}
        if last_id:
            try:
                place = Place.at(self._cursors.open(last_id, caller, *question))
            except CursorError as error:
                detail = f"{LAST_EVENT_ID} is not valid: begin again without it."
                raise InvalidRequest(detail, [(LAST_EVENT_ID, str(error))]) from None
            found = following(self._store, sentiment, place, self._now())
        else:
            found = first(self._store, sentiment, self._now())
        # Also without news: a client that comes back with it does not look at the same again.
        id = self._cursors.issue(caller, *question, found.place.position())
        return NewsEvent(id, found.items)


def shown(item: NewsItem) -> dict[str, Any]:
    """An article as JSON, without what is not to be seen."""
    return {name: value for name, value in record_json(item).items() if name not in _HIDDEN}
