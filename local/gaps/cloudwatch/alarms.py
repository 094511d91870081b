"""Gap: an alarm looks at the metrics of all resources, all periods at once, and only now and then.

It is evaluated every few seconds here: on the metric with its own dimensions, period by period,
M out of N, with the treatment of missing data that it asks for.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ministack.core.responses import request_scope
from ministack.services import cloudwatch

from local.gaps import expected

EVERY_SECONDS = 2.0
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold,
    "GreaterThanThreshold": lambda value, threshold: value > threshold,
    "LessThanThreshold": lambda value, threshold: value < threshold,
    "LessThanOrEqualToThreshold": lambda value, threshold: value <= threshold,
}


def close() -> None:
    expected.function(cloudwatch, "_evaluate_alarm", "alarm")
    expected.function(cloudwatch, "_calc_stats", "points")
    expected.function(cloudwatch, "_stat_value", "stats", "stat_name", "points")
    for name in ("_alarms", "_metrics", "_record_history", "_dispatch_alarm_actions"):
        expected.attribute(cloudwatch, name)
    cloudwatch._evaluate_alarm = evaluate
    threading.Thread(target=_watch, daemon=True, name="alarms").start()


def _watch() -> None:
    while True:
        time.sleep(EVERY_SECONDS)
        for (account, region, _), alarm in list(cloudwatch._alarms.all_items()):
            # A metric may be added while we look: the next round sees it.
            with request_scope(account, region), contextlib.suppress(RuntimeError):
                evaluate(alarm)


def evaluate(alarm: dict[str, Any]) -> None:
    if alarm.get("ComparisonOperator") not in _COMPARISONS or not alarm.get("MetricName"):
        return
    points = _points(alarm)
    state = _state(alarm, _windows(points, alarm, time.time()))
    old = alarm["StateValue"]
    if state is None or state == old:
        return
    reason = f"Threshold Crossed: {alarm['MetricName']} is {state}"
    alarm["StateValue"], alarm["StateReason"] = state, reason
    alarm["StateUpdatedTimestamp"] = int(time.time())
    cloudwatch._record_history(alarm["AlarmName"], old, state, reason)
    cloudwatch._dispatch_alarm_actions(alarm, old, state, reason)
    cloudwatch._evaluate_parent_alarms(alarm)


def _points(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    wanted = {d["Name"]: d["Value"] for d in alarm.get("Dimensions") or []}
    found: list[dict[str, Any]] = []
    for (namespace, name, _), points in list(cloudwatch._metrics.items()):
        if (namespace, name) == (alarm.get("Namespace"), alarm["MetricName"]):
            found += [point for point in list(points) if point["Dimensions"] == wanted]
    return found


def _windows(
    points: Sequence[dict[str, Any]], alarm: dict[str, Any], now: float
) -> Iterable[list[dict[str, Any]]]:
    """The points of each period that counts, the current one first."""
    period = alarm.get("Period", 60)
    start = now // period * period
    for _ in range(alarm.get("EvaluationPeriods", 1)):
        yield [point for point in points if start <= point["Timestamp"] < start + period]
        start -= period


def _state(alarm: dict[str, Any], windows: Iterable[list[dict[str, Any]]]) -> str | None:
    missing = alarm.get("TreatMissingData") or "missing"
    breaches = [_breaches(alarm, window) for window in windows]
    known = [breach for breach in breaches if breach is not None]
    if not known and missing in ("missing", "ignore"):
        return "INSUFFICIENT_DATA" if missing == "missing" else None
    count = sum(known) + (len(breaches) - len(known)) * (missing == "breaching")
    needed = alarm.get("DatapointsToAlarm") or alarm.get("EvaluationPeriods", 1)
    return "ALARM" if count >= needed else "OK"


def _breaches(alarm: dict[str, Any], window: list[dict[str, Any]]) -> bool | None:
    """Whether the period is over the threshold; None when it has nothing to measure."""
    if not window:
        return None
    statistic = alarm.get("ExtendedStatistic") or alarm.get("Statistic", "Average")
    value = cloudwatch._stat_value(cloudwatch._calc_stats(window), statistic, window)
    if value is None:
        return None
    return _COMPARISONS[alarm["ComparisonOperator"]](value, alarm.get("Threshold", 0))
