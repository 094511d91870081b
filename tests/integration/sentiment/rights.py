"""What the role of a function allows, by the names that the tests give to what it allows it on."""

import re
from collections.abc import Mapping

from tests.infrastructure.synthesis import Template, environment, listed, statements, text
from tests.integration.sentiment.session import Call

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
PLATFORM = {
    "Ingest": LOGS_AND_TRACES | FAILED_EVENTS,
    "Analyse": LOGS_AND_TRACES | QUEUE,
    "Project": LOGS_AND_TRACES | STREAM | FAILURES,
    "Api": LOGS_AND_TRACES,
    "Page": LOGS_AND_TRACES,
    "NewsApi": LOGS_AND_TRACES,
    "NewsHeal": LOGS_AND_TRACES,
}


class Rights:
    """What a function's role in a template allows.

    `names` has the variables in which the function is told of tables, topics and secrets, and
    what the tests call these.
    """

    def __init__(self, template: Template, function: str, names: Mapping[str, str]) -> None:
        told = environment(template, function)
        ids = {told[variable].strip("{}"): names[variable] for variable in told.keys() & names}
        self._platform = PLATFORM[function]
        self._granted = [
            ((action, _named(text(resource), ids)), statement.get("Condition", {}))
            for statement in statements(template, f"{function}Role")
            for action in listed(statement["Action"])
            for resource in listed(statement["Resource"])
        ]

    @property
    def calls(self) -> set[Call]:
        """All that the function itself may call."""
        return {call for call, _ in self._granted if call[0] not in self._platform}

    @property
    def platform(self) -> set[str]:
        """What AWS may do in its name."""
        return {call[0] for call, _ in self._granted if call[0] in self._platform}

    def allow(self, action: str, place: str, key: str) -> bool:
        """Whether a call with this partition key is allowed."""
        conditions = [condition for call, condition in self._granted if call == (action, place)]
        return any(_meets(key, condition) for condition in conditions)


def _meets(key: str, condition: Template) -> bool:
    if not condition:
        return True
    assert set(condition) == {"ForAllValues:StringLike", "Null"}
    assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
    patterns = listed(condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])
    likes = (re.escape(pattern).replace(r"\*", ".*") for pattern in patterns)
    return any(re.fullmatch(like, key, re.DOTALL) for like in likes)


def _named(arn: str, ids: Mapping[str, str]) -> str:
    elsewhere = r"(?:arn:.*:dynamodb:(?P<region>[^:]+):.*)?"
    for id, name in ids.items():
        match = re.fullmatch(rf"{elsewhere}{{{id}(?:\.Arn)?}}(?:/index(?P<index>.*))?", arn)
        if match:
            where = f" in {match['region']}" if match["region"] else ""
            return name + (match["index"] or "") + where
    return arn
