"""A server that speaks Twitter's format."""

from typing import Any

from tests.integration.sentiment.sources.clock import START
from tests.integration.sentiment.sources.server import Answer, Request

TOKEN = "bearer-token"


def tweet(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"19{number:05}",
        "text": f"Text {number}",
        "author_id": "44196397",
        "created_at": "2026-03-01T10:00:00.000Z",
        "edit_history_tweet_ids": [f"19{number:05}"],
        "public_metrics": {"retweet_count": 150, "reply_count": 3, "like_count": 500},
        **changes,
    }


class TwitterServer:
    """Pages over posts; the token of a page is the number of posts before it."""

    def __init__(self, tweets: list[Any], remaining: int = 450) -> None:
        self.tweets = tweets
        self.remaining = remaining

    def __call__(self, request: Request) -> Answer:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return Answer({"title": "Unauthorized", "status": 401}, 401)
        self.remaining -= 1
        begin = int(request.parameters.get("next_token", "t0")[1:])
        end = begin + int(request.parameters["max_results"])
        some = self.tweets[begin:end]
        answer: dict[str, Any] = {"meta": {"result_count": len(some)}}
        if some:
            answer["data"] = some
            answer["includes"] = {"users": [{"id": "44196397", "username": "elonmusk"}]}
        if end < len(self.tweets):
            answer["meta"]["next_token"] = f"t{end}"
        limits = {
            "x-rate-limit-remaining": str(self.remaining),
            "x-rate-limit-reset": str(int(START.timestamp()) + 900),
        }
        return Answer(answer, headers=limits)
