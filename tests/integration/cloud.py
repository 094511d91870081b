"""All of AWS but DynamoDB, in memory, as far as the functions call it."""

import io
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.response: Json = {
            "Error": {"Code": code, "Message": "as it was asked for"},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }


class Cloud:
    """Buckets, queues, a topic, a bus, functions, secrets, and a role to be assumed.

    `objects` has the parameters that each object was put with, by bucket and key.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._lock = Lock()
        self.secrets = dict(secrets or {})
        self.objects: dict[tuple[str, str], Json] = {}
        self.messages: list[str] = []
        self.published: list[str] = []
        self.invoked: list[bytes] = []
        self.listed = 1000  # objects at a time
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def next_event(self) -> Any:
        """What a function has called itself with."""
        return json.loads(self.invoked.pop())

    def call(self, operation: str, params: Json) -> Json:
        with self._lock:
            answer: Json | None = getattr(self, f"_{operation}")(**params)
            return answer or {}

    def _PutObject(self, Bucket: str, Key: str, **given: Any) -> None:  # noqa: N802, N803
        there = self.objects.get((Bucket, Key))
        expected = given.pop("IfMatch", None)
        if (given.pop("IfNoneMatch", None) and there) or (expected and expected != _etag(there)):
            raise Refused(412, "PreconditionFailed")
        self.objects[Bucket, Key] = {"LastModified": self.now(), **given}

    def _HeadObject(self, Bucket: str, Key: str, **_: Any) -> Json:  # noqa: N802, N803
        if (Bucket, Key) not in self.objects:
            raise Refused(404, "404")
        return self.objects[Bucket, Key]

    def _GetObject(self, Bucket: str, Key: str) -> Json:  # noqa: N802, N803
        if (Bucket, Key) not in self.objects:
            raise Refused(404, "NoSuchKey")
        found = self.objects[Bucket, Key]
        return {"Body": io.BytesIO(found["Body"]), "ETag": _etag(found)}

    def _DeleteObject(self, Bucket: str, Key: str) -> None:  # noqa: N802, N803
        self.objects.pop((Bucket, Key), None)

    def _ListObjectsV2(  # noqa: N802
        self,
        Bucket: str,  # noqa: N803
        Prefix: str,  # noqa: N803
        StartAfter: str = "",  # noqa: N803
        ContinuationToken: str = "",  # noqa: N803
        Delimiter: str = "",  # noqa: N803
    ) -> Json:
        after = ContinuationToken or StartAfter
        keys = sorted(key for bucket, key in self.objects if bucket == Bucket and key > after)
        if Delimiter:
            rest = (
                key[len(Prefix) :].partition(Delimiter) for key in keys if key.startswith(Prefix)
            )
            folders = {f"{Prefix}{name}{ends}" for name, ends, _ in rest if ends}
            return {"CommonPrefixes": [{"Prefix": folder} for folder in sorted(folders)]}
        found = [
            {"Key": key, "LastModified": self.objects[Bucket, key]["LastModified"]}
            for key in keys
            if key.startswith(Prefix)
        ]
        page = found[: self.listed]
        more = {"NextContinuationToken": page[-1]["Key"]} if len(page) < len(found) else {}
        return {"Contents": page, "IsTruncated": bool(more), **more}

    def _SendMessageBatch(self, QueueUrl: str, Entries: list[Json]) -> Json:  # noqa: N802, N803
        self.messages += [entry["MessageBody"] for entry in Entries]
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}

    def _SendMessage(self, QueueUrl: str, MessageBody: str) -> None:  # noqa: N802, N803
        self.messages.append(MessageBody)

    def _PublishBatch(self, PublishBatchRequestEntries: list[Json], **_: Any) -> Json:  # noqa: N802, N803
        self.published += [entry["Message"] for entry in PublishBatchRequestEntries]
        return {"Successful": [], "Failed": []}

    def _PutEvents(self, Entries: list[Json]) -> Json:  # noqa: N802, N803
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"} for _ in Entries]}

    def _SendEmail(self, **_: Any) -> Json:  # noqa: N802
        return {"MessageId": "1"}

    def _Invoke(self, Payload: bytes, **_: Any) -> Json:  # noqa: N802, N803
        self.invoked.append(Payload)
        return {"StatusCode": 202}

    def _CreateSecret(self, Name: str, SecretString: str, **_: Any) -> Json:  # noqa: N802, N803
        if Name in self.secrets:
            raise Refused(400, "ResourceExistsException")
        self.secrets[Name] = SecretString
        return {"ARN": _arn(Name)}

    def _GetSecretValue(self, SecretId: str, **_: Any) -> Json:  # noqa: N802, N803
        if SecretId not in self.secrets:
            raise Refused(400, "ResourceNotFoundException")
        return {"ARN": _arn(SecretId), "SecretString": self.secrets[SecretId]}

    def _DeleteSecret(self, SecretId: str, **_: Any) -> None:  # noqa: N802, N803
        if self.secrets.pop(SecretId, None) is None:
            raise Refused(400, "ResourceNotFoundException")

    def _AssumeRole(self, Tags: list[Json], **_: Any) -> Json:  # noqa: N802, N803
        (tag,) = Tags
        return {
            "Credentials": {
                "AccessKeyId": "of the session",
                "SecretAccessKey": "secret",
                "SessionToken": f"{tag['Key']}={tag['Value']}",
                "Expiration": datetime.now(UTC) + timedelta(hours=1),
            }
        }


def _etag(there: Json | None) -> str | None:
    return sha256(there["Body"]).hexdigest() if there else None


def _arn(secret: str) -> str:
    return f"arn:aws:secretsmanager:eu-west-1:111122223333:secret:{secret}"
