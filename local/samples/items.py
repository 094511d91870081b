"""Items to look at: a day of headlines and posts."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from local.deployment import Deployment
from local.emulator.connection import Connection
from local.emulator.home import LocalCloudError

HOURS = 30
PER_HOUR = 6

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
    return sum(
        ingest(connection, deployment, {"items": items, "ingested_at": moment})
        for moment, items in history(now)
    )


def ingest(connection: Connection, deployment: Deployment, event: dict[str, Any]) -> int:
    """Hand an event to the ingest function; gives how much of it was new."""
    answer = connection.client("lambda").invoke(
        FunctionName=deployment.output("sentiment", "IngestFunction"),
        Payload=json.dumps(event).encode(),
    )
    said = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise LocalCloudError(f"The ingest function failed: {said.get('errorMessage')}")
    return int(said["stored"])
