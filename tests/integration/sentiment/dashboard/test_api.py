"""What the dashboard reads: every route, all that can be asked, and all that is refused."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.model.fields.time import iso_utc
from tablewright.testing import Database, Fault, Faulty
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tests.integration.http import Answer
from tests.integration.sentiment.conftest import DASHBOARD_TABLE, ITEMS_TABLE, World, item
from tests.integration.sentiment.http import (
    CONTRACT,
    READER,
    Http,
    conforms,
    problem,
)
from tests.integration.sentiment.moments import NOW, TODAY

TAGS = ({"AI"}, {"AI", "C#"}, {"music"}, set[str]())
SOURCES = ("newsapi", "twitter")
NOTHING: dict[str, Any] = {"items": [], "next_cursor": None, "stale_seconds": 0}


@pytest.fixture
def http(world: World, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(world, monkeypatch)


def at(hours_ago: float) -> str:
    return iso_utc(NOW - timedelta(hours=hours_ago))


@pytest.fixture(scope="module")
def forty(dynamodb_local: DynamoDbLocal) -> World:
    """Forty items, one every three hours: number n has tags n % 4 and source n % 2."""
    database = Database(dynamodb_local)
    database.table(Items, ITEMS_TABLE, stream=True)
    database.table(Dashboard, DASHBOARD_TABLE)
    world = World(database)
    world.put(
        *(
            item(
                n,
                source_id=f"{SOURCES[n % 2]}#article-{n:05}",
                source_type=SOURCES[n % 2],
                ingested_at=at(n * 3),
                matched_tags=TAGS[n % 4],
            )
            for n in range(40)
        )
    )
    world.project()
    return world


@pytest.fixture
def filled(forty: World, monkeypatch: pytest.MonkeyPatch) -> Http:
    """The API over items that no test changes."""
    return Http(forty, monkeypatch)


def numbers(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.text
    return [int(one["source_id"][-5:]) for one in answer.json["items"]]


def test_items_come_newest_first_in_the_form_of_the_document(filled: Http) -> None:
    listed = filled("GET", "/items")
    assert conforms(listed, "ItemPage")
    assert numbers(listed) == list(range(20))
    assert listed.json["items"][1] == {
        "source_id": "twitter#article-00001",
        "source_type": "twitter",
        "ingested_at": at(3),
        "sentiment": "neutral",
        "score": 0.01,
        "matched_tags": ["AI", "C#"],
        "text_snippet": item().text_snippet,
        "source_url": item().source_url,
    }
    assert "matched_tags" not in listed.json["items"][3]


ASKED: list[tuple[dict[str, Any], list[int]]] = [
    ({"tag": "AI"}, [n for n in range(40) if n % 4 < 2]),
    ({"tag": "C#"}, [n for n in range(40) if n % 4 == 1]),
    ({"tag": "never seen"}, []),
    ({"source_type": "twitter"}, [n for n in range(40) if n % 2]),
    ({"source_type": "reddit"}, []),
    ({"since": at(9)}, [0, 1, 2, 3]),
    ({"since": iso_utc(NOW + timedelta(days=1))}, []),
    ({"since": "1970-01-01T00:00:00.000Z"}, list(range(40))),
    ({"since": at(9).replace(".000Z", ".000000+00:00")}, [0, 1, 2, 3]),
    ({"tag": "AI", "since": at(15)}, [0, 1, 4, 5]),
    ({"tag": "AI", "sentiment": "positive"}, [0, 9, 12, 21, 24, 33, 36]),
    ({"tag": "AI", "source_type": "twitter", "sentiment": "neutral"}, [1, 13, 25, 37]),
]


def test_every_parameter_narrows_the_list(filled: Http) -> None:
    for asked, expected in ASKED:
        listed = filled("GET", "/items", limit=50, **asked)
        assert conforms(listed, "ItemPage")
        assert numbers(listed) == expected, asked


def test_a_sentiment_is_listed_day_by_day_surest_first(filled: Http) -> None:
    listed = filled("GET", "/items", sentiment="negative", source_type="newsapi")
    assert {one["sentiment"] for one in listed.json["items"]} == {"negative"}
    order = [(one["ingested_at"][:10], one["score"]) for one in listed.json["items"]]
    assert order == sorted(order, reverse=True)
    assert sorted(numbers(listed)) == [n for n in range(40) if n % 3 == 2 and n % 2 == 0]


@pytest.mark.parametrize("asked", [{}, {"tag": "AI"}, {"sentiment": "neutral"}])
def test_a_list_is_paged_to_its_end(filled: Http, asked: dict[str, Any]) -> None:
    whole = filled("GET", "/items", limit=100, **asked).json["items"]
    found: list[Any] = []
    cursor: dict[str, Any] = {}
    for _ in range(20):
        page = filled("GET", "/items", limit=7, **asked, **cursor)
        assert len(page.json["items"]) <= 7
        found += page.json["items"]
        if page.json["next_cursor"] is None:
            break
        cursor = {"cursor": page.json["next_cursor"]}
    assert found == whole
    assert len(whole) > 7


def test_a_cursor_serves_its_caller_and_its_list_only(filled: Http) -> None:
    cursor = filled("GET", "/items", limit=5, tag="AI").json["next_cursor"]
    assert numbers(filled("GET", "/items", limit=2, tag="AI", cursor=cursor)) == [9, 12]
    another = {"cursor": "the cursor was issued to another caller"}
    stolen = filled("GET", "/items", tag="AI", cursor=cursor, claims=READER)
    assert problem(stolen, 400) == another
    elsewhere = {"cursor": "the cursor belongs to another list or to other arguments"}
    others: list[tuple[str, dict[str, Any]]] = [
        ("/items", {}),
        ("/items", {"tag": "C#"}),
        ("/items", {"tag": "AI", "sentiment": "neutral"}),
        ("/items", {"tag": "AI", "since": at(9)}),
        ("/rejected", {}),
    ]
    for path, asked in others:
        assert problem(filled("GET", path, cursor=cursor, **asked), 400) == elsewhere, asked
    unknown = {"cursor": "the cursor is not one that was issued here"}
    flipped = cursor[:40] + ("A" if cursor[40] != "A" else "B") + cursor[41:]
    for edited in ("x", "é", cursor[:-1], cursor + "A", cursor + "=", flipped, "A" * 5000):
        assert problem(filled("GET", "/items", tag="AI", cursor=edited), 400) == unknown, edited


EMPTY = "must not be empty: leave it out, or give it a value"
GIVEN_EMPTY = [
    *(("/items", name) for name in ("tag", "sentiment", "since", "limit", "cursor")),
    ("/summary", "hours"),
    ("/rejected", "day"),
]
LIMIT = {"limit": "must be 1 to 100"}
HOURS = {"hours": "must be 1 to 168"}
SINCE = "must be a time in ISO 8601, such as 2025-11-16T10:00:00Z"
NAIVE = "must name its time zone, such as Z or +00:00, and lie in the years 1 to 9999"
WORDS = {"sentiment": "must be one of positive, neutral, negative"}
SOURCE = {"source_type": "must be one of newsapi, twitter, reddit"}
REFUSED: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    *(("/items", {"limit": n}, LIMIT) for n in ("0", "-1", "101", "1009", "ten", "1.0")),
    ("/items", {"limit": "\uff11"}, LIMIT),
    ("/items", {"limit": "0000001009"}, LIMIT),
    ("/items", {"limit": "9" * 5000}, LIMIT),
    ("/rejected", {"limit": "0"}, LIMIT),
    *(("/summary", {"hours": n}, HOURS) for n in ("0", "169", "-1", "day", "0001680")),
    ("/items", {"sentiment": "angry"}, WORDS),
    ("/items", {"source_type": "rss"}, SOURCE),
    ("/summary", {"source_type": "Twitter"}, SOURCE),
    *((path, {name: ""}, {name: EMPTY}) for path, name in GIVEN_EMPTY),
    ("/items", {"tag": "x" * 51}, {"tag": "must have 1 to 50 characters"}),
    ("/items", {"tag": "a|b"}, {"tag": "must be text without '|'"}),
    ("/items", {"since": "yesterday"}, {"since": SINCE}),
    ("/items", {"since": "2099-03-04T14:30:15"}, {"since": NAIVE}),
    ("/items", {"since": "2099-02-30T14:30:15.000Z"}, {"since": SINCE}),
    (
        "/items",
        {"sentiment": "neutral", "since": at(1)},
        {"since": "can be asked with a tag or alone: a sentiment's items come by score"},
    ),
    ("/rejected", {"day": "today"}, {"day": "must be a date of the form YYYY-MM-DD"}),
    ("/rejected", {"day": "2099-02-30"}, {"day": "must be a day that exists"}),
    ("/items", {"form": "1"}, {"form": "is not one of cursor, limit, sentiment, since, "
                               "source_type, tag"}),
    ("/summary", {"limit": "1"}, {"limit": "is not one of hours, source_type"}),
    ("/rejected", {"tag": "AI"}, {"tag": "is not one of cursor, day, limit"}),
]  # fmt: skip


def test_a_bad_question_is_refused_with_what_is_accepted(filled: Http) -> None:
    for path, asked, errors in REFUSED:
        assert problem(filled("GET", path, **asked), 400) == errors, (path, asked)


def test_the_most_that_may_be_asked_for_is_answered(filled: Http) -> None:
    assert len(numbers(filled("GET", "/items", limit=100))) == 40
    assert len(filled("GET", "/summary", hours=168).json["hours"]) == 168
    assert len(numbers(filled("GET", "/items", limit="1"))) == 1


def test_the_summary_counts_sentiments_tags_and_hours(filled: Http) -> None:
    day = filled("GET", "/summary")
    assert conforms(day, "Summary")
    assert (day.json["since"], day.json["until"]) == (
        "2099-03-03T15:00:00.000Z",
        "2099-03-04T15:00:00.000Z",
    )
    assert day.json["distribution"] == {"positive": 3, "neutral": 3, "negative": 2}
    assert day.json["tags"] == [
        {"tag": "AI", "count": 4},
        {"tag": "C#", "count": 2},
        {"tag": "music", "count": 2},
    ]
    assert day.json["hours"][-1] == {
        "hour": "2099-03-04T14:00:00.000Z",
        "positive": 1,
        "neutral": 0,
        "negative": 0,
    }
    twitter = filled("GET", "/summary", hours=6, source_type="twitter").json
    assert sum(twitter["distribution"].values()) == 1
    assert filled("GET", "/summary", hours=1, source_type="reddit").json["tags"] == []


def test_what_was_rejected_is_listed_by_day(world: World, http: Http) -> None:
    for days in range(2):
        moment = iso_utc(NOW - timedelta(days=days))
        refused = world.ingestion().ingest(["nonsense", {"text": days}, days], moment).rejected
        world.ingestion().put_rejected(refused, moment)
    today = http("GET", "/rejected")
    assert conforms(today, "RejectedPage")
    assert {one["day"] for one in today.json["items"]} == {TODAY}
    assert len(today.json["items"]) == 3
    assert http("GET", "/rejected", day=TODAY).json == today.json
    first = http("GET", "/rejected", limit=2)
    rest = http("GET", "/rejected", limit=2, cursor=first.json["next_cursor"])
    assert first.json["items"] + rest.json["items"] == today.json["items"]
    yesterday = http("GET", "/rejected", day="2099-03-03")
    assert len(yesterday.json["items"]) == 3
    assert http("GET", "/rejected", day="2099-03-01").json == NOTHING


@pytest.mark.parametrize("path", ["/items", "/summary", "/rejected"])
def test_what_the_caller_has_is_not_sent_again(filled: Http, path: str) -> None:
    first = filled("GET", path)
    assert first.status == 200
    etag = first.headers["etag"]
    for named in (etag, f"W/{etag}", f'"other", {etag}'):
        again = filled("GET", path, headers={"If-None-Match": named})
        assert (again.status, again.text, again.headers["etag"]) == (304, "", etag)
    assert filled("GET", path, headers={"If-None-Match": '"other"'}).text == first.text


def test_a_new_item_changes_the_tag_of_the_list(http: Http, world: World) -> None:
    etag = http("GET", "/items").headers["etag"]
    world.put(item(1))
    world.project()
    changed = http("GET", "/items", headers={"If-None-Match": etag})
    assert changed.status == 200
    assert changed.headers["etag"] != etag


@pytest.mark.parametrize("path", ["/items", "/summary", "/rejected"])
def test_data_is_kept_by_its_receiver_alone_and_for_moments(filled: Http, path: str) -> None:
    headers = filled("GET", path).headers
    assert headers["cache-control"] == "private, max-age=2"
    assert headers["vary"] == "Authorization"


def test_consumed_units_are_shown_only_where_they_may_be(
    forty: World, filled: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "x-consumed-read-units" not in filled("GET", "/items").headers
    metered = Http(forty, monkeypatch, show_capacity=True)
    for path in ("/items", "/summary"):
        assert Decimal(metered("GET", path).headers["x-consumed-read-units"]) > 0
    one = metered("GET", "/items", limit=1)
    assert Decimal(one.headers["x-consumed-read-units"]) == Decimal("0.5")


@pytest.mark.parametrize("path", ["/items", "/rejected"])
def test_a_token_that_names_nobody_gets_no_list(filled: Http, path: str) -> None:
    problem(filled("GET", path, claims={"cognito:groups": "[writers]"}), 403)


def test_a_busy_table_is_told_as_such(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    http = Http(world, monkeypatch, Faulty(world.edge, Fault(0, "throttled")))
    busy = http("GET", "/items")
    problem(busy, 503)
    assert busy.headers["retry-after"] == "1"
    assert http("GET", "/items").json == NOTHING


@pytest.mark.parametrize("path", ["/items", "/summary", "/rejected"])
def test_every_answer_says_how_old_it_may_be(
    forty: World, filled: Http, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    assert filled("GET", path).json["stale_seconds"] == 0
    cached = Http(forty, monkeypatch, stale_seconds=300)
    assert cached("GET", path).json["stale_seconds"] == 300


def test_the_document_is_served(filled: Http) -> None:
    assert filled("GET", "/openapi.json").json == CONTRACT.document


@pytest.mark.parametrize("path", ["/nothing", "/", "/config.json", "/api.js", "/items/", "/Items"])
def test_nothing_is_at_another_address(filled: Http, path: str) -> None:
    problem(filled("GET", path), 404)
