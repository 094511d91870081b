"""Checks of an audit: each compares one promise with the account, or one role with its tenants."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from lambdas.audit.contract import TenantRole
from lambdas.audit.promises import (
    BUCKET,
    LOGS,
    MAPPING,
    PIPE,
    RULE,
    TABLE,
    Promise,
    Properties,
    named,
)
from tablewright.isolation.coverage import untried
from tablewright.isolation.decisions import Statement
from tablewright.isolation.names import named_leaks
from tablewright.isolation.reach import leaks, tenant_ids
from tablewright.model import Design
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError

Clients = Callable[[str], Caller]


class Check(NamedTuple):
    """What was looked at, what is promised and what was found."""

    subject: str
    point: str
    promised: Any
    found: Any

    @property
    def holds(self) -> bool:
        return bool(self.promised == self.found)


def checks_of(promise: Promise, clients: Clients) -> Iterator[Check]:
    """Every point of one promise; one that cannot be read does not hold."""
    points = _POINTS[promise.kind]
    subject = f"{promise.stack}: {promise.name}"
    try:
        yield from (Check(subject, *point) for point in points(promise, clients))
    except StoreError as error:
        yield Check(subject, "can be read", True, type(error).__name__)


def isolation(role: TenantRole, design: Design, clients: Clients) -> Check:
    """That no tenant's session of a deployed role reaches what is another tenant's."""
    names = named(clients("cloudformation"), role.stack, "AWS::IAM::Role", role.id)
    statements = [one for name in names for one in _statements(name, clients("iam"))]
    subject = f"{role.stack}: {', '.join(names) or role.id}"
    if len(names) != 1 or not statements:
        # What cannot be read proves nothing.
        return Check(subject, "role with policies", 1, len(names) if statements else 0)
    tenants = tenant_ids(design)
    found = [
        *leaks(design, statements, tenants, role.tag),
        *named_leaks(statements, tenants, role.tag),
        *(f"not tried: {gap}" for gap in untried(statements, role.tag)),
    ]
    return Check(subject, "tenants that reach others", [], list(map(str, found)))


Point = tuple[str, Any, Any]


def _table(promise: Promise, clients: Clients) -> Iterator[Point]:
    dynamo, asked, properties = clients("dynamodb"), {"TableName": promise.name}, promise.properties
    home = _at_home(properties)
    table = dynamo.call("DescribeTable", asked)["Table"]
    kept = home.get("DeletionProtectionEnabled", False)
    yield "deletion protection", kept, table.get("DeletionProtectionEnabled", False)
    sealed = properties.get("SSESpecification", {}).get("SSEEnabled", False)
    yield "encryption by KMS", sealed, table.get("SSEDescription", {}).get("Status") == "ENABLED"
    recovery = home.get("PointInTimeRecoverySpecification", {})
    backups = dynamo.call("DescribeContinuousBackups", asked)["ContinuousBackupsDescription"]
    status = backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
    promised = recovery.get("PointInTimeRecoveryEnabled", False)
    yield "point-in-time recovery", promised, status == "ENABLED"
    expiry = properties.get("TimeToLiveSpecification", {})
    live = dynamo.call("DescribeTimeToLive", asked)["TimeToLiveDescription"]
    on = live.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    yield "expiry", expiry.get("AttributeName"), live.get("AttributeName") if on else None


def _bucket(promise: Promise, clients: Clients) -> Iterator[Point]:
    s3, asked = clients("s3"), {"Bucket": promise.name}
    blocked = promise.properties.get("PublicAccessBlockConfiguration", {})
    found = s3.call("GetPublicAccessBlock", asked)["PublicAccessBlockConfiguration"]
    yield "public access blocked", _true(blocked), _true(found)
    sealed = "BucketEncryption" in promise.properties
    rules = s3.call("GetBucketEncryption", asked)["ServerSideEncryptionConfiguration"]["Rules"]
    yield "encryption", sealed, bool(rules)


def _log_group(promise: Promise, clients: Clients) -> Iterator[Point]:
    asked = {"logGroupNamePrefix": promise.name}
    groups = clients("logs").call("DescribeLogGroups", asked)["logGroups"]
    days = [one.get("retentionInDays") for one in groups if one["logGroupName"] == promise.name]
    yield "days that logs are kept", promise.properties.get("RetentionInDays"), (days or [None])[0]


def _rule(promise: Promise, clients: Clients) -> Iterator[Point]:
    bus, _, name = promise.name.rpartition("|")
    asked = {"Name": name, **({"EventBusName": bus} if bus else {})}
    found = clients("events").call("DescribeRule", asked)["State"]
    yield "switched on", promise.properties.get("State", "ENABLED") == "ENABLED", _is_on(found)


def _mapping(promise: Promise, clients: Clients) -> Iterator[Point]:
    found = clients("lambda").call("GetEventSourceMapping", {"UUID": promise.name})["State"]
    yield "switched on", promise.properties.get("Enabled", True), _is_on(found)


def _pipe(promise: Promise, clients: Clients) -> Iterator[Point]:
    found = clients("pipes").call("DescribePipe", {"Name": promise.name})["CurrentState"]
    promised = promise.properties.get("DesiredState", "RUNNING") == "RUNNING"
    yield "switched on", promised, _is_on(found)


def _is_on(state: str) -> bool:
    """True unless somebody stopped it, or AWS did: a change that is under way ends by itself."""
    return state.upper() in ("ENABLED", "ENABLING", "RUNNING", "STARTING", "CREATING", "UPDATING")


_POINTS = {
    TABLE: _table,
    BUCKET: _bucket,
    LOGS: _log_group,
    RULE: _rule,
    MAPPING: _mapping,
    PIPE: _pipe,
}


def _at_home(properties: Properties) -> Mapping[str, Any]:
    """What is said of the table in its own region, which is the first of its replicas to have it:
    all of them are promised the same."""
    replicas = properties.get("Replicas") or [{}]
    found: Mapping[str, Any] = replicas[0]
    return found


def _true(settings: Mapping[str, Any]) -> list[str]:
    return sorted(name for name, value in settings.items() if value is True)


def _statements(role: str, iam: Caller) -> Iterator[Statement]:
    for name in iam.call("ListRolePolicies", {"RoleName": role})["PolicyNames"]:
        found = iam.call("GetRolePolicy", {"RoleName": role, "PolicyName": name})
        document = found["PolicyDocument"]
        policy = json.loads(unquote(document)) if isinstance(document, str) else document
        statements = policy["Statement"]
        yield from statements if isinstance(statements, list) else [statements]
