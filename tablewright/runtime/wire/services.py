"""Services of AWS that speak JSON, and STS, with every operation that may be called.

The specification is botocore's model of each service. An operation is listed here with its traits,
and the conformance tests compare its calls with botocore's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.runtime.wire.json_bodies import JsonBodies
from tablewright.runtime.wire.protocol import Operation, Service
from tablewright.runtime.wire.sts import STS

BODIES = JsonBodies()

_PLAIN = Operation()
_WITH_TOKEN = Operation(token="ClientRequestToken")  # noqa: S106 - the name of a member
_OF_TABLES = Operation(
    moments=(
        "ArchivalDateTime",
        "CreationDateTime",
        "InaccessibleEncryptionDateTime",
        "LastDecreaseDateTime",
        "LastIncreaseDateTime",
        "LastUpdateDateTime",
        "LastUpdateToPayPerRequestDateTime",
        "ReplicaInaccessibleDateTime",
        "RestoreDateTime",
    )
)
_OF_BACKUPS = Operation(moments=("EarliestRestorableDateTime", "LatestRestorableDateTime"))
# Binary attributes stay base64: the store decodes those that it reads.
_DYNAMODB = {
    **dict.fromkeys(("BatchExecuteStatement", "BatchGetItem", "BatchWriteItem"), _PLAIN),
    **dict.fromkeys(("CreateTable", "DeleteTable", "DescribeTable", "UpdateTable"), _OF_TABLES),
    **dict.fromkeys(("DescribeContinuousBackups", "UpdateContinuousBackups"), _OF_BACKUPS),
    **dict.fromkeys(("DescribeTimeToLive", "ListTables", "UpdateTimeToLive"), _PLAIN),
    **dict.fromkeys(("DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"), _PLAIN),
    **dict.fromkeys(("ExecuteStatement", "TransactGetItems"), _PLAIN),
    **dict.fromkeys(("ExecuteTransaction", "TransactWriteItems"), _WITH_TOKEN),
}
_SQS = dict.fromkeys(("SendMessage", "SendMessageBatch"), _PLAIN)
_EVENTS = {"DescribeRule": _PLAIN, "PutEvents": Operation(boto3_only=("EndpointId",))}
_SECRETS_MANAGER = {
    "CreateSecret": _WITH_TOKEN._replace(moments=("LastAccessedDate",)),
    "DeleteSecret": Operation(moments=("DeletionDate",)),
    "GetSecretValue": Operation(blobs=("SecretBinary",), moments=("CreatedDate",)),
    "PutSecretValue": _WITH_TOKEN,
    "UpdateSecretVersionStage": _PLAIN,
}
_KMS = {
    "Decrypt": Operation(blobs=("Plaintext", "CiphertextForRecipient")),
    "DescribeKey": Operation(moments=("CreationDate", "DeletionDate", "ValidTo")),
    "GenerateDataKeyWithoutPlaintext": Operation(blobs=("CiphertextBlob",)),
}


def _of_json(
    name: str, target: str, version: str, operations: Mapping[str, Operation], headers: str = ""
) -> Service:
    def dump(_: str, params: dict[str, Any]) -> bytes:
        return BODIES.dumps(params)

    content_type = f"application/x-amz-json-{version}"
    return Service(name, target, content_type, dump, BODIES.loads, operations, headers)


SERVICES = {
    service.name: service
    for service in (
        _of_json("dynamodb", "DynamoDB_20120810.", "1.0", _DYNAMODB),
        # Asks for the error codes that SQS had before it spoke JSON, as botocore does.
        _of_json("sqs", "AmazonSQS.", "1.0", _SQS, "x-amzn-query-mode: true\r\n"),
        _of_json("events", "AWSEvents.", "1.1", _EVENTS),
        _of_json("secretsmanager", "secretsmanager.", "1.1", _SECRETS_MANAGER),
        _of_json("kms", "TrentService.", "1.1", _KMS),
        STS,
    )
}
