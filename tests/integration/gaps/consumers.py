"""A table, a function behind its stream, and what the function was given."""

import itertools
import json
from pathlib import Path
from typing import Any

from tests.integration.gaps.clouds import HOME, Cloud, deploy, until

# Writes down what it was given; a poisonous record fails it, in the way that FAILS says.
CODE = """
import json, os

def handler(event, context):
    images = [r["dynamodb"].get("NewImage") or r["dynamodb"]["Keys"] for r in event["Records"]]
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps([image["PK"]["S"] for image in images]) + chr(10))
    for record, image in zip(event["Records"], images):
        if "poison" in image and os.environ["FAILS"] != "never":
            if os.environ["FAILS"] == "by report":
                number = record["dynamodb"]["SequenceNumber"]
                return {"batchItemFailures": [{"itemIdentifier": number}]}
            raise ValueError("poison")
"""
READ = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
NUMBERS = itertools.count()


class Consumer:
    """A table, the function behind its stream, and where failures go."""

    def __init__(
        self,
        cloud: Cloud,
        folder: Path,
        *,
        fails: str = "by error",
        destination: str = "Queue",
        read: list[str] = READ,
        deploy_mapping: bool = True,
        replicas: tuple[str, ...] = (HOME,),
        ttl: str | None = None,
        **mapping: Any,
    ) -> None:
        self.cloud = cloud
        self.name = f"stream{next(NUMBERS)}"
        self.written = folder / f"{self.name}.jsonl"
        self._resources = {
            "Table": _table(replicas, ttl),
            **_resources(self.written, fails, destination, read, mapping),
        }
        first = dict(self._resources)
        if not deploy_mapping:
            del first["Mapping"]
        self.ids = deploy(cloud, self.name, {"Resources": first})

    def deploy_mapping(self) -> None:
        formation = self.cloud.client("cloudformation")
        formation.update_stack(
            StackName=self.name,
            TemplateBody=json.dumps({"Resources": self._resources}),
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        waiter = formation.get_waiter("stack_update_complete")
        waiter.wait(StackName=self.name, WaiterConfig={"Delay": 1})

    def put(self, *names: str, **attributes: str) -> None:
        client = self.cloud.client("dynamodb")
        more = {key: {"S": value} for key, value in attributes.items()}
        for name in names:
            client.put_item(TableName=self.ids["Table"], Item={"PK": {"S": name}, **more})

    def put_batch(self, *names: str, poison: str) -> None:
        """All in one call, so that they can be read as one batch."""
        items = [
            {"PK": {"S": name}, **({"poison": {"S": "yes"}} if name == poison else {})}
            for name in names
        ]
        self.cloud.client("dynamodb").transact_write_items(
            TransactItems=[
                {"Put": {"TableName": self.ids["Table"], "Item": item}} for item in items
            ]
        )

    @property
    def batches(self) -> list[list[str]]:
        if not self.written.exists():
            return []
        return [json.loads(line) for line in self.written.read_text().splitlines()]

    @property
    def seen(self) -> list[str]:
        return [name for batch in self.batches for name in batch]

    def failure(self) -> dict[str, Any]:
        """The next record in the on-failure queue."""
        queue = {"QueueUrl": self.ids["Queue"]}
        sqs = self.cloud.client("sqs")
        (message,) = until(lambda: sqs.receive_message(**queue).get("Messages"))
        sqs.delete_message(**queue, ReceiptHandle=message["ReceiptHandle"])
        record: dict[str, Any] = json.loads(message["Body"])
        return record


def _table(replicas: tuple[str, ...], ttl: str | None) -> dict[str, Any]:
    expiry = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": ttl}} if ttl else {}
    return {
        "Type": "AWS::DynamoDB::GlobalTable",
        "Properties": {
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Replicas": [{"Region": region} for region in replicas],
            **expiry,
        },
    }


def _resources(
    seen: Path, fails: str, destination: str, read: list[str], mapping: dict[str, Any]
) -> dict[str, Any]:
    stream = {"Fn::GetAtt": ["Table", "StreamArn"]}
    given_up = {"Fn::GetAtt": [destination, "Arn"]}
    objects = {"Fn::Sub": "${Bucket.Arn}/*"}
    statements = [
        {"Effect": "Allow", "Action": read, "Resource": stream},
        {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"},
        {"Effect": "Allow", "Action": "s3:PutObject", "Resource": objects},
    ]
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "lambda.amazonaws.com"},
    }
    return {
        "Queue": {"Type": "AWS::SQS::Queue"},
        "Bucket": {"Type": "AWS::S3::Bucket"},
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {"Statement": [trust]},
                "Policies": [{"PolicyName": "all", "PolicyDocument": {"Statement": statements}}],
            },
        },
        "Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "Runtime": "python3.11",
                "Handler": "index.handler",
                "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                "Code": {"ZipFile": CODE},
                "Environment": {"Variables": {"SEEN": str(seen), "FAILS": fails}},
            },
        },
        "Mapping": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "FunctionName": {"Ref": "Function"},
                "EventSourceArn": stream,
                "StartingPosition": "TRIM_HORIZON",
                "BatchSize": 10,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "DestinationConfig": {"OnFailure": {"Destination": given_up}},
                **mapping,
            },
        },
    }
