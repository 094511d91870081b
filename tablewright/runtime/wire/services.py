"""Services of AWS that speak JSON, and STS."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from tablewright.runtime.wire.json_bodies import JsonBodies
from tablewright.runtime.wire.protocol import Service
from tablewright.runtime.wire.sts import STS

BODIES = JsonBodies()


def _of_json(name: str, target: str, version: str, *, blobs: tuple[str, ...] = ()) -> Service:
    def dump(_: str, params: dict[str, Any]) -> bytes:
        return BODIES.dumps(params)

    def load(body: bytes) -> Any:
        answer = BODIES.loads(body or b"{}")
        for blob in blobs:
            if blob in answer:
                answer[blob] = b64decode(answer[blob])
        return answer

    content_type = f"application/x-amz-json-{version}"
    return Service(name, target, content_type, dump, load if name != "dynamodb" else BODIES.loads)


SERVICES = {
    service.name: service
    for service in (
        # Binary attributes stay base64: the store decodes those that it reads.
        _of_json("dynamodb", "DynamoDB_20120810.", "1.0"),
        _of_json("sqs", "AmazonSQS.", "1.0"),
        _of_json("events", "AWSEvents.", "1.1"),
        _of_json("secretsmanager", "secretsmanager.", "1.1", blobs=("SecretBinary",)),
        _of_json("kms", "TrentService.", "1.1", blobs=("CiphertextBlob", "Plaintext")),
        STS,
    )
}
