"""Gap: CloudFormation refuses templates with resource types that ministack has nothing for.

These are recorded: the stack deploys, references resolve, and nothing runs behind them.
`recorded()` names them all, for whoever says what the emulated cloud does and does not do. It can
be asked without ministack.
"""

from collections.abc import Callable
from typing import Any

from local.gaps import expected

Attributes = dict[str, str]
Handler = dict[str, Callable[..., Any]]

ALARM = "AWS::CloudWatch::Alarm"
METRIC_MATH = f"{ALARM} with metric math"
_NAMES = ("AlarmName", "ClusterName", "ParameterGroupName", "SubnetGroupName")
# ministack keeps these itself, and never makes a backup.
_IDLE = ("AWS::Backup::BackupPlan", "AWS::Backup::BackupVault")


def recorded() -> tuple[str, ...]:
    """The resource types that deploy with nothing behind them."""
    return tuple(sorted((*_RECORDED, *_IDLE, METRIC_MATH)))


def close() -> None:
    from ministack.services.cloudformation import provisioners

    handlers = expected.attribute(provisioners, "_RESOURCE_HANDLERS")
    for idle in _IDLE:
        expected.handler(idle)
    for resource_type, attributes in _RECORDED.items():
        if resource_type in handlers:
            raise expected.GapMismatch(f"ministack knows {resource_type} by now: do not record it")
        handlers[resource_type] = _recording(attributes)
    _record_metric_math(expected.handler(ALARM))


def _recording(attributes: Callable[[str], Attributes]) -> Handler:
    def create(logical_id: str, props: Any, stack_name: str) -> tuple[str, Attributes]:
        given = (props[name] for name in _NAMES if name in props)
        physical_id = next(given, None) or _physical_name(stack_name, logical_id)
        return physical_id, attributes(physical_id)

    def update(physical_id: str, *_: Any) -> tuple[str, Attributes]:
        return physical_id, attributes(physical_id)

    def delete(physical_id: str, props: Any) -> None:
        """Nothing is behind it."""

    return {"create": create, "update": update, "delete": delete}


def _record_metric_math(handler: Handler) -> None:
    """ministack's alarms watch one metric; one over an expression of several is only recorded."""
    kept = dict(handler)
    recording = _recording(lambda name: {"Arn": _arn("cloudwatch", f"alarm:{name}")})

    def create(logical_id: str, props: dict[str, Any], stack_name: str) -> Any:
        chosen = recording if props.get("Metrics") else kept
        return chosen["create"](logical_id, props, stack_name)

    def update(physical_id: str, old: dict[str, Any], new: dict[str, Any], *rest: Any) -> Any:
        chosen = recording if new.get("Metrics") else kept
        return chosen["update"](physical_id, old, new, *rest)

    def delete(physical_id: str, props: dict[str, Any] | None, *rest: Any) -> Any:
        chosen = recording if (props or {}).get("Metrics") else kept
        return chosen["delete"](physical_id, props, *rest)

    handler.update(create=create, update=update, delete=delete)


def _dax_cluster(name: str) -> Attributes:
    host = f"{name}.dax.invalid"
    return {
        "Arn": _arn("dax", f"cache/{name}"),
        "ClusterDiscoveryEndpoint": f"{host}:8111",
        "ClusterDiscoveryEndpointURL": f"dax://{host}",
    }


def _no_attributes(name: str) -> Attributes:
    return {}


_RECORDED: dict[str, Callable[[str], Attributes]] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": lambda name: {"Id": name},
    "AWS::ApplicationAutoScaling::ScalingPolicy": lambda name: {"Arn": _arn("autoscaling", name)},
    "AWS::Backup::BackupSelection": lambda name: {"Id": name, "SelectionId": name},
    "AWS::Budgets::Budget": _no_attributes,
    "AWS::CloudWatch::CompositeAlarm": lambda name: {"Arn": _arn("cloudwatch", f"alarm:{name}")},
    "AWS::DAX::Cluster": _dax_cluster,
    "AWS::DAX::ParameterGroup": _no_attributes,
    "AWS::DAX::SubnetGroup": _no_attributes,
}


def _physical_name(stack_name: str, logical_id: str) -> str:
    from ministack.services.cloudformation import provisioners

    name: str = provisioners._physical_name(stack_name, logical_id)
    return name


def _arn(service: str, resource: str) -> str:
    from ministack.core.responses import get_account_id, get_region

    return f"arn:aws:{service}:{get_region()}:{get_account_id()}:{resource}"
