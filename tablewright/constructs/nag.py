"""Rules for what cdk-nag's own packs do not see: TableV2, its stream's consumers, lost events."""

from collections.abc import Callable
from typing import Any, cast

import jsii
from aws_cdk import CfnResource, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from cdk_nag import IApplyRule, NagMessageLevel, NagPack, NagRuleCompliance
from constructs import IConstruct

from tablewright.constructs import AlarmLevel, DesignTable

# Services that hand an event over and go, by rules, schedules, topics and notifications.
_ASYNCHRONOUS = tuple(f"{name}.amazonaws.com" for name in ("events", "scheduler", "sns", "s3"))
_THROTTLES = ("ReadThrottleEvents", "WriteThrottleEvents")


class TablewrightChecks(NagPack):
    """What a production table, a stream consumer and a scheduled function must have.

    Example::

        Validations.of(app).add_plugins(TablewrightChecks(app))
    """

    def __init__(self, scope: IConstruct | None = None, *, verbose: bool = False) -> None:
        super().__init__(scope, verbose=verbose)
        self._pack_name = "Tablewright"

    @property
    @jsii.member(jsii_name="name")
    def name(self) -> str:
        """The name of the pack, with which the ids of its rules begin."""
        return "Tablewright"

    @jsii.member(jsii_name="checkResource")
    def _check_resource(self, node: CfnResource) -> None:
        for rule in _RULES.get(node.cfn_resource_type, ()):
            self._apply_rule(cast("IApplyRule", _Applied(rule, node)))


def point_in_time_recovery(table: Any) -> bool:
    """Without it, what a bug overwrites is lost: every replica needs its own."""
    return all(
        replica.get("pointInTimeRecoverySpecification", {}).get("pointInTimeRecoveryEnabled")
        for replica in _resolved(table, table.replicas)
    )


def deletion_protection(table: Any) -> bool:
    """Without it, one call deletes the table: every replica needs its own."""
    return all(
        replica.get("deletionProtectionEnabled") for replica in _resolved(table, table.replicas)
    )


def encryption(table: Any) -> bool:
    """With a key in KMS the account sees, and can stop, each use of the data."""
    return bool((_resolved(table, table.sse_specification) or {}).get("sseEnabled"))


def time_to_live(table: Any) -> bool:
    """Items of a design that expire are deleted only when the table knows the attribute."""
    design = next((s.design for s in table.node.scopes if isinstance(s, DesignTable)), None)
    if design is None or not any(entity.expires for entity in design.entity_list):
        return True
    found = _resolved(table, table.time_to_live_specification) or {}
    return bool(found.get("enabled")) and found.get("attributeName") == design.ttl


def throttle_alarms(table: Any) -> bool:
    """A hot partition first shows as throttling, of the table or of one index."""
    if AlarmLevel.of(table) is not AlarmLevel.ALL:  # which leaves them out
        return True
    own_name = _resolved(table, table.ref)
    indexes = _resolved(table, table.global_secondary_indexes) or []
    needed = {
        (metric, index)
        for metric in _THROTTLES
        for index in (None, *(index["indexName"] for index in indexes))
    }
    for node in Stack.of(table).node.find_all():
        alarm = node if isinstance(node, cloudwatch.CfnAlarm) else None
        for query in (alarm and _resolved(alarm, alarm.metrics)) or []:
            metric = query.get("metricStat", {}).get("metric", {})
            where = {d["name"]: d["value"] for d in metric.get("dimensions", [])}
            if where.get("TableName") == own_name:
                needed.discard((metric["metricName"], where.get("GlobalSecondaryIndexName")))
    return not needed


def failure_destination(mapping: Any) -> bool:
    """A record that keeps failing must be kept somewhere when it is given up."""
    if not _reads_a_table(mapping):
        return True
    found = _resolved(mapping, mapping.destination_config) or {}
    return bool((found.get("onFailure") or {}).get("destination"))


