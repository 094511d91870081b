"""What each sentiment function calls and what its role allows are the same, both ways."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from lambdas.sentiment import contract
from lambdas.sentiment.handlers import (
    analyse,
    api,
    heal_news,
    ingest,
    news_api,
    project_items,
    serve_page,
)
from lambdas.sentiment.ingestion.articles import article as article_of
from tablewright.catalog.news.design import SOURCE_TYPES as NEWS_SOURCES
from tablewright.catalog.news.design import News, news_healing
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import CLAIMED, PENDING, SOURCE_TYPES, Guard, Items
from tablewright.model import Table, replaced
from tablewright.model.fields.time import iso_utc
from tablewright.model.regions import ActiveRegion, RegionSwitch
from tablewright.testing import Privileges, least_privilege
from tablewright.testing.dynamodb_local import DynamoDbLocal
from tablewright.testing.privileges.platform import (
    FAILED_EVENTS,
    FAILURES,
    LOGS_AND_TRACES,
    QUEUE,
    STREAM,
)
from tests.infrastructure.synthesis import Assembly, Template, environment
from tests.integration.cloud import Cloud
from tests.integration.http import Context
from tests.integration.sentiment.conftest import (
    DASHBOARD_TABLE,
    ITEMS_TABLE,
    NEWS_TABLE,
    World,
    item,
)
from tests.integration.sentiment.http import CONFIG, CONTRACT
from tests.integration.sentiment.moments import NOW
from tests.integration.sentiment.news import analysed as analysed_news
from tests.integration.sentiment.news import raw as raw_news
from tests.integration.sentiment.news import seconds
from tests.integration.sentiment.sources.newsapi_server import KEY, NewsApiServer, article
from tests.integration.sentiment.sources.server import running
from tests.integration.session import HOME, Aws, start

VIRGINIA, AWAY = "us-east-1", "us-west-2"
SWITCH_TABLE = "switch"
MOMENT = iso_utc(NOW)
NAMES = {
    "ITEMS_TABLE": ITEMS_TABLE,
    "DASHBOARD_TABLE": DASHBOARD_TABLE,
    "NEWS_TABLE": NEWS_TABLE,
    "SWITCH_TABLE": SWITCH_TABLE,
    "TOPIC_ARN": "topic",
    "SOURCES_SECRET_ARN": "keys of the sources",
    "CURSOR_SECRET_ARN": "cursor key",
}
SECRETS = {"keys of the sources": json.dumps({"newsapi_api_key": KEY}), "cursor key": "s" * 64}
PLATFORM = {
    "Ingest": FAILED_EVENTS,
    "NewsHeal": FAILED_EVENTS,
    "Analyse": QUEUE,
    "Project": STREAM | FAILURES,
}
SETTINGS = {**NAMES, "PAGE_CONFIG": json.dumps(CONFIG)}
MODULES = (ingest, analyse, project_items, api, news_api, heal_news)
# Keys that no function has a reason to touch, though some look much alike.
STRANGE = ["rss#1", "newsapi", "xnewsapi#1", "Twitter#1", "reddit", "reddi#1", "", "*", "rejected"]

# A function of a template, its region, and the one that is active where that is another.
Used = Callable[..., Aws]


def use_ingest(aws: Aws, _: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items of every source, one that somebody else claims meanwhile, a bad one, and a poll."""
    guards = aws.store(Items, ITEMS_TABLE)
    guard = Guard(source_id="twitter#2", item_ingested_at=iso_utc(NOW), state=CLAIMED)
    items = [
        {"source_id": f"{source}#{n}", "source_type": source, "text": "AI"}
        for n in (1, 2)
        for source in SOURCE_TYPES
    ]
    ingest.handler({"items": items[:3]}, Context())
    aws.before["PutItem"] = lambda: guards.put(Items.claim_source, guard)
    answer = ingest.handler({"items": [items[4], "nonsense"]}, Context())
    assert answer == {"stored": 1, "duplicates": 0, "rejected": 1}
    with running() as server:
        server.application = NewsApiServer([article(1)])
        settings = {"sources": ["newsapi"], "newsapi_url": server.url}
        monkeypatch.setenv("SOURCES", json.dumps(settings))
        polled = ingest.handler({"detail-type": "Scheduled Event"}, Context())
    assert polled["newsapi"]["stored"] == 1
    _ingest_news(aws)


def _ingest_news(aws: Aws) -> None:
    """News of every source, one that somebody else stores meanwhile, and a company more."""
    news = aws.store(News, NEWS_TABLE)
    for source in NEWS_SOURCES:
        mine = raw_news(1, source_id=f"{source}:1", source_type=source)
        theirs = article_of({**mine, "matched_tickers": ["ABC"]}, MOMENT)
        aws.before["PutItem"] = partial(news.put, News.put_news, theirs)
        assert ingest.handler({"news": [mine]}, Context())["duplicates"] == 1
        more = {**mine, "source_id": f"{source}:2"}
        assert ingest.handler({"news": [more]}, Context())["stored"] == 1


