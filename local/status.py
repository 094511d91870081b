"""Status of the local cloud: what runs, where it answers, what is there in name only."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from local.deployment import STAGE, Deployment
from local.emulator.connection import Connection
from local.emulator.faults import Faults
from local.emulator.home import Home
from local.gaps.cloudformation.resources import ALARM, METRIC_MATH, recorded

Alarms = dict[str, tuple[str, str]]

# Settings that are stored and shown, but change nothing here.
NOT_HERE = (
    "encryption keys (nothing is encrypted)",
    "point-in-time recovery and contributor insights",
    "API throttling and access logs",
    "sign-in risk protection, and mail to users",
    "retention of logs",
)


def status(home: Home, connection: Connection, deployment: Deployment) -> Iterator[str]:
    running = home.running()
    yield f"Running: process {running.server if running else '?'} on {connection.endpoint}"
    for system, url in deployment.api_urls().items():
        yield f"  {system} API  {url}"
    yield "Stacks:"
    alarms = _alarms(connection)
    kinds: Counter[str] = Counter()
    for stack, resources in _stacks(connection):
        kinds.update(_kind(resource, alarms) for resource in resources)
        yield f"  {stack['StackName']}  {stack['StackStatus']}, {len(resources)} resources"
    yield f"Alarms: {_states(alarms)}"
    yield from (f"  {name}: {said}" for name, (state, said) in alarms.items() if state == "ALARM")
    faults = Faults(home).active()
    yield "Faults: " + ("; ".join(map(str, faults)) or "none")
    idle = [f"{kind} ({kinds[kind]})" for kind in recorded() if kinds[kind]]
    yield "Recorded only, nothing runs behind them: " + (", ".join(idle) or "no resource")
    yield "Kept but without effect on this machine:"
    yield from (f"  {setting}" for setting in NOT_HERE)


def _stacks(connection: Connection) -> Iterator[tuple[Any, list[Any]]]:
    cloudformation = connection.client("cloudformation")
    for stack in cloudformation.describe_stacks()["Stacks"]:
        if stack["StackName"].startswith(f"tablewright-{STAGE}-"):
            pages = cloudformation.get_paginator("list_stack_resources").paginate(
                StackName=stack["StackName"]
            )
            yield stack, [one for page in pages for one in page["StackResourceSummaries"]]


def _kind(resource: Any, alarms: Alarms) -> str:
    kind = str(resource["ResourceType"])
    is_idle = kind == ALARM and resource["PhysicalResourceId"] not in alarms
    return METRIC_MATH if is_idle else kind


def _alarms(connection: Connection) -> Alarms:
    """Those that are evaluated: state and description by name."""
    pages = connection.client("cloudwatch").get_paginator("describe_alarms").paginate()
    return {
        alarm["AlarmName"]: (alarm["StateValue"], alarm.get("AlarmDescription", ""))
        for page in pages
        for alarm in page["MetricAlarms"]
    }


def _states(alarms: Alarms) -> str:
    count = Counter(state for state, _ in alarms.values())
    return ", ".join(f"{count[state]} {state}" for state in sorted(count)) or "none"
