"""A pipe and a queue behind its bus, deployed as synthesized, tell of new submissions only."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import Duration
from aws_cdk import aws_events as events

from tablewright.catalog.forms.constructs import FormsTable
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.constructs import EventPipe, EventQueue, Protection
from tablewright.model import replaced
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tests.infrastructure.synthesis import new_stack, template_of
from tests.integration.gaps.clouds import Cloud, deploy, until

FIELDS = ("tenant_id", "submission_id", "form_id", "timestamp", "original_size")
NEW_SUBMISSIONS = {
    "eventName": ["INSERT"],
    "dynamodb": {"Keys": {"SK": {"S": [{"prefix": "SUB#"}]}}},
}
SUBMISSION = Submission(**Submission.__entity__.example)


def _template() -> dict[str, Any]:
    stack = new_stack()
    protection = Protection.throw_away()
    table = FormsTable(stack, "Forms", table_name="piped-forms", protection=protection)
    bus = events.EventBus(stack, "Bus", event_bus_name="piped-forms")
    EventPipe(
        stack,
        "Events",
        table=table,
        bus=bus,
        source="tablewright.forms",
        detail_type="submission.created",
        entity="Submission",
        fields=FIELDS,
        filters=[NEW_SUBMISSIONS],
        protection=protection,
    )
    EventQueue(
        stack,
        "Told",
        bus=bus,
        pattern=events.EventPattern(source=["tablewright.forms"]),
        visibility=Duration.minutes(1),
        protection=protection,
    )
    return {"Resources": template_of(stack)["Resources"]}


class Piped:
    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self._ids = deploy(cloud, "event-pipe", _template())
        self.store = Store(Forms, "piped-forms", Boto3Client(cloud.client("dynamodb")))

    def id(self, prefix: str) -> str:
        (found,) = (
            id for name, id in self._ids.items() if name.startswith(prefix) and "Policy" not in name
        )
        return found

    def told(self) -> list[dict[str, Any]]:
        """What is new in the queue behind the bus."""
        client, url = self.cloud.client("sqs"), self.id("ToldQueue")
        messages = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for message in messages:
            client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return [json.loads(message["Body"]) for message in messages]


@pytest.fixture(scope="module")
def piped(cloud: Cloud) -> Piped:
    return Piped(cloud)


def test_a_new_submission_is_told_by_reference_and_nothing_else_is(piped: Piped) -> None:
    store = piped.store
    store.put(Forms.put_config, TenantConfig(**TenantConfig.__entity__.example))
    store.put(Forms.put_submission, SUBMISSION)
    store.put(Forms.put_attempt, DeliveryAttempt(**DeliveryAttempt.__entity__.example))
    store.update(Forms.update_submission, SUBMISSION, {"status": "DELIVERED"})
    # The stream is in order: once this is told, so is everything before it.
    last = replaced(SUBMISSION, tenant_id="other", data=b"never told")
    store.put(Forms.put_submission, last)
    told: list[dict[str, Any]] = []
    while not told or told[-1]["detail"]["tenant_id"] != last["tenant_id"]:
        told += until(piped.told)
    assert [event["detail"] for event in told] == [
        {name: str(item[name]) for name in FIELDS} for item in (SUBMISSION, last)
    ]
    assert {(event["source"], event["detail-type"]) for event in told} == {
        ("tablewright.forms", "submission.created")
    }
    assert "never told" not in json.dumps(told)


def test_with_the_gap_open_a_role_for_one_account_is_refused_to_the_pipe(
    cloud_without: Callable[[str], Cloud],
) -> None:
    cloud = cloud_without("iam.source_account")
    piped = Piped(cloud)
    piped.store.put(Forms.put_submission, SUBMISSION)
    until(
        lambda: "not authorized to perform: sts:AssumeRole" in (cloud.state / "log.txt").read_text()
    )
    assert piped.told() == []
