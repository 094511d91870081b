"""A server that speaks Reddit's format."""

from base64 import b64encode
from typing import Any

from tests.integration.sentiment.sources.server import Answer, Request

LOGIN = "Basic " + b64encode(b"client:secret").decode()
HOUR = 3600


def post(number: int, **changes: Any) -> dict[str, Any]:
    data = {
        "id": f"p{number}",
        "name": f"t3_p{number}",
        "title": f"Title {number}",
        "selftext": f"Body {number}",
        "author": "someone",
        "subreddit": "technology",
        "permalink": f"/r/technology/comments/p{number}/title/",
        "url": "https://example.com/",
        "ups": 12,
        "upvote_ratio": 0.93,
        "num_comments": 3,
        "created_utc": 1772359200.0,
        **changes,
    }
    return {"kind": "t3", "data": data}


class RedditServer:
    """Gives out tokens, and pages over posts to whoever has the last one."""

    def __init__(self, posts: list[Any], remaining: float = 600.0) -> None:
        self.posts = posts
        self.remaining = remaining
        self.tokens = 0

    def __call__(self, request: Request) -> Answer:
        if not request.headers.get("user-agent", "").startswith("aws-lambda:"):
            return Answer({"message": "Too Many Requests", "error": 429}, 429)
        if request.path == "/api/v1/access_token":
            return self._grant(request)
        if request.headers.get("authorization") != f"Bearer token-{self.tokens}":
            return Answer({"message": "Unauthorized", "error": 401}, 401)
        self.remaining -= 1
        begin = int(request.parameters.get("after", "t3_0")[3:])
        end = begin + int(request.parameters["limit"])
        following = f"t3_{end}" if end < len(self.posts) else None
        listing = {"after": following, "before": None, "children": self.posts[begin:end]}
        limits = {"x-ratelimit-remaining": str(self.remaining), "x-ratelimit-reset": "300"}
        return Answer({"kind": "Listing", "data": listing}, headers=limits)

    def _grant(self, request: Request) -> Answer:
        if request.headers.get("authorization") != LOGIN:
            return Answer({"message": "Unauthorized", "error": 401}, 401)
        if request.body != "grant_type=client_credentials":
            return Answer({"error": "unsupported_grant_type"})
        self.tokens += 1
        token = {"access_token": f"token-{self.tokens}", "token_type": "bearer", "scope": "*"}
        return Answer({**token, "expires_in": HOUR})
