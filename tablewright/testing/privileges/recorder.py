"""Recorder: actions that were taken, where, under which keys, and in whose name."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient

from tablewright.testing.edges.calls import AwsCall, Proceed, Watcher
from tablewright.testing.edges.requests import TableRequest, requests

# An action of IAM and where it is taken: a table, an index of it, an object of a bucket, a queue.
Action = tuple[str, str]
# Of a table: gives the names of its partition key and those of its indexes, by the index.
Keys = Callable[[str], Mapping[str | None, str]]

# IAM knows operations on many things by the name of the operation on one, and some by another.
_ACTIONS = {
    "HeadObject": "GetObject",
    "Invoke": "InvokeFunction",
    "ListObjects": "ListBucket",
    "ListObjectsV2": "ListBucket",
    "PublishBatch": "Publish",
    "SendMessageBatch": "SendMessage",
}
# Allowed to everybody.
_FREE = ("sts:GetCallerIdentity",)
_PLACES = (
    "QueueUrl",
    "TopicArn",
    "FunctionName",
    "SecretId",
    "Name",
    "RoleArn",
    "KeyId",
    "stateMachineArn",
    "FromEmailAddress",
)


class Recorded:
    """What was called with some credentials, and with which leading keys."""

    def __init__(self) -> None:
        self.calls: set[Action] = set()
        self.keys: set[tuple[str, str, str]] = set()


class Recorder(Recorded):
    """What was called with a function's own credentials.

    `sessions` has what was called in sessions of roles that it assumed, by their tags:
    ``tenant=acme``. `region` is the function's; a call in another says so.
    """

    def __init__(self, region: str | None = None) -> None:
        super().__init__()
        self.region = region
        self.sessions: dict[str, Recorded] = {}
        self._tags: dict[str, str] = {}
        self._keys: dict[tuple[str, str], Mapping[str | None, str]] = {}
        self._asking = threading.local()

    def note(
        self,
        service: str,
        operation: str,
        params: Mapping[str, Any],
        region: str,
        keys: Keys,
        token: str | None = None,
    ) -> None:
        """Keep a call; `token` is that of the session which it was made in."""
        made_by: Recorded = self
        if token in self._tags:
            made_by = self.sessions.setdefault(self._tags[token], Recorded())
        if service == "dynamodb":
            where = f" in {region}" if self.region and region != self.region else ""
            for one in requests(operation, params):
                self._note_table(made_by, one, where, region, keys)
            return
        action = f"{service}:{_ACTIONS.get(operation, operation)}"
        if action in _FREE:
            return
        made_by.calls |= {(action, place) for place in _places(service, params)}
        if operation == "AssumeRole" and params.get("Tags"):
            made_by.calls.add(("sts:TagSession", params["RoleArn"]))

    def note_session(self, params: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Know a session that begins: by its token its calls are recognized."""
        tags = ",".join(f"{tag['Key']}={tag['Value']}" for tag in params.get("Tags", []))
        self._tags[answer["Credentials"]["SessionToken"]] = tags

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """Record what is called in the block, over whichever client."""
        plain = BaseClient._emit_api_params

        def emitted(client: Any, **given: Any) -> Any:
            params = plain(client, **given)
            if not getattr(self._asking, "one", False):
                self._note_boto3(client, given["operation_model"].name, params, given["context"])
            return params

        # Here it is known who signs; and requests come by that are only signed, for others to send.
        noting = patch.object(BaseClient, "_emit_api_params", emitted)
        with noting, Watcher(self._watch).everywhere():
            yield

    def _watch(self, call: AwsCall, proceed: Proceed) -> Any:
        if call.edge == "wire":

            def keys(table: str) -> Mapping[str | None, str]:
                return partition_keys(proceed("DescribeTable", {"TableName": table}))

            token = call.source._credentials().token
            self.note(call.service, call.operation, call.params, call.region, keys, token)
        answer = proceed(call.operation, call.params)
        if call.operation == "AssumeRole":
            self.note_session(call.params, answer)
        return answer

    def _note_boto3(self, client: Any, operation: str, params: Any, context: Any) -> None:
        def keys(table: str) -> Mapping[str | None, str]:
            self._asking.one = True
            try:
                return partition_keys(client.describe_table(TableName=table))
            finally:
                self._asking.one = False

        signing = context.get("signing", {}).get("request_credentials")
        signing = signing or client._request_signer._credentials
        token = signing.get_frozen_credentials().token if signing else None
        service = client.meta.service_model.signing_name
        self.note(service, operation, params, client.meta.region_name, keys, token)

    def _note_table(
        self, made_by: Recorded, one: TableRequest, where: str, region: str, keys: Keys
    ) -> None:
        index = f"/{one.index}" if one.index else ""
        called = (f"dynamodb:{one.action}", f"{one.table}{index}{where}")
        made_by.calls.add(called)
        if one.item is None and one.equal is None:
            return
        if (one.table, region) not in self._keys:
            self._keys[one.table, region] = keys(one.table)
        name = self._keys[one.table, region].get(one.index)
        key = one.value(name) if name else None
        if key is not None:
            made_by.keys.add((*called, str(key)))


def partition_keys(answer: Mapping[str, Any]) -> dict[str | None, str]:
    """The names of partition keys, of a table that was described and of its indexes."""
    table = answer["Table"]
    both = (*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ()))
    schemas = {None: table["KeySchema"], **{one["IndexName"]: one["KeySchema"] for one in both}}
    return {index: str(schema[0]["AttributeName"]) for index, schema in schemas.items()}


def _places(service: str, params: Mapping[str, Any]) -> list[str]:
    """What a request names: a queue, a topic, a function, a secret, a role, buses, an object."""
    if service == "s3":
        return ["/".join(params[name] for name in ("Bucket", "Key") if name in params)]
    if service == "events" and "Entries" in params:
        return [entry.get("EventBusName", "default") for entry in params["Entries"]]
    return [next((str(params[name]) for name in _PLACES if name in params), "*")]
