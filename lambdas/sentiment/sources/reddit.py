"""Reddit: posts of all subreddits, read as an application without a user."""

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from lambdas.sentiment.sources.errors import BadAnswer, Unauthorized
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

URL = "https://oauth.reddit.com"
AUTH_URL = "https://www.reddit.com"
# Reddit slows down or refuses programs that do not say who they are.
USER_AGENT = "aws-lambda:tablewright.sentiment:v0.1.0"

_PAGE = 100
_SITE = "https://www.reddit.com"
_GONE = ("[deleted]", "[removed]")
# A token is given up this much before its end, so that none ends on the way.
_MARGIN = timedelta(seconds=60)


class Reddit(Feed):
    """Searches posts with a client's id and secret.

    Example::

        Reddit(Web(), client_id, client_secret).fetch("climate change")
    """

    source_type = "reddit"

    def __init__(
        self,
        web: Web,
        client_id: str,
        client_secret: str,
        *,
        url: str = URL,
        auth_url: str = AUTH_URL,
        user_agent: str = USER_AGENT,
        max_items: int = MAX_ITEMS,
    ) -> None:
        super().__init__(max_items)
        self._web = web
        self._address = f"{url}/search"
        self._user_agent = user_agent
        self._tokens = _Tokens(
            web, f"{auth_url}/api/v1/access_token", client_id, client_secret, user_agent
        )
        self._page = min(max_items, _PAGE)

    def _entries(self, query: str, deadline: datetime | None) -> Iterator[Any]:
        asked: dict[str, str | int] = {
            "q": query,
            "sort": "new",
            "type": "link",
            "limit": self._page,
            "raw_json": 1,  # text as it is, not as HTML
        }
        while True:
            posts, following = _page(self._search(asked, deadline))
            yield from posts
            # An empty page ends it too: a position alone could go on for ever.
            if not posts or not following:
                return
            asked["after"] = following

    def _search(self, asked: dict[str, str | int], deadline: datetime | None) -> Any:
        known = self._tokens.is_fresh()
        try:
            return self._web.get(self._address, asked, self._headers(deadline), deadline)
        except Unauthorized:
            # A token from before may have been revoked; a new one that is refused is an answer.
            if not known:
                raise
            self._tokens.forget()
            return self._web.get(self._address, asked, self._headers(deadline), deadline)

    def _headers(self, deadline: datetime | None) -> dict[str, str]:
        token = self._tokens.token(deadline)
        return {"Authorization": f"Bearer {token}", "User-Agent": self._user_agent}

    def _item(self, entry: Any) -> RawItem:
        post = fields_of(fields_of(entry).get("data"))
        id = identifier(post, "id")
        title, body, author = words(post, "title"), words(post, "selftext"), words(post, "author")
        path = words(post, "permalink")
        return RawItem(
            self.source_type,
            f"post-{id}",
            joined(title, None if body in _GONE else body),
            f"{_SITE}{path}" if path and path.startswith("/") else None,
            present(
                author=None if author in _GONE else author,
                title=title,
                subreddit=words(post, "subreddit"),
                ups=count(post, "ups"),
                num_comments=count(post, "num_comments"),
            ),
        )


class _Tokens:
    """The access token, asked for when there is none that lasts."""

    def __init__(
        self, web: Web, address: str, client_id: str, client_secret: str, user_agent: str
    ) -> None:
        self._web = web
        self._address = address
        login = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}", "User-Agent": user_agent}
        self._token = ""
        self._until: datetime | None = None

    def is_fresh(self) -> bool:
        return self._until is not None and self._web.now() < self._until

    def forget(self) -> None:
        self._until = None

    def token(self, deadline: datetime | None) -> str:
        if not self.is_fresh():
            asked_at = self._web.now()
            form = {"grant_type": "client_credentials"}
            answer = self._web.post(self._address, form, self._headers, deadline)
            self._token, seconds = _grant(answer)
            self._until = asked_at + timedelta(seconds=seconds) - _MARGIN
        return self._token


def _grant(answer: Any) -> tuple[str, int]:
    """A token and how many seconds it lasts."""
    if isinstance(answer, dict) and "error" in answer:  # with status 200
        raise Unauthorized("reddit refused the client's id and secret")
    token = answer.get("access_token") if isinstance(answer, dict) else None
    seconds = count(answer, "expires_in") if isinstance(answer, dict) else None
    if not isinstance(token, str) or seconds is None or not 0 < seconds < 10**9:
        raise BadAnswer("reddit answered without access_token and expires_in")
    return token, seconds


def _page(answer: Any) -> tuple[list[Any], str | None]:
    """The posts of a page, and the position that the next one follows."""
    data = answer.get("data") if isinstance(answer, dict) else None
    posts = data.get("children") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(posts, list):
        raise BadAnswer("reddit answered without a listing of children")
    following = data.get("after")
    return posts, following if isinstance(following, str) else None