def use_analyse(aws: Aws, _: World, __: pytest.MonkeyPatch) -> None:
    """A pending item of every source, then the same again with another text."""
    store = aws.store(Items, ITEMS_TABLE)
    for source in SOURCE_TYPES:
        pending = item(source_id=f"{source}#1", source_type=source, status=PENDING)
        store.put(Items.put_item, pending)
        for message in ("so good", "so bad"):
            key = {name: pending[name] for name in ("source_id", "ingested_at")}
            analyse_text({**key, "source_type": source}, message)
    news = aws.store(News, NEWS_TABLE)
    for source in NEWS_SOURCES:
        mine = raw_news(1, source_id=f"{source}:1", source_type=source)
        news.put(News.put_news, article_of(mine, MOMENT))
        for message in ("so good", "so bad"):
            analyse_text({"source_id": f"{source}:1", "source_type": source}, message)


def analyse_text(asked: dict[str, str], text: str) -> None:
    record = {"messageId": "1", "body": json.dumps({**asked, "text_for_analysis": text})}
    assert analyse.handler({"Records": [record]}, Context()) == {"batchItemFailures": []}


def use_project(_: Aws, world: World, __: pytest.MonkeyPatch) -> None:
    """An analysed item of every source, one of them removed again, then all of it redriven."""
    items = [item(source_id=f"{source}#1", source_type=source) for source in SOURCE_TYPES]
    world.put(*items)
    world.remove(items[0])
    for event in ({}, {"redrive": True}):
        answer = project_items.handler({"Records": world.stream(), **event}, Context())
        assert answer == {"batchItemFailures": []}


def use_api(_: Aws, world: World, __: pytest.MonkeyPatch) -> None:
    """Every route, and the second page of a list."""
    world.put(item(1), item(2))
    world.project()

    def get(path: str, **query: Any) -> dict[str, Any]:
        event = CONTRACT.event("GET", path, None, claims={"sub": "ada"}, query=query)
        answer = api.handler(event, Context())
        assert answer["statusCode"] == 200, path
        return answer

    others = (contract.PAGE_CONFIG, contract.LIST_NEWS, contract.NEWS_EVENTS)
    elsewhere = {route.path for route in others}
    for path in CONTRACT.document["paths"].keys() - elsewhere:
        get(path)
    get("/items", sentiment="neutral")
    first = json.loads(get("/items", tag="AI", limit=1)["body"])
    get("/items", tag="AI", limit=1, cursor=first["next_cursor"])


def use_page(_: Aws, __: World, ___: pytest.MonkeyPatch) -> None:
    """Every file, and the settings."""
    for path in (route.path for route in contract.page_routes()):
        event = CONTRACT.event("GET", path, None, claims={}, query={})
        assert serve_page.handler(event, Context())["statusCode"] == 200, path


