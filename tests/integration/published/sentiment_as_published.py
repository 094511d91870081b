"""The published code of the sentiment dashboard; only its clock and table names are parameters."""

from datetime import datetime
from typing import Any

Wire = dict[str, Any]

# The Sample Item of the document, in DynamoDB JSON: it has no status.
SAMPLE_ITEM: Wire = {
    "source_id": {"S": "newsapi#bbc-news-ai-regulation-2025-11-16"},
    "ingested_at": {"S": "2025-11-16T14:30:15.000Z"},
    "source_type": {"S": "newsapi"},
    "source_url": {"S": "https://www.bbc.com/news/technology-12345678"},
    "text_snippet": {
        "S": "European Union announces sweeping AI regulation framework targeting tech giants. "
        "The new rules will require transparency in algorithmic decision-making and impose hefty "
        "fines for violations..."
    },
    "sentiment": {"S": "neutral"},
    "score": {"N": "0.72"},
    "model_version": {"S": "v1.0.0"},
    "matched_tags": {"SS": ["AI", "regulation", "europe"]},
    "metadata": {
        "M": {
            "author": {"S": "Jane Smith"},
            "title": {"S": "EU Announces AI Regulation Framework"},
            "published_at": {"S": "2025-11-16T10:00:00Z"},
            "source_name": {"S": "BBC News"},
        }
    },
}

# The item of the document's integration test.
TEST_ITEM: dict[str, Any] = {
    "source_id": "newsapi#test-123",
    "source_type": "newsapi",
    "sentiment": "positive",
    "score": 0.85,
    "model_version": "v1.0.0",
    "matched_tags": ["test", "demo"],
}


def insert_item_if_new(dynamodb: Any, table: str, item_data: dict[str, Any], now: datetime) -> bool:
    """Access pattern 1 as published; `now` is in UTC, without a time zone as of utcnow."""
    try:
        dynamodb.put_item(
            TableName=table,
            Item={
                "source_id": {"S": item_data["source_id"]},
                "ingested_at": {"S": now.isoformat() + "Z"},
                "source_type": {"S": item_data["source_type"]},
                "status": {"S": "pending"},
                "sentiment": {"S": item_data.get("sentiment", "neutral")},
                "score": {"N": str(item_data.get("score", 0.5))},
                "model_version": {"S": item_data["model_version"]},
                "matched_tags": {"SS": item_data["matched_tags"]},
                "text_snippet": {"S": item_data.get("text_snippet", "")},
                "source_url": {"S": item_data.get("source_url", "")},
                "metadata": {"M": item_data.get("metadata", {})},
            },
            ConditionExpression="attribute_not_exists(source_id)",
        )
        return True
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False


def update_with_sentiment(
    dynamodb: Any,
    table: str,
    source_id: str,
    ingested_at: str,
    sentiment: str,
    score: float,
    model_version: str,
) -> bool:
    """Access pattern 2 as published."""
    try:
        dynamodb.update_item(
            TableName=table,
            Key={"source_id": {"S": source_id}, "ingested_at": {"S": ingested_at}},
            UpdateExpression=(
                "SET #status = :analyzed, sentiment = :sent, score = :score, model_version = :mv"
            ),
            ConditionExpression="#status = :pending",
            ExpressionAttributeNames={"#status": "status"},
            ExpressionAttributeValues={
                ":pending": {"S": "pending"},
                ":analyzed": {"S": "analyzed"},
                ":sent": {"S": sentiment},
                ":score": {"N": str(score)},
                ":mv": {"S": model_version},
            },
        )
        return True
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False


def project(dynamodb: Any, table: str, image: Wire, expires_at: int) -> None:
    """Access pattern 3 as published, with the types that DynamoDB takes: each row replaces the
    one before, because all have the same key."""
    row: Wire = {
        "day_partition": {"S": image["ingested_at"]["S"][:10]},
        "ingested_at": image["ingested_at"],
        "source_id": image["source_id"],
        "source_type": image["source_type"],
        "sentiment": image["sentiment"],
        "score": image["score"],
        "sentiment_score_combined": {
            "S": f"{image['sentiment']['S']}#{float(image['score']['N']):.2f}"
        },
        "matched_tags": image["matched_tags"],
        "text_snippet": image.get("text_snippet", {"S": ""}),
        "source_url": image.get("source_url", {"S": ""}),
        "expires_at": {"N": str(expires_at)},
    }
    dynamodb.put_item(TableName=table, Item=row)
    for tag in image["matched_tags"]["SS"]:
        dynamodb.put_item(TableName=table, Item={**row, "tag": {"S": tag}})
