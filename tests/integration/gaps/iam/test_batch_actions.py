"""Whoever may publish one message may publish ten at once."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import Cloud
from tests.integration.gaps.iam.roles import only

ENTRIES = [{"Id": str(n), "Message": "hello"} for n in range(3)]


def publisher(cloud: Cloud, action: str) -> tuple[Any, str]:
    """A client that is allowed this one action on a topic, and the topic."""
    topic = cloud.client("sns").create_topic(Name="batches")["TopicArn"]
    return only(cloud, action, topic), topic


def test_publishing_a_batch_needs_the_permission_to_publish(cloud: Cloud) -> None:
    client, topic = publisher(cloud, "sns:Publish")
    answer = client.publish_batch(TopicArn=topic, PublishBatchRequestEntries=ENTRIES)
    assert len(answer["Successful"]) == 3


def test_another_permission_is_not_enough(cloud: Cloud) -> None:
    client, topic = publisher(cloud, "sns:GetTopicAttributes")
    with pytest.raises(ClientError, match="not authorized"):
        client.publish_batch(TopicArn=topic, PublishBatchRequestEntries=ENTRIES)
