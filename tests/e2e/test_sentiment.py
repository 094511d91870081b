"""The sentiment system as it is deployed: what is handed in is analysed, projected and shown."""

import json
import secrets
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from local.clients.api import Answer, Api
from local.clients.users import Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from tests.e2e.support.items import new_item
from tests.e2e.support.lists import listed
from tests.e2e.support.polling import eventually
from toolchain.paths import ROOT


@pytest.fixture(scope="session")
def dashboard(deployment: Deployment, users: Users) -> Api:
    return Api(deployment.api_url("sentiment"), users.token("acme"))


def hand_in(dashboard: Api, *items: dict[str, Any]) -> Answer:
    return dashboard("POST", "/items", {"items": list(items)})


def shown(dashboard: Api, **asked: Any) -> dict[str, dict[str, Any]]:
    return {item["source_id"]: item for item in listed(dashboard, "/items", **asked)}


def all_shown(dashboard: Api, items: Iterable[dict[str, Any]]) -> bool:
    return {item["source_id"] for item in items} <= shown(dashboard).keys()


def test_an_item_is_analysed_and_shown_everywhere(dashboard: Api) -> None:
    happy = new_item("A wonderful, great success for AI and space!")
    awful = new_item("A terrible, horrible disaster for AI.")
    assert hand_in(dashboard, happy, awful).json == {"stored": 2, "duplicates": 0, "rejected": []}
    assert eventually(lambda: all_shown(dashboard, [happy, awful]))
    found = shown(dashboard)[happy["source_id"]]
    assert found["sentiment"] == "positive"
    assert found["matched_tags"] == ["AI", "space"]
    assert found["text_snippet"] == happy["text"]
    assert happy["source_id"] in shown(dashboard, sentiment="positive")
    assert awful["source_id"] in shown(dashboard, sentiment="negative")
    assert {happy["source_id"], awful["source_id"]} <= shown(dashboard, tag="AI").keys()
    assert awful["source_id"] not in shown(dashboard, tag="space")


def test_handing_in_again_changes_nothing(dashboard: Api) -> None:
    item = new_item()
    hand_in(dashboard, item)
    assert hand_in(dashboard, item, item).json["duplicates"] == 2
    assert eventually(lambda: all_shown(dashboard, [item]))


def test_the_summary_counts_each_item_once(
    dashboard: Api, cloud: Cloud, deployment: Deployment
) -> None:
    dynamodb = cloud.connection.client("dynamodb")
    table = deployment.output("sentiment", "ItemsTable")

    def counted() -> int:
        summary = dashboard("GET", "/summary", hours=72).json
        return sum(summary["distribution"].values())

    def analysed() -> int:
        """How many items there are: whoever else stores some, all are counted."""
        pages = dynamodb.get_paginator("scan").paginate(TableName=table)
        items = (item for page in pages for item in page["Items"])
        return sum(item.get("status") == {"S": "analyzed"} for item in items)

    items = [new_item(f"Great elections, round {n}.") for n in range(5)]
    hand_in(dashboard, *items)
    assert eventually(lambda: all_shown(dashboard, items))
    assert eventually(lambda: counted() == analysed())


def test_a_list_is_paged_to_its_end(dashboard: Api) -> None:
    items = [new_item(f"Sports festival, day {n}") for n in range(7)]
    hand_in(dashboard, *items)
    assert eventually(lambda: all_shown(dashboard, items))
    found = [item["source_id"] for item in listed(dashboard, "/items", tag="sports", limit=3)]
    assert len(found) == len(set(found))
    assert {item["source_id"] for item in items} <= set(found)


def test_an_unchanged_answer_is_not_sent_again(dashboard: Api) -> None:
    first = dashboard("GET", "/rejected")
    again = dashboard("GET", "/rejected", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.text) == (304, "")


