"""The baseline of `projection`: the published schema's own stream processor, made to run.

Only what keeps it from running, or rows from standing, is different: scores are Decimal, tags a
set, times UTC, and the rows of tags, which had the key of their item's row, carry their tag in it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

DAYS_SHOWN = timedelta(days=7)


def process(records: Iterable[dict[str, Any]], table: Any) -> None:
    """Put the rows of each analysed item into a table of boto3's resource, one after the other."""
    for record in records:
        if record["eventName"] in ("INSERT", "MODIFY"):
            for row in rows(record["dynamodb"]["NewImage"], datetime.now(UTC)):
                table.put_item(Item=row)


def rows(image: dict[str, Any], now: datetime) -> list[dict[str, Any]]:
    """The item's row and, in the same partition, a copy of it for each tag."""
    if image.get("status", {}).get("S") != "analyzed":
        return []
    moment, sentiment = image["ingested_at"]["S"], image["sentiment"]["S"]
    score = Decimal(image["score"]["N"])
    tags = image.get("matched_tags", {}).get("SS", [])
    row = {
        "day_partition": moment[:10],
        "ingested_at": moment,
        "source_id": image["source_id"]["S"],
        "source_type": image["source_type"]["S"],
        "sentiment": sentiment,
        "score": score,
        "sentiment_score_combined": f"{sentiment}#{score:.2f}",
        "text_snippet": image.get("text_snippet", {}).get("S", ""),
        "source_url": image.get("source_url", {}).get("S", ""),
        "expires_at": int((now + DAYS_SHOWN).timestamp()),
    }
    if tags:
        row["matched_tags"] = set(tags)
    return [row, *({**row, "ingested_at": f"{moment}#{tag}", "tag": tag} for tag in tags)]
