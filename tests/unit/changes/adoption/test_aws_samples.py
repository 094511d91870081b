"""Tables like those that everybody knows from AWS's examples are adopted."""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from tablewright.changes.adoption.proposal import propose
from tablewright.runtime.store.attribute_values import encode
from tablewright.runtime.store.records import Item

Attributes = dict[str, Any]
_RANDOM = Random(7)
_WORDS = ("amber", "birch", "cedar", "dune", "elm", "fjord", "grove", "heath", "isle", "jade")


def name() -> str:
    return " ".join(_RANDOM.choice(_WORDS).title() for _ in range(3))


def moment() -> str:
    of = _RANDOM.randrange
    return f"2025-{of(1, 13):02}-{of(1, 28):02}T{of(24):02}:{of(60):02}:{of(60):02}.{of(1000):03}Z"


def some(number: int, **optional: Any) -> Attributes:
    return {name: value for name, value in optional.items() if _RANDOM.randrange(number)}


def music(number: int) -> Attributes:
    return {
        "Artist": f"The {name()}",
        "SongTitle": f"{name()} {number}",
        "AlbumTitle": name(),
        "Awards": _RANDOM.randrange(9),
        **some(3, Genre=_RANDOM.choice(_WORDS)),
    }


def product(number: int) -> Attributes:
    book = {
        "ISBN": f"{number:03}-{_RANDOM.randrange(10**10):010}",
        "Authors": [f"{name()}" for _ in range(_RANDOM.randrange(1, 4))],
        "PageCount": _RANDOM.randrange(50, 900),
        "InPublication": bool(number % 2),
    }
    bicycle = {"BicycleType": "Road", "Brand": name(), "Color": ["Red", "Black"]}
    return {
        "Id": 100 + number,
        "Title": f"Thing {number}",
        "Price": Decimal(_RANDOM.randrange(100, 99_999)) / 100,
        "ProductCategory": "Book" if number % 2 else "Bicycle",
        **(book if number % 2 else bicycle),
    }


def forum(number: int) -> Attributes:
    counts = {"Threads": number % 7, "Messages": number, "Views": number * 3}
    return {"Name": f"Amazon {name()} {number}", "Category": "Services", **counts}


def thread(number: int) -> Attributes:
    return {
        "ForumName": f"Amazon {_RANDOM.choice(_WORDS)}",
        "Subject": f"Thread {number} on {name()}",
        "Message": f"{name()}\n{name()}",
        "LastPostedBy": f"User {_RANDOM.choice(_WORDS)}",
        "LastPostedDateTime": moment(),
        "Views": _RANDOM.randrange(99),
        "Answered": _RANDOM.randrange(2),
        "Tags": {_RANDOM.choice(_WORDS), "index"},
    }


def reply(number: int) -> Attributes:
    return {
        "Id": f"Amazon {_RANDOM.choice(_WORDS)}#Thread {number % 40}",
        "ReplyDateTime": moment(),
        "Message": name(),
        "PostedBy": f"User {_RANDOM.choice(_WORDS)}",
    }


def score(number: int) -> Attributes:
    return {
        "UserId": f"{100 + number}",
        "GameTitle": f"{_RANDOM.choice(_WORDS).title()} Invaders",
        "TopScore": _RANDOM.randrange(9000),
        "TopScoreDateTime": moment(),
        "Wins": _RANDOM.randrange(50),
        "Losses": _RANDOM.randrange(50),
    }


def movie(number: int) -> Attributes:
    return {
        "year": 1950 + number % 70,
        "title": f"{name()} {number}",
        "info": {
            "directors": [name()],
            "rating": Decimal(_RANDOM.randrange(10, 99)) / 10,
            "plot": name(),
            **some(2, genres=[_RANDOM.choice(_WORDS)], rank=number),
        },
    }


def described(key: str, index: str = "", types: str = "") -> dict[str, Any]:
    """A table with this key, and an index with that one: ``partition sort``."""

    def schema(names: str) -> list[dict[str, str]]:
        kinds = zip(names.split(), ("HASH", "RANGE"), strict=False)
        return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]

    attributes = dict.fromkeys(f"{key} {index}".split())
    made = {"IndexName": "by-index", "KeySchema": schema(index)}
    return {
        "TableName": "Sample",
        "KeySchema": schema(key),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "N" if name in types.split() else "S"}
            for name in attributes
        ],
        "GlobalSecondaryIndexes": [{**made, "Projection": {"ProjectionType": "ALL"}}]
        if index
        else [],
    }


def items(made: Callable[[int], Attributes], key: str) -> list[Item]:
    found = [made(number) for number in range(300)]
    once = {tuple(one[name] for name in key.split()): one for one in found}
    return [{name: encode(value) for name, value in one.items()} for one in once.values()]


@pytest.mark.parametrize(
    ("made", "key", "index", "types"),
    [
        (music, "Artist SongTitle", "Genre AlbumTitle", ""),
        (product, "Id", "", "Id"),
        (forum, "Name", "", ""),
        (thread, "ForumName Subject", "ForumName LastPostedDateTime", ""),
        (reply, "Id ReplyDateTime", "PostedBy Message", ""),
        (score, "UserId GameTitle", "GameTitle TopScore", "TopScore"),
        (movie, "year title", "", "year"),
    ],
    ids=["Music", "ProductCatalog", "Forum", "Thread", "Reply", "GameScores", "Movies"],
)
def test_a_well_known_table_is_made_again(
    made: Callable[[int], Attributes], key: str, index: str, types: str
) -> None:
    proposal = propose(described(key, index, types), items(made, key))
    assert proposal.coverage.share >= 0.99, str(proposal.coverage)
    assert list(proposal.differences) == []
