"""Promises of a stage: what the templates of its stacks say of tables, buckets, logs and triggers.

A template is what was reviewed and deployed. Whoever has changed something by hand since, in the
console or by a call, has changed the account and not the template.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.runtime.aws import Caller

TABLE, BUCKET, LOGS = "AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::Logs::LogGroup"
RULE, MAPPING, PIPE = "AWS::Events::Rule", "AWS::Lambda::EventSourceMapping", "AWS::Pipes::Pipe"
_KINDS = (TABLE, BUCKET, LOGS, RULE, MAPPING, PIPE)

Properties = Mapping[str, Any]


class Promise(NamedTuple):
    """A resource of a stack: what it is called in the account, and what its template says."""

    stack: str
    kind: str
    name: str
    properties: Properties


def promises_of(cloudformation: Caller, stack: str) -> Iterator[Promise]:
    """The resources of a deployed stack that an audit compares with its template."""
    body = cloudformation.call("GetTemplate", {"StackName": stack})["TemplateBody"]
    template = json.loads(body) if isinstance(body, str) else body
    declared = template["Resources"]
    for one in _resources(cloudformation, stack):
        kind, id = one["ResourceType"], one["LogicalResourceId"]
        if kind in _KINDS and id in declared:
            properties = declared[id].get("Properties", {})
            yield Promise(stack, kind, one["PhysicalResourceId"], properties)


def named(cloudformation: Caller, stack: str, kind: str, id: str) -> list[str]:
    """The names in the account of what has such an id in a deployed stack."""
    return [
        str(one["PhysicalResourceId"])
        for one in _resources(cloudformation, stack)
        if one["ResourceType"] == kind and one["LogicalResourceId"].startswith(id)
    ]


def _resources(cloudformation: Caller, stack: str) -> Iterator[Mapping[str, Any]]:
    asked = {"StackName": stack}
    while True:
        page = cloudformation.call("ListStackResources", asked)
        yield from page["StackResourceSummaries"]
        if not page.get("NextToken"):
            return
        asked = {"StackName": stack, "NextToken": page["NextToken"]}
