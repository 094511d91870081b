"""What was set aside in one queue is moved to another."""

from tests.integration.gaps.clouds import Cloud


def test_messages_are_moved_as_if_they_had_never_been_received(cloud: Cloud) -> None:
    sqs = cloud.client("sqs")
    urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("moved-from", "moved-to")]
    wanted = {"AttributeNames": ["QueueArn"]}
    arns = [sqs.get_queue_attributes(QueueUrl=url, **wanted) for url in urls]
    source, destination = (one["Attributes"]["QueueArn"] for one in arns)
    for body in ("one", "two"):
        sqs.send_message(QueueUrl=urls[0], MessageBody=body)
    sqs.receive_message(QueueUrl=urls[0], VisibilityTimeout=0, MaxNumberOfMessages=10)
    sqs.start_message_move_task(SourceArn=source, DestinationArn=destination)
    asked = {"MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["ApproximateReceiveCount"]}
    found = sqs.receive_message(QueueUrl=urls[1], **asked)["Messages"]
    received = [(one["Body"], one["Attributes"]["ApproximateReceiveCount"]) for one in found]
    assert sorted(received) == [("one", "1"), ("two", "1")]
    assert "Messages" not in sqs.receive_message(QueueUrl=urls[0])
