"""Twitter: posts of the last seven days (the X API, version 2, recent search)."""

from collections.abc import Iterator
from datetime import datetime
from html import unescape
from typing import Any

from lambdas.sentiment.sources.errors import BadAnswer
from lambdas.sentiment.sources.source import (
    MAX_ITEMS,
    Feed,
    RawItem,
    count,
    fields_of,
    identifier,
    joined,
    present,
    words,
)
from lambdas.sentiment.sources.web import Web

URL = "https://api.x.com"

# The smallest and the largest page that the interface gives.
_PAGES = (10, 100)


class Twitter(Feed):
    """Searches recent posts with an app's bearer token.

    Example::

        Twitter(Web(), bearer_token).fetch("climate change")
    """

    source_type = "twitter"

    def __init__(
        self, web: Web, bearer_token: str, *, url: str = URL, max_items: int = MAX_ITEMS
    ) -> None:
        super().__init__(max_items)
        self._web = web
        self._headers = {"Authorization": f"Bearer {bearer_token}"}
        self._address = f"{url}/2/tweets/search/recent"
        # Each post that is given counts against the month's quota, wanted or not.
        self._page = min(max(max_items, _PAGES[0]), _PAGES[1])

    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        asked: dict[str, str | int] = {
            "query": query,
            "max_results": self._page,
            "tweet.fields": "created_at,public_metrics,author_id",
            "expansions": "author_id",
            "user.fields": "username",
        }
        while True:
            answer = self._web.get(self._address, asked, self._headers, deadline)
            tweets, usernames, following = _page(answer)
            for tweet in tweets:
                yield _named(tweet, usernames)
            # An empty page ends it too: a token alone could go on for ever.
            if not tweets or not following:
                return
            asked["next_token"] = following

    def _item(self, entry: Any) -> RawItem:
        tweet = fields_of(entry)
        id = identifier(tweet, "id")
        metrics = tweet.get("public_metrics")
        metrics = metrics if isinstance(metrics, dict) else {}
        return RawItem(
            self.source_type,
            f"tweet-{id}",
            joined(unescape(words(tweet, "text") or "")),  # &, < and > come as entities
            f"https://x.com/i/web/status/{id}",
            present(
                username=words(tweet, "username"),
                retweet_count=count(metrics, "retweet_count"),
                like_count=count(metrics, "like_count"),
            ),
        )


def _named(tweet: Any, usernames: dict[str, Any]) -> Any:
    """A post with its author's name, which comes apart from it."""
    author = tweet.get("author_id") if isinstance(tweet, dict) else None
    if not isinstance(author, str) or author not in usernames:
        return tweet
    return {**tweet, "username": usernames[author]}


def _page(answer: Any) -> tuple[list[Any], dict[str, Any], str | None]:
    """The posts of a page, the names of their authors by id, and the token of the next page."""
    meta = answer.get("meta") if isinstance(answer, dict) else None
    tweets = answer.get("data", []) if isinstance(meta, dict) else None  # no data: no posts
    if not isinstance(meta, dict) or not isinstance(tweets, list):
        raise BadAnswer("twitter answered without meta and a list of data")
    includes = answer.get("includes")
    users = includes.get("users") if isinstance(includes, dict) else None
    usernames = {
        user["id"]: user.get("username")
        for user in (users if isinstance(users, list) else [])
        if isinstance(user, dict) and isinstance(user.get("id"), str)
    }
    following = meta.get("next_token")
    return tweets, usernames, following if isinstance(following, str) else None
