"""Templates in the form of the snapshots: short enough to see the change of a table at a glance.

Intrinsic functions are written as text, as in ``Fn::Sub``, and tags as one line. Alarms and log
groups are counted by kind. Everything else stays whole, above all policies.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.infrastructure.synthesis import Template, listed

OPERATORS = {"GreaterThanOrEqualToThreshold": ">=", "LessThanThreshold": "<"}


def reviewed(template: Template) -> Template:
    """A template without its alarms and log groups, and their counts beside its resources."""
    short: Template = shortened(template)
    resources, counts = {}, {type: Counter[str]() for type in COUNTED}
    for id, resource in short.get("Resources", {}).items():
        if kind := COUNTED.get(resource["Type"]):
            counts[resource["Type"]][kind(resource)] += 1
        else:
            resources[id] = resource
    found = {type: dict(count) for type, count in counts.items() if count}
    return {**short, "Resources": resources, **found}


def shortened(value: Any) -> Any:
    """A value with intrinsic functions as text and tags as one line."""
    if isinstance(value, list):
        return _tags(value) or [shortened(part) for part in value]
    if not isinstance(value, dict):
        return value
    short = {key: shortened(part) for key, part in value.items()}
    return _text(short) or short


def alarm_kind(alarm: Template) -> str:
    """The metric of an alarm, and when it fires."""
    own = alarm["Properties"]
    metrics = [metric["MetricStat"] for metric in own.get("Metrics", ()) if "MetricStat" in metric]
    if metrics:
        stat = metrics[0]
        metric, statistic, period = stat["Metric"], stat["Stat"], stat["Period"]
        expression = next(m["Expression"] for m in own["Metrics"] if "Expression" in m)
        statistic = f"{expression} of {statistic}"
    else:
        metric, period = own, own["Period"]
        statistic = own.get("Statistic") or own["ExtendedStatistic"]
    periods = own["EvaluationPeriods"]
    times = f"{own.get('DatapointsToAlarm', periods)} of {periods}"
    topic = "to its topic" if own.get("AlarmActions") else "to nobody"
    fires = f"{OPERATORS[own['ComparisonOperator']]} {own['Threshold']}"
    name = f"{metric['Namespace']} {metric['MetricName']}"
    return f"{name}: {statistic} of {period} s {fires}, {times}, {topic}"


def log_group_kind(group: Template) -> str:
    """How long a log group keeps entries, and whether it outlives its stack."""
    days = group.get("Properties", {}).get("RetentionInDays")
    kept = f"kept {days} days" if days else "kept forever"
    return ", ".join([kept, *filter(None, [group.get("DeletionPolicy")])])


COUNTED: dict[str, Callable[[Template], str]] = {
    "AWS::CloudWatch::Alarm": alarm_kind,
    "AWS::Logs::LogGroup": log_group_kind,
}


def _tags(value: list[Any]) -> str | None:
    if value and all(isinstance(tag, dict) and tag.keys() == {"Key", "Value"} for tag in value):
        return ", ".join(f"{tag['Key']}={shortened(tag['Value'])}" for tag in value)
    return None


def _text(value: Template) -> str | None:
    """An intrinsic function whose arguments are text already."""
    if len(value) != 1:
        return None
    ((name, argument),) = value.items()
    if name == "Ref":
        return f"${{{argument}}}"
    if name == "Fn::GetAtt":
        return f"${{{'.'.join(listed(argument))}}}"
    if name == "Fn::ImportValue":
        return f"${{import {argument}}}"
    if name == "Fn::Sub" and isinstance(argument, str):
        return argument
    if name == "Fn::Join" and all(isinstance(part, str) for part in argument[1]):
        return str(argument[0]).join(argument[1])
    return None
