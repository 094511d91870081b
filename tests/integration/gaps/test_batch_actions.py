"""Whoever may publish one message may publish ten at once."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import Cloud

ENTRIES = [{"Id": str(n), "Message": "hello"} for n in range(3)]


def publisher(cloud: Cloud, action: str) -> tuple[Any, str]:
    """A client that is allowed this one action on a topic, and the topic."""
    topic = cloud.client("sns").create_topic(Name="batches")["TopicArn"]
    iam = cloud.client("iam")
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    name = f"publisher-{action.split(':')[1]}"
    role = iam.create_role(
        RoleName=name, AssumeRolePolicyDocument=json.dumps({"Statement": [trust]})
    )["Role"]["Arn"]
    allowed = {"Effect": "Allow", "Action": action, "Resource": topic}
    iam.put_role_policy(
        RoleName=name, PolicyName="only", PolicyDocument=json.dumps({"Statement": [allowed]})
    )
    found = cloud.client("sts").assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    return cloud.client("sns", found), topic


def test_publishing_a_batch_needs_the_permission_to_publish(cloud: Cloud) -> None:
    client, topic = publisher(cloud, "sns:Publish")
    answer = client.publish_batch(TopicArn=topic, PublishBatchRequestEntries=ENTRIES)
    assert len(answer["Successful"]) == 3


def test_another_permission_is_not_enough(cloud: Cloud) -> None:
    client, topic = publisher(cloud, "sns:GetTopicAttributes")
    with pytest.raises(ClientError, match="not authorized"):
        client.publish_batch(TopicArn=topic, PublishBatchRequestEntries=ENTRIES)
