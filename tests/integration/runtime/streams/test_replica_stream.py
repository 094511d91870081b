"""The custom resource that tells the stream of a replica, and always answers CloudFormation."""

from collections.abc import Iterator

import pytest

from tablewright.catalog.news.design import News
from tablewright.catalog.sentiment.items import Items
from tablewright.runtime.streams.replica_stream import handler
from tablewright.testing import Database
from tests.integration.runtime.formation import CloudFormation, formation


@pytest.fixture
def asking(dynamodb: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[CloudFormation]:
    for name, value in {**dynamodb.environment, "AWS_DEFAULT_REGION": "eu-west-1"}.items():
        monkeypatch.setenv(name, value)
    with formation() as asking:
        yield asking


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_the_stream_is_told(request_type: str, dynamodb: Database, asking: CloudFormation) -> None:
    dynamodb.table(Items, "items", stream=True)
    arn = dynamodb.client().describe_table(TableName="items")["Table"]["LatestStreamArn"]
    answer = asking.ask(handler, request_type, "items", TableName="items")
    assert answer == {"Status": "SUCCESS", "Data": {"StreamArn": arn}}
    # The address is signed for a request without one.
    assert asking.types == [""]


def test_a_table_without_a_stream_is_a_failure_that_says_so(
    dynamodb: Database, asking: CloudFormation
) -> None:
    dynamodb.table(News, "news")
    answer = asking.ask(handler, "Create", "news", TableName="news")
    assert answer["Status"] == "FAILED"
    assert "news has no stream in this region" in answer["Reason"]


def test_a_table_that_is_not_there_is_a_failure_that_says_so(asking: CloudFormation) -> None:
    answer = asking.ask(handler, "Create", "missing", TableName="missing")
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("ResourceMissing")


def test_what_is_deleted_needs_no_table(asking: CloudFormation) -> None:
    assert asking.ask(handler, "Delete", "missing", TableName="missing") == {"Status": "SUCCESS"}
