"""What a role allows, by the names that the tests give to what it allows it on."""

import os.path
import re
from collections.abc import Mapping, Set
from typing import Any

from tests.infrastructure.synthesis import (
    Template,
    environment,
    id_of,
    listed,
    one,
    statements,
    text,
)
from tests.integration.session import Call, Recorded

# What AWS itself does in a function's name: logs, traces, fetching what the function is given and
# keeping what it failed on.
LOGS_AND_TRACES = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}
QUEUE = {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
STREAM = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
}
FAILURES = {"s3:ListBucket", "s3:PutObject"}
FAILED_EVENTS = {"sqs:SendMessage"}
# What a function that goes on in another run calls.
ITSELF = "itself"


class Rights:
    """What a role in a template allows.

    `ids` has what the tests call resources, by their logical ids; `platform` the actions that are
    AWS's own; `tags` those of the session.
    """

    def __init__(
        self,
        template: Template,
        role: str,
        ids: Mapping[str, str],
        platform: Set[str] = frozenset(),
        tags: Mapping[str, str] | None = None,
    ) -> None:
        self._platform = platform
        self._tags = tags or {}
        # All that there is, is in policies of the template.
        properties = one(template, "AWS::IAM::Role", role)
        assert not properties.keys() & {"ManagedPolicyArns", "Policies"}
        found = statements(template, role)
        assert {statement["Effect"] for statement in found} == {"Allow"}
        conditions = [set(one["Condition"]) for one in found if "Condition" in one]
        assert all(named == {"ForAllValues:StringLike", "Null"} for named in conditions)
        self._granted = [
            ((action, self._tagged(_named(text(resource), ids))), statement.get("Condition", {}))
            for statement in found
            for action in listed(statement["Action"])
            for resource in listed(statement["Resource"])
        ]

    @classmethod
    def of(
        cls,
        template: Template,
        function: str,
        names: Mapping[str, str],
        platform: Set[str] = frozenset(),
    ) -> "Rights":
        """Of a function, by the variables in which it is told of its resources; AWS writes its
        logs and traces, and does what is in `platform` besides."""
        ids = ids_told(template, function, names)
        return cls(template, f"{function}Role", ids, LOGS_AND_TRACES | platform)

    @property
    def calls(self) -> set[Call]:
        """All that the function itself may call."""
        return {call for call, _ in self._granted if call[0] not in self._platform}

    def refused(self, made: Recorded) -> set[Any]:
        """What was called and is not allowed, and what AWS may not do in the function's name."""
        calls = {call for call in made.calls if not self._allowing(*call)}
        keys = {one for one in made.keys if not self.allow(*one)}
        return calls | keys | (self._platform - {call[0] for call, _ in self._granted})

    def unused(self, made: Recorded) -> set[Call]:
        """What is allowed and was not called; or not in all the folders that it is allowed in."""
        return {call for call in self.calls if not _used(call, made)}

    def allow(self, action: str, place: str, key: str) -> bool:
        """Whether a call with this partition key is allowed."""
        return any(self._meets(key, condition) for condition in self._allowing(action, place))

    def _allowing(self, action: str, place: str) -> list[Template]:
        """The conditions under which a call is allowed, one of which must be met."""
        return [
            condition
            for (granted, where), condition in self._granted
            if granted == action and action not in self._platform and like(where, place)
        ]

    def _meets(self, key: str, condition: Template) -> bool:
        if not condition:
            return True
        assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
        patterns = listed(condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
        return any(like(self._tagged(pattern), key) for pattern in patterns)

    def _tagged(self, pattern: str) -> str:
        for name, value in self._tags.items():
            pattern = pattern.replace(f"${{aws:PrincipalTag/{name}}}", value)
        return pattern


def ids_told(template: Template, function: str, names: Mapping[str, str]) -> dict[str, str]:
    """What the tests call the resources that a function is told of, by their logical ids."""
    told = environment(template, function)
    ids = {told[name].strip("{}").removesuffix(".Arn"): names[name] for name in told.keys() & names}
    return {**ids, id_of(template, "AWS::Lambda::Function", f"{function}Function"): ITSELF}


def like(pattern: str, value: str) -> bool:
    """Whether a value is one of those that a pattern of IAM means."""
    return bool(re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), value, re.DOTALL))


def _used(granted: Call, made: Recorded) -> bool:
    allowed, pattern = granted
    places = [place for action, place in made.calls if action == allowed and like(pattern, place)]
    if not places or not pattern.endswith("*"):
        return bool(places)
    # As narrow as can be: what was called is together in no folder below it.
    folder = pattern.rpartition("/")[0].removesuffix("/*")
    return os.path.commonpath(places) == folder


def _named(arn: str, ids: Mapping[str, str]) -> str:
    # What the application does not make itself goes by its own name.
    other = re.fullmatch(r"arn:.*(?::secret:|:s3:::|:event-bus/|:identity/)(.+)", arn)
    if other:
        return other[1]
    elsewhere = r"(?:arn:.*:dynamodb:(?P<region>[^:]+):.*)?"
    for id, name in ids.items():
        match = re.fullmatch(rf"{elsewhere}{{{id}(?:\.Arn)?}}(?P<rest>/.*)?", arn)
        if match:
            where = f" in {match['region']}" if match["region"] else ""
            return name + (match["rest"] or "").removeprefix("/index") + where
    return arn
