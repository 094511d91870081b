"""Items to look at: a day of headlines and posts, and one more every few seconds."""

import contextlib
import json
import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from local.api import Api
from local.connection import Connection
from local.deployment import Deployment
from local.home import LocalCloudError
from local.users import TENANTS, Users

HOURS = 30
PER_HOUR = 6
EVERY_SECONDS = 4.0
# Tokens last an hour.
_RENEW = timedelta(minutes=30)

_SUBJECTS = {
    "AI": ("A new AI model", "An AI start-up", "The debate about AI"),
    "climate": ("The climate summit", "A climate report", "The climate council"),
    "economy": ("The economy", "A survey on the economy", "A forecast for the economy"),
    "health": ("A health study", "The health ministry", "A health campaign"),
    "space": ("A space probe", "The space agency", "A mission into space"),
    "security": ("A security update", "The security conference", "A security firm"),
    "sports": ("The sports club", "A sports festival", "The sports federation"),
    "elections": ("A poll before the elections", "Turnout at the elections"),
}
_ENDINGS = (
    "is a great success and brings hope to many people",
    "wins praise: experts call the results excellent",
    "makes people happy, and the mood could not be better",
    "ends in a terrible failure, and the losses are severe",
    "meets with angry criticism; critics speak of a disaster",
    "leaves many worried after a sad and painful week",
    "is on the agenda of the committee on Tuesday",
    "will be presented to the public in the spring",
    "was the subject of a talk at the university",
)
_SOURCES = {
    "newsapi": ("article", {"author": "Jane Smith", "source_name": "The Example"}),
    "twitter": ("tweet", {"username": "ada", "retweet_count": 12, "like_count": 80}),
    "reddit": ("post", {"author": "grace", "subreddit": "news"}),
}


def item(name: str, chance: random.Random) -> dict[str, Any]:
    """An item of this name, as a client would hand it in."""
    source = chance.choice(list(_SOURCES))
    kind, metadata = _SOURCES[source]
    tag, other = chance.sample(list(_SUBJECTS), 2)
    text = f"{chance.choice(_SUBJECTS[tag])} {chance.choice(_ENDINGS)}."
    return {
        "source_id": f"{source}#{kind}-{name}",
        "source_type": source,
        "text": f"{text} More on {other} below." if chance.random() < 0.4 else text,
        "source_url": f"https://example.com/{kind}/{name}",
        "metadata": metadata,
    }


def history(now: datetime) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The items of the last day or so, those of an hour under one moment of it."""
    this_hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    for hour in range(1, HOURS):
        moment = this_hour - timedelta(hours=hour)
        # Of the hour itself, so that a second load finds them all known.
        chance = random.Random(moment.isoformat())
        names = [f"{moment:%Y%m%d%H}-{number}" for number in range(chance.randrange(2, PER_HOUR))]
        at = moment + timedelta(minutes=chance.randrange(60))
        yield f"{at:%Y-%m-%dT%H:%M:%S}.000Z", [item(name, chance) for name in names]


def load(connection: Connection, deployment: Deployment, now: datetime) -> int:
    """Hand the history to the ingest function; gives how many items were new."""
    lambda_ = connection.client("lambda")
    function = deployment.output("sentiment", "IngestFunction")
    stored = 0
    for moment, items in history(now):
        answer = lambda_.invoke(
            FunctionName=function,
            Payload=json.dumps({"items": items, "ingested_at": moment}).encode(),
        )
        said = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise LocalCloudError(f"The ingest function failed: {said.get('errorMessage')}")
        stored += said["stored"]
    return stored


class Trickle:
    """Hands in one more item every few seconds, until it is left.

    Example::

        with Trickle(users, deployment):
            ...
    """

    def __init__(self, users: Users, deployment: Deployment) -> None:
        self._users = users
        self._url = deployment.api_url("sentiment")
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Trickle":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        chance = random.Random()
        api, renew = self._signed_in(), datetime.now(UTC) + _RENEW
        while not self._left.wait(EVERY_SECONDS):
            now = datetime.now(UTC)
            # A fault that is being tried out, or a cloud that is going down, is no reason to stop.
            with contextlib.suppress(OSError, LocalCloudError):
                if now > renew:
                    api, renew = self._signed_in(), now + _RENEW
                api("POST", "/items", {"items": [item(f"{now:%Y%m%d%H%M%S%f}", chance)]})

    def _signed_in(self) -> Api:
        return Api(self._url, self._users.token(TENANTS[0]))