def use_news_api(aws: Aws, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list, and the stream from its beginning and from a place."""
    records = world.news()._requests["NewsItem"].records
    world.database.write([records.to_item(analysed_news(1, NOW))], NEWS_TABLE)

    def get(path: str, headers: dict[str, str], **query: Any) -> str:
        claims = {"sub": "ada"}
        event = CONTRACT.event("GET", path, None, claims=claims, query=query, headers=headers)
        answer = news_api.handler(event, Context())
        assert answer["statusCode"] == 200, answer
        return str(answer["body"])

    get("/news", {}, sentiment="neutral")
    id = re.findall("^id: (.*)$", get("/news/events", {}), re.MULTILINE)[0]
    get("/news/events", {"last-event-id": id})


def use_heal(aws: Aws, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that asks, finds one done meanwhile, and parks."""
    news = aws.store(News, NEWS_TABLE)
    # Both long ago, as the function sees it, and not expired, as the engine does.
    then = datetime.now(UTC) - timedelta(hours=2)
    plan = news_healing()
    for number, attempts in ((1, None), (2, 5), (3, None)):
        one = article_of(raw_news(number, timestamp=seconds(then)), MOMENT)
        news.put(News.put_news, replaced(one, heal_attempts=attempts))
    key = {"source_id": "tiingo:3"}
    done = {**plan.done, "sentiment": "neutral"}
    aws.before["UpdateItem"] = partial(news.update, News.record_analysis, key, done)
    answer = heal_news.handler({}, Context())
    assert (answer["found"], answer["republished"], answer["parked"]) == (3, 1, 1)


USES: dict[str, Callable[[Aws, World, pytest.MonkeyPatch], None]] = {
    "Ingest": use_ingest,
    "Analyse": use_analyse,
    "Project": use_project,
    "Api": use_api,
    "Page": use_page,
    "NewsApi": use_news_api,
    "NewsHeal": use_heal,
}


def rights_of(template: Template, function: str, calls: Aws | None = None) -> Privileges:
    platform = LOGS_AND_TRACES | PLATFORM.get(function, frozenset())
    name = f"{function}Function"
    return least_privilege(template, name, names=NAMES, platform=platform, calls=calls)


@pytest.fixture
def used(world: World, dynamodb_local: DynamoDbLocal, monkeypatch: pytest.MonkeyPatch) -> Used:
    """Makes a function of a template, as it makes itself, do all that it does."""

    def use(template: Template, function: str, home: str, active: str | None = None) -> Aws:
        told = environment(template, function)
        written: dict[type[Table], str] = {Items: active or home, News: active or home}
        aws = Aws(dynamodb_local, world.database, Cloud(SECRETS), home, written)
        start(monkeypatch, aws, told, SETTINGS, *MODULES)
        if home != HOME:
            aws.create(RegionSwitch, SWITCH_TABLE)
            if active:
                chosen = replaced(ActiveRegion(**ActiveRegion.__entity__.example), region=active)
                aws.store(RegionSwitch, SWITCH_TABLE).put(RegionSwitch.first_move, chosen)
            aws.create(Items, ITEMS_TABLE)
            aws.create(Dashboard, DASHBOARD_TABLE)
            aws.create(News, NEWS_TABLE)
        USES[function](aws, world, monkeypatch)
        return aws

    return use


@pytest.mark.parametrize("function", USES)
def test_a_role_allows_what_its_function_calls_and_nothing_else(
    function: str, used: Used, dev: Assembly
) -> None:
    template = dev.template("sentiment")
    aws = used(template, function, HOME)
    rights_of(template, function, aws).assert_exact()


@pytest.mark.parametrize("function", ["Ingest", "Analyse", "Project"])
def test_a_role_is_of_no_use_for_items_of_other_sources(function: str, dev: Assembly) -> None:
    rights = rights_of(dev.template("sentiment"), function)
    on_items = {call for call in rights.granted if call[1] == ITEMS_TABLE}
    assert on_items
    for action, place in on_items:
        assert all(rights.allows(action, place, f"{source}#1") for source in SOURCE_TYPES)
        assert not [key for key in STRANGE if rights.allows(action, place, key)]


@pytest.mark.parametrize("function", ["Ingest", "Analyse"])
def test_a_role_is_of_no_use_for_news_of_other_sources(function: str, dev: Assembly) -> None:
    rights = rights_of(dev.template("sentiment"), function)
    on_news = {call for call in rights.granted if call[1] == NEWS_TABLE}
    assert on_news
    for action, place in on_news:
        assert all(rights.allows(action, place, f"{source}:1") for source in NEWS_SOURCES)
        assert not [key for key in (*STRANGE, "tiingo", "tiingo#1", "xtiingo:1")
                    if rights.allows(action, place, key)]  # fmt: skip


def test_ingestion_reaches_no_row_that_the_dashboard_shows(dev: Assembly) -> None:
    rights = rights_of(dev.template("sentiment"), "Ingest")
    write = ("dynamodb:BatchWriteItem", DASHBOARD_TABLE)
    assert rights.allows(*write, "rejected|2025-11-16")
    for key in ("2025-11-16", "tag|AI|2025-11-16", "counts|2025-11-16", "event|1", *STRANGE):
        assert not rights.allows(*write, key), key


@pytest.mark.parametrize(
    ("function", "active"), [("Ingest", None), ("Analyse", AWAY), ("NewsHeal", None)]
)
def test_in_every_region_a_role_allows_what_the_active_one_is_asked_for(
    function: str, active: str | None, used: Used, stage: Callable[[str], Assembly]
) -> None:
    template = stage("prod-us-east-1").template("sentiment")
    aws = used(template, function, VIRGINIA, active)
    rights = rights_of(template, function, aws)
    # prod does not trace these functions.
    assert rights.refused == {("xray:PutTelemetryRecords",), ("xray:PutTraceSegments",)}
    # Unused are the same calls in the regions that are not active.
    assert anywhere(rights.granted) == anywhere(aws.calls)
    shared = {place for _, place in rights.granted if place.startswith(ITEMS_TABLE)}
    assert len(shared) == (0 if function == "NewsHeal" else 4)


def anywhere(calls: set[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(action, place.partition(" in ")[0]) for action, place in calls}