def test_data_wants_a_token_and_the_page_does_not(deployment: Deployment) -> None:
    anyone = Api(deployment.api_url("sentiment"))
    for path in ("/items", "/summary", "/rejected", "/openapi.json"):
        assert anyone("GET", path).status == 401, path
    assert anyone("POST", "/items", {"items": [new_item()]}).status == 401
    assert "<title>" in anyone("GET", "/").text
    assert anyone("GET", "/dashboard.js").headers["content-type"].startswith("text/javascript")


def test_bad_items_are_refused_and_the_good_ones_go_on(dashboard: Api) -> None:
    good = new_item()
    answer = hand_in(dashboard, good, new_item(source_url="ftp://example.com"))
    assert answer.status == 202
    assert answer.json["rejected"] == [
        {"pointer": "/items/1/source_url", "detail": "must be an HTTPS address"}
    ]
    assert eventually(lambda: all_shown(dashboard, [good]))


def test_what_cannot_be_projected_is_kept_and_redriven_once_it_is_mended(
    dashboard: Api, cloud: Cloud, deployment: Deployment
) -> None:
    dynamodb = cloud.connection.client("dynamodb")
    s3 = cloud.connection.client("s3")
    table = deployment.output("sentiment", "ItemsTable")
    bucket = deployment.output("sentiment", "FailuresBucket")
    spoiled = new_item()
    hand_in(dashboard, spoiled)
    assert eventually(lambda: all_shown(dashboard, [spoiled]))
    moment = shown(dashboard)[spoiled["source_id"]]["ingested_at"]
    key = {"source_id": {"S": spoiled["source_id"]}, "ingested_at": {"S": moment}}

    def set_score(value: dict[str, str]) -> None:
        dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression="SET score = :score",
            ExpressionAttributeValues={":score": value},
        )

    set_score({"S": "very"})
    assert eventually(lambda: s3.list_objects_v2(Bucket=bucket)["KeyCount"] > 0)
    after = new_item()
    hand_in(dashboard, after)
    assert eventually(lambda: all_shown(dashboard, [after]))

    command = [sys.executable, "-m", "tablewright", "redrive", "--bucket", bucket]
    command += ["--function", deployment.output("sentiment", "ProjectFunction")]
    command += ["--endpoint-url", cloud.connection.endpoint, "--region", "eu-west-1"]
    credentials = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}

    def redrive() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=ROOT, env=credentials, capture_output=True, text=True, check=False
        )

    still_unsound = redrive()
    assert still_unsound.returncode == 1, still_unsound.stderr
    set_score({"N": "0.77"})
    mended = redrive()
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    assert eventually(lambda: shown(dashboard)[spoiled["source_id"]]["score"] == 0.77)


def test_the_ingest_function_takes_an_event_and_parks_what_is_unsound(
    dashboard: Api, cloud: Cloud, deployment: Deployment
) -> None:
    good, bad = new_item(), new_item(source_type="rss")
    answer = cloud.connection.client("lambda").invoke(
        FunctionName=deployment.output("sentiment", "IngestFunction"),
        Payload=json.dumps({"items": [good, bad]}).encode(),
    )
    assert json.loads(answer["Payload"].read()) == {"stored": 1, "duplicates": 0, "rejected": 1}
    assert eventually(lambda: all_shown(dashboard, [good]))
    parked = listed(dashboard, "/rejected")
    assert any(bad["source_id"] in one["item"] for one in parked)


def test_an_event_that_keeps_failing_is_kept(cloud: Cloud, deployment: Deployment) -> None:
    sqs = cloud.connection.client("sqs")
    name = deployment.output("sentiment", "FailedEvents").rpartition(":")[2]
    url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    event = {"items": f"no list, but {secrets.token_hex(4)}"}
    cloud.connection.client("lambda").invoke(
        FunctionName=deployment.output("sentiment", "IngestFunction"),
        InvocationType="Event",
        Payload=json.dumps(event).encode(),
    )

    def received() -> bool:
        answer = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1, MaxNumberOfMessages=10)
        kept = (json.loads(message["Body"]) for message in answer.get("Messages", []))
        return any(one["requestPayload"] == event for one in kept)

    assert eventually(received)