def bisect(mapping: Any) -> bool:
    """One bad record must not take its whole batch down with it."""
    return not _reads_a_table(mapping) or mapping.bisect_batch_on_function_error is True


def partial_batch(mapping: Any) -> bool:
    """A retry must begin at the failed record, not at those that are done."""
    reports = _resolved(mapping, mapping.function_response_types) or []
    return not _reads_a_table(mapping) or "ReportBatchItemFailures" in reports


def kept_events(permission: Any) -> bool:
    """An event that a function keeps failing on must be kept: nobody waits for its answer."""
    if _resolved(permission, permission.principal) not in _ASYNCHRONOUS:
        return True
    function = _resolved(permission, permission.function_name)
    name = {"Ref": function["Fn::GetAtt"][0]} if isinstance(function, dict) else function
    for node in Stack.of(permission).node.find_all():
        if isinstance(node, lambda_.CfnEventInvokeConfig):
            found = _resolved(node, node.destination_config) or {}
            if _resolved(node, node.function_name) in (name, function):
                return bool((found.get("onFailure") or {}).get("destination"))
    return False


Rule = Callable[[Any], bool]
_RULES: dict[str, tuple[tuple[str, str, Rule], ...]] = {
    dynamodb.CfnGlobalTable.CFN_RESOURCE_TYPE_NAME: (
        ("PointInTimeRecovery", "A replica has no point-in-time recovery.", point_in_time_recovery),
        ("DeletionProtection", "A replica can be deleted by one call.", deletion_protection),
        ("Encryption", "The table is not encrypted with a key in KMS.", encryption),
        ("TimeToLive", "The design expires items, but the table does not.", time_to_live),
        ("ThrottleAlarms", "Throttling of the table or an index is not told.", throttle_alarms),
    ),
    lambda_.CfnEventSourceMapping.CFN_RESOURCE_TYPE_NAME: (
        ("FailureDestination", "Records that fail are dropped.", failure_destination),
        ("BisectBatch", "A failing batch is never divided.", bisect),
        ("PartialBatch", "The function cannot say which record failed.", partial_batch),
    ),
    lambda_.CfnPermission.CFN_RESOURCE_TYPE_NAME: (
        ("KeptEvents", "Events and scheduled runs that fail are dropped.", kept_events),
    ),
}
RULE_IDS = tuple(f"Tablewright-{name}" for rules in _RULES.values() for name, _, _ in rules)
"""The ids of the rules, by which one is acknowledged."""


@jsii.implements(IApplyRule)
class _Applied:
    """One rule for one resource, in the form that cdk-nag takes it."""

    def __init__(self, rule: tuple[str, str, Rule], node: CfnResource) -> None:
        self._name, self._info, self._holds = rule
        self._node = node

    @property
    @jsii.member(jsii_name="ruleSuffixOverride")
    def rule_suffix_override(self) -> str:
        return self._name

    @property
    @jsii.member(jsii_name="info")
    def info(self) -> str:
        return self._info

    @property
    @jsii.member(jsii_name="explanation")
    def explanation(self) -> str:
        return self._holds.__doc__ or ""

    @property
    @jsii.member(jsii_name="level")
    def level(self) -> NagMessageLevel:
        return NagMessageLevel.ERROR

    @property
    @jsii.member(jsii_name="node")
    def node(self) -> CfnResource:
        return self._node

    @jsii.member(jsii_name="rule")
    def rule(self, node: CfnResource) -> NagRuleCompliance:
        holds = self._holds(node)
        return NagRuleCompliance.COMPLIANT if holds else NagRuleCompliance.NON_COMPLIANT


def _resolved(node: CfnResource, value: Any) -> Any:
    return Stack.of(node).resolve(value)


def _reads_a_table(mapping: Any) -> bool:
    source = _resolved(mapping, mapping.event_source_arn)
    if isinstance(source, dict):
        return "StreamArn" in source.get("Fn::GetAtt", ())
    return isinstance(source, str) and ":dynamodb:" in source and "/stream/" in source
