"""The table of financial news as it is deployed."""

from typing import Any

from tablewright.catalog.news.constructs import NewsTable
from tests.infrastructure.synthesis import new_stack, only, template_of


def deployed(**options: Any) -> dict[str, Any]:
    stack = new_stack()
    NewsTable(stack, "News", **options)
    return only(template_of(stack), "AWS::DynamoDB::GlobalTable")


def keys(table: dict[str, Any], index: str) -> list[str]:
    (found,) = (i for i in table["GlobalSecondaryIndexes"] if i["IndexName"] == index)
    return [key["AttributeName"] for key in found["KeySchema"]]


def test_it_is_found_by_id_status_and_sentiment() -> None:
    table = deployed()
    assert [key["AttributeName"] for key in table["KeySchema"]] == ["source_id"]
    assert keys(table, "by_status") == ["status", "timestamp"]
    assert keys(table, "by_sentiment") == ["sentiment", "timestamp"]
    assert keys(table, "by_arrival") == ["sentiment", "analyzed_at"]
    projections = {
        index["IndexName"]: index["Projection"]["ProjectionType"]
        for index in table["GlobalSecondaryIndexes"]
    }
    assert projections == {
        "by_status": "KEYS_ONLY",
        "by_sentiment": "ALL",
        "by_arrival": "INCLUDE",
    }
    ttl = {"AttributeName": "ttl_timestamp", "Enabled": True}
    assert table["TimeToLiveSpecification"] == ttl


def test_the_sparse_index_is_keyed_by_what_only_waiting_items_have() -> None:
    assert keys(deployed(sparse_status=True), "by_status") == ["waiting", "timestamp"]
