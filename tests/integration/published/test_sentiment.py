"""Each example of "Data Model: Interactive Dashboard Demo", run by the sections of the document."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import boto3
import pytest

from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.sentiment_model import MODEL_VERSION, Model
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items, items_table
from tablewright.catalog.sentiment.validation import (
    validate_matched_tags,
    validate_score,
    validate_sentiment,
    validate_source_id,
    validate_timestamp,
)
from tablewright.model.fields.time import iso_utc
from tablewright.testing import Database
from tests.integration.published import sentiment_as_published as published
from tests.integration.published.sentiment_as_published import SAMPLE_ITEM, TEST_ITEM
from tests.integration.sentiment.conftest import DASHBOARD_TABLE, ITEMS_TABLE, World
from tests.integration.sentiment.http import Http
from tests.integration.sentiment.moments import NOW, TODAY

MOMENT = iso_utc(NOW)
# What `datetime.utcnow` gives.
UTCNOW = NOW.replace(tzinfo=None, microsecond=123456)


@pytest.fixture
def world(dynamodb: Database) -> World:
    dynamodb.table(Items, ITEMS_TABLE, stream=True)
    dynamodb.table(Dashboard, DASHBOARD_TABLE)
    return World(dynamodb)


@pytest.fixture
def client(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in dynamodb.environment.items():
        monkeypatch.setenv(name, value)
    return boto3.session.Session().client("dynamodb")


def insert(world: World, moment: str = MOMENT, **changes: Any) -> bool:
    return world.ingestion().insert_item_if_new({**TEST_ITEM, **changes}, moment)


def analysis(world: World) -> Analysis:
    return Analysis([world.items()], Model())


def items_of(world: World) -> list[dict[str, Any]]:
    return [one for one in world.stored() if one["ingested_at"]["S"] != "guard"]


# --- Table 1: Primary Write Table; Table 2: Read-Optimized Dashboard Table ---


@pytest.mark.parametrize("source_id", ["newsapi#article-abc123", "twitter#tweet-456789"])
def test_the_examples_of_keys_are_accepted(world: World, source_id: str) -> None:
    source_type = source_id.partition("#")[0]
    assert insert(world, source_id=source_id, source_type=source_type)
    (stored,) = items_of(world)
    assert (stored["source_id"], stored["ingested_at"]) == ({"S": source_id}, {"S": MOMENT})


@pytest.mark.parametrize(
    "metadata",
    [
        {
            "author": "John Doe",
            "title": "Article title",
            "published_at": "2025-11-16T10:00:00Z",
            "source_name": "BBC News",
        },
        {"username": "elonmusk", "retweet_count": 150, "like_count": 500},
    ],
)
def test_the_metadata_of_both_sources_are_stored(world: World, metadata: dict[str, Any]) -> None:
    assert insert(world, metadata=metadata)
    key = {"source_id": TEST_ITEM["source_id"], "ingested_at": MOMENT}
    found = world.items().get(Items.get_item, key)
    assert found is not None
    moment = {"published_at": "2025-11-16T10:00:00.000Z"} if "author" in metadata else {}
    assert found.metadata == {**metadata, **moment}


def test_a_row_has_the_published_attributes(world: World) -> None:
    insert(world, text_snippet="So good", source_url="https://example.com/1")
    world.project()
    (row,) = (one for one in world.rows() if one["day_partition"]["S"] == TODAY)
    assert row["source_id"] == {"S": "newsapi#test-123"}
    assert row["timestamp"] == {"S": MOMENT}
    assert row["ingested_at"]["S"].startswith(MOMENT)
    assert row["sentiment_score_combined"] == {"S": "positive#0.85"}
    assert sorted(row["matched_tags"]["SS"]) == ["demo", "test"]
    assert int(row["expires_at"]["N"]) == int((NOW + timedelta(days=7)).timestamp())
    assert (row["sentiment"], row["score"]) == ({"S": "positive"}, {"N": "0.85"})
    assert (row["text_snippet"]["S"], row["source_type"]["S"]) == ("So good", "newsapi")


def test_the_query_of_by_sentiment_finds_the_highest_scores_first(
    world: World, client: Any
) -> None:
    for score in (0.5, 0.85, 0.72, 1.0):
        insert(world, source_id=f"newsapi#{score}".replace(".", "-"), score=score)
    world.project()
    response = client.query(
        TableName=DASHBOARD_TABLE,
        IndexName="by_sentiment",
        KeyConditionExpression=(
            "day_partition = :day AND begins_with(sentiment_score_combined, :sent)"
        ),
        ExpressionAttributeValues={":day": {"S": TODAY}, ":sent": {"S": "positive#"}},
        ScanIndexForward=False,
        Limit=20,
    )
    found = [item["score"]["N"] for item in response["Items"]]
    assert [Decimal(score) for score in found] == [Decimal(s) for s in ("1", "0.85", "0.72", "0.5")]
    ours = world.dashboard().get_items_by_sentiment("positive", limit=20)
    assert [item.source_id for item in ours] == [i["source_id"]["S"] for i in response["Items"]]


def test_the_query_of_by_tag_finds_every_item_after_the_cutoff(world: World, client: Any) -> None:
    for hours in (0, 23, 25):
        moment = iso_utc(NOW - timedelta(hours=hours))
        insert(world, moment, source_id=f"newsapi#{hours}", matched_tags=["AI", "test"])
    world.project()
    cutoff = (NOW - timedelta(hours=24)).replace(tzinfo=None).isoformat() + "Z"
    response = client.query(
        TableName=DASHBOARD_TABLE,
        IndexName="by_tag",
        KeyConditionExpression="tag = :tag AND ingested_at > :cutoff",
        ExpressionAttributeValues={":tag": {"S": "AI"}, ":cutoff": {"S": cutoff}},
        ScanIndexForward=False,
        Limit=20,
    )
    found = [item["source_id"]["S"] for item in response["Items"]]
    assert found == ["newsapi#0", "newsapi#23"]
    ours = world.dashboard().get_items_by_tag("AI", since=iso_utc(NOW - timedelta(hours=24)))
    assert [item.source_id for item in ours] == found
    assert world.dashboard().get_items_by_tag("ai") == []


# --- Access Patterns & Consistency Model, 1 to 4 ---


def test_1_an_item_is_inserted_once_whenever_it_comes(world: World, client: Any) -> None:
    assert insert(world)
    assert not insert(world)
    assert not insert(world, iso_utc(NOW + timedelta(hours=1)))
    assert len(items_of(world)) == 1
    # As published, each moment is another key.
    for seconds in (0, 1):
        now = UTCNOW + timedelta(seconds=seconds)
        other = {**TEST_ITEM, "source_id": "newsapi#other"}
        assert published.insert_item_if_new(client, ITEMS_TABLE, other, now)


def test_1_what_is_missing_has_the_published_defaults(world: World) -> None:
    insert(world, sentiment=None, score=None)
    (stored,) = items_of(world)
    assert (stored["status"], stored["sentiment"]) == ({"S": "pending"}, {"S": "neutral"})
    assert (stored["score"], stored["model_version"]) == ({"N": "0.5"}, {"S": "v1.0.0"})


def test_1_empty_texts_are_as_good_as_none(world: World) -> None:
    assert insert(world, text_snippet="", source_url="", metadata={})
    (stored,) = items_of(world)
    assert {"text_snippet", "source_url"} & stored.keys() == set()


def test_2_only_a_pending_item_is_updated(world: World) -> None:
    insert(world, sentiment=None)
    key = (TEST_ITEM["source_id"], MOMENT)
    assert analysis(world).update_with_sentiment(*key, "negative", 0.1, "v1.2.3")
    assert not analysis(world).update_with_sentiment(*key, "positive", 0.9, "v1.2.3")
    assert not analysis(world).update_with_sentiment("newsapi#gone", MOMENT, "neutral", 1, "v1.0.0")
    (stored,) = items_of(world)
    assert (stored["status"], stored["sentiment"]) == ({"S": "analyzed"}, {"S": "negative"})
    assert (stored["score"], stored["model_version"]) == ({"N": "0.1"}, {"S": "v1.2.3"})


def test_2_an_item_that_the_published_code_stored_is_updated(world: World, client: Any) -> None:
    """Its key has six decimals, or none."""
    for now in (UTCNOW, UTCNOW.replace(microsecond=0)):
        published.insert_item_if_new(client, ITEMS_TABLE, TEST_ITEM, now)
        key = (TEST_ITEM["source_id"], now.isoformat() + "Z")
        assert analysis(world).update_with_sentiment(*key, "negative", 0.1, "v1.2.3")
    assert {one["status"]["S"] for one in items_of(world)} == {"analyzed"}


def test_3_an_item_is_a_row_of_its_day_and_one_of_each_tag(world: World) -> None:
    insert(world)
    assert world.project() == {"batchItemFailures": []}
    places = [row["day_partition"]["S"] for row in world.rows()]
    assert sorted(places) == sorted(
        [TODAY, f"tag|demo|{TODAY}", f"tag|test|{TODAY}", f"counts|{TODAY}"]
    )


def test_3_a_pending_item_is_not_projected(world: World) -> None:
    insert(world, sentiment=None)
    assert world.project() == {"batchItemFailures": []}
    assert world.rows() == []


@pytest.mark.parametrize("now", [UTCNOW, UTCNOW.replace(microsecond=0)])
def test_3_items_that_the_published_code_stored_are_projected_whole(
    world: World, client: Any, now: datetime
) -> None:
    long = {**TEST_ITEM, "text_snippet": "So good!\n" * 50, "source_url": "http://example.com"}
    for n, item in enumerate((TEST_ITEM, long)):
        item = {**item, "source_id": f"newsapi#{n}"}
        published.insert_item_if_new(client, ITEMS_TABLE, item, now)
        key = (item["source_id"], now.isoformat() + "Z")
        published.update_with_sentiment(client, ITEMS_TABLE, *key, "positive", 0.85, "v1.0.0")
    assert world.project() == {"batchItemFailures": []}
    second, first = world.dashboard().get_recent_items()
    moment = iso_utc(now.replace(tzinfo=NOW.tzinfo))
    assert (first.ingested_at, first.score, first.source_url) == (moment, Decimal("0.85"), None)
    assert (first.text_snippet, first.matched_tags) == (None, {"test", "demo"})
    assert (second.text_snippet or "").startswith("So good! So good!")
    assert len(world.dashboard().get_items_by_tag("demo")) == 2
    assert world.dashboard().get_tag_match_counts() == {"demo": 2, "test": 2}


def test_3_rows_that_the_published_processor_wrote_are_in_nobody_s_way(
    world: World, client: Any
) -> None:
    insert(world)
    (image,) = items_of(world)
    published.project(client, DASHBOARD_TABLE, image, int(NOW.timestamp()) + 7 * 86400)
    world.project()
    dashboard = world.dashboard()
    for found in (
        dashboard.get_recent_items(),
        dashboard.get_items_by_tag("demo"),
        dashboard.get_items_by_sentiment("positive"),
    ):
        assert [item.source_id for item in found] == ["newsapi#test-123"]


def test_4_recent_items_come_newest_first(world: World) -> None:
    for n in range(30):
        insert(world, iso_utc(NOW - timedelta(minutes=n)), source_id=f"newsapi#{n}")
    world.project()
    found = world.dashboard().get_recent_items()
    assert [item.source_id for item in found] == [f"newsapi#{n}" for n in range(20)]
    assert {*("source_id", "ingested_at", "sentiment", "score", "matched_tags")} <= {*found[0]}
    assert len(world.dashboard().get_recent_items(limit=5)) == 5


def test_aggregations_count_sentiments_and_tags_of_the_last_hours(world: World) -> None:
    for n, sentiment in enumerate(("positive", "positive", "negative")):
        moment = iso_utc(NOW - timedelta(hours=20 * n))
        insert(world, moment, source_id=f"newsapi#{n}", sentiment=sentiment)
    insert(world, source_id="reddit#1", source_type="reddit", matched_tags=["demo"])
    world.project()
    dashboard = world.dashboard()
    assert dashboard.get_sentiment_distribution("newsapi", hours=24) == {
        "positive": 2, "neutral": 0, "negative": 0,
    }  # fmt: skip
    assert dashboard.get_sentiment_distribution("newsapi", hours=48)["negative"] == 1
    assert dashboard.get_tag_match_counts("newsapi", hours=24) == {"demo": 2, "test": 2}
    assert dashboard.get_tag_match_counts(None, hours=24) == {"demo": 3, "test": 2}


# --- State Transitions: in two passes, and in the single pass of the demo ---


def test_an_item_goes_from_pending_to_analyzed_to_the_dashboard(world: World) -> None:
    insert(world, sentiment=None, text="A wonderful, great success!")
    assert world.dashboard().get_recent_items() == []
    (message,) = world.inbox.messages
    assert analysis(world).carry_out(Request.parse(message))
    world.project()
    (shown,) = world.dashboard().get_recent_items()
    assert shown.sentiment == "positive"
    (stored,) = items_of(world)
    assert stored["model_version"] == {"S": MODEL_VERSION}


def test_an_item_with_its_sentiment_is_shown_in_a_single_pass(world: World) -> None:
    insert(world)
    world.project()
    (shown,) = world.dashboard().get_recent_items()
    assert (shown.sentiment, shown.score) == ("positive", Decimal("0.85"))
    assert world.inbox.messages == []


def test_an_item_without_text_is_analyzed_as_the_placeholder(world: World) -> None:
    insert(world, sentiment=None)
    (message,) = world.inbox.messages
    assert analysis(world).carry_out(Request.parse(message))
    world.project()
    (shown,) = world.dashboard().get_recent_items()
    assert (shown.sentiment, shown.score) == ("neutral", Decimal("0.5"))


# --- Validation Rules ---


@pytest.mark.parametrize("form", ["invalid format", "newsapi#" + "x" * 300, "newsapi#a\n"])
def test_a_source_id_of_another_form_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match="source_id must"):
        validate_source_id(form)


@pytest.mark.parametrize(
    "timestamp",
    [
        "2025-11-16T10:00:00Z",
        "2025-11-16T14:30:00.000Z",
        "2025-11-16T14:30:00.123456789Z",
        "2025-11-16T14:30:00+00:00",
        "2025-11-16T14:30:00.5-05:00",
    ],
)
def test_a_timestamp_of_iso_8601_with_a_zone_is_valid(timestamp: str) -> None:
    assert validate_timestamp(timestamp) is True


@pytest.mark.parametrize(
    "timestamp", ["yesterday", "2025-02-30T10:00:00Z", "", "2025-11-16T10:00:00"]
)
def test_another_timestamp_is_refused(timestamp: str) -> None:
    with pytest.raises(ValueError, match="timestamp must"):
        validate_timestamp(timestamp)


def test_a_sentiment_is_one_of_three() -> None:
    assert all(map(validate_sentiment, ("positive", "neutral", "negative")))
    with pytest.raises(ValueError, match="must be one of positive, neutral, negative"):
        validate_sentiment("happy")


def test_matched_tags_are_at_most_five_of_at_most_fifty_characters() -> None:
    assert validate_matched_tags(["AI", "regulation", "europe", "x" * 50, "5"]) is True
    assert validate_matched_tags([]) is True
    for tags in (list("abcdef"), ["x" * 51], [""], ["  "]):
        with pytest.raises(ValueError, match="matched_tags"):
            validate_matched_tags(tags)


# --- Data Retention & Cleanup: `set_item_ttl` is `items_table(days=30)` ---


def test_an_item_expires_after_thirty_days() -> None:
    table = items_table(days=30)
    item = table.__design__.attributes(
        table.__design__.entities["Item"], table.__design__.entities["Item"].made(**EXAMPLE)
    )
    assert item["expires_at"] == int((NOW + timedelta(days=30)).timestamp())


# --- Sample Item ---


def test_the_sample_item_is_read_as_it_is(world: World, client: Any) -> None:
    client.put_item(TableName=ITEMS_TABLE, Item=SAMPLE_ITEM)
    key = {name: SAMPLE_ITEM[name]["S"] for name in ("source_id", "ingested_at")}
    found = world.items().get(Items.get_item, key)
    assert found is not None
    assert found.matched_tags == {"AI", "regulation", "europe"}
    assert (found.sentiment, found.score) == ("neutral", Decimal("0.72"))
    assert found.text_snippet == SAMPLE_ITEM["text_snippet"]["S"]
    assert (found.metadata or {})["published_at"] == "2025-11-16T10:00:00Z"


def test_the_sample_item_is_accepted_by_the_api_and_shown(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = {name: next(iter(wire.values())) for name, wire in SAMPLE_ITEM.items()}
    sample["metadata"] = {n: wire["S"] for n, wire in SAMPLE_ITEM["metadata"]["M"].items()}
    sample["score"] = float(sample["score"])
    http = Http(world, monkeypatch)
    taken = http("POST", "/items", sample)
    assert taken.json == {"stored": 1, "duplicates": 0, "rejected": []}
    assert http("POST", "/items", {"items": [sample]}).json["duplicates"] == 1
    (image,) = items_of(world)
    assert image["ingested_at"] == SAMPLE_ITEM["ingested_at"]
    assert image["score"] == {"N": "0.72"}
    assert sorted(image["matched_tags"]["SS"]) == ["AI", "europe", "regulation"]
    world.project()
    assert [row["sentiment"]["S"] for row in world.rows() if "tag" in row] == ["neutral"] * 3


# As `insert_item_if_new` writes it: pending, with placeholders, and with what it leaves empty.
WRITTEN: dict[str, Any] = {
    "source_id": "newsapi#test-124",
    "ingested_at": "2025-11-16T14:30:15.123456Z",
    "source_type": "newsapi",
    "status": "pending",
    "sentiment": "neutral",
    "score": 0.5,
    "model_version": "v1.0.0",
    "matched_tags": ["test"],
    "text_snippet": "",
    "source_url": "",
    "metadata": {},
}


@pytest.mark.parametrize("placeholder", [{}, {"sentiment": "positive", "score": 0.9}])
def test_a_pending_item_with_placeholders_is_accepted_and_analyzed(
    world: World, monkeypatch: pytest.MonkeyPatch, placeholder: dict[str, Any]
) -> None:
    http = Http(world, monkeypatch)
    assert http("POST", "/items", {**WRITTEN, **placeholder}).json["stored"] == 1
    (image,) = items_of(world)
    assert (image["status"], image["sentiment"]) == ({"S": "pending"}, {"S": "neutral"})
    assert image["ingested_at"] == {"S": "2025-11-16T14:30:15.123Z"}
    (message,) = world.inbox.messages
    assert json.loads(message)["source_id"] == "newsapi#test-124"


@pytest.mark.parametrize(
    ("wrong", "detail"),
    [
        ({"ingested_at": "9000-01-01T00:00:00Z"}, "future"),
        ({"ingested_at": "2025-11-16T14:30:15"}, "time zone"),
        ({"ingested_at": 1763303415}, "ISO 8601"),
        ({"status": "done"}, "must be pending or analyzed"),
        ({"status": "analyzed", "sentiment": None}, "needs a sentiment"),
    ],
)
def test_a_moment_and_a_status_that_cannot_be_are_refused(
    world: World, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], detail: str
) -> None:
    refused = Http(world, monkeypatch)("POST", "/items", {**WRITTEN, **wrong})
    assert refused.status == 400
    assert any(detail in error["detail"] for error in refused.json["errors"])
    assert items_of(world) == []


# --- Security & Compliance, IAM Least-Privilege: the condition that the published policy means ---


def test_writing_is_allowed_on_keys_of_one_source_type_only() -> None:
    from aws_cdk import App, Stack
    from aws_cdk import aws_iam as iam
    from aws_cdk.assertions import Template

    from tablewright.catalog.sentiment.constructs import SentimentItemsTable

    stack = Stack(App(), "Stack")
    role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    items = SentimentItemsTable(stack, "Items")
    items.grant(role, Items.put_item, Items.record_analysis, keys=["newsapi#*"])
    (policy,) = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    granted = {a for one in statements for a in _listed(one["Action"])}
    assert {"dynamodb:PutItem", "dynamodb:UpdateItem"} <= granted
    for statement in statements:
        keys = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        assert _listed(keys) == ["newsapi#*"]


# --- Testing Strategy, Unit Tests: as published ---


def test_validate_source_id() -> None:
    assert validate_source_id("newsapi#article-123") == True  # noqa: E712

    with pytest.raises(ValueError):  # noqa: PT011
        validate_source_id("invalid format")  # No '#'

    with pytest.raises(ValueError):  # noqa: PT011
        validate_source_id("newsapi#" + "x" * 300)  # Too long


def test_validate_score() -> None:
    assert validate_score(0.5) == True  # noqa: E712
    assert validate_score(0.0) == True  # noqa: E712
    assert validate_score(1.0) == True  # noqa: E712

    with pytest.raises(ValueError):  # noqa: PT011
        validate_score(-0.1)  # Below range

    with pytest.raises(ValueError):  # noqa: PT011
        validate_score(1.5)  # Above range


# --- Testing Strategy, Integration Tests: as published, on DynamoDB Local ---


def test_insert_and_query_item(world: World) -> None:
    insert_item_if_new = world.ingestion().insert_item_if_new

    # Insert test item
    result = insert_item_if_new(
        {
            "source_id": "newsapi#test-123",
            "source_type": "newsapi",
            "sentiment": "positive",
            "score": 0.85,
            "model_version": "v1.0.0",
            "matched_tags": ["test", "demo"],
        }
    )

    assert result == True  # noqa: E712

    # Verify deduplication
    result = insert_item_if_new({**TEST_ITEM, "source_id": "newsapi#test-123"})  # Duplicate

    assert result == False  # noqa: E712  # Should skip duplicate

    world.project()  # what the stream does
    get_recent_items = world.dashboard(now=datetime.now(UTC)).get_recent_items

    # Query recent items
    items = get_recent_items(source_type="newsapi", limit=10)
    assert len(items) == 1
    assert items[0]["source_id"] == "newsapi#test-123"


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


EXAMPLE = {
    "source_id": "newsapi#test-123",
    "ingested_at": MOMENT,
    "source_type": "newsapi",
    "sentiment": "neutral",
    "score": Decimal("0.5"),
    "model_version": "v1.0.0",
    "status": "pending",
}
