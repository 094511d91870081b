"""The pinned ministack, and the assertion that it is the one these gaps were written against."""

import inspect
from typing import Any

VERSION = "1.5.33"


class GapMismatch(RuntimeError):
    """ministack does not have what a gap replaces."""


def function(owner: Any, name: str, *parameters: str) -> Any:
    """The function `owner.name`, which must take exactly these parameters."""
    found = attribute(owner, name)
    actual = tuple(inspect.signature(found).parameters)
    if actual != parameters:
        raise _mismatch(owner, f"{name}({', '.join(parameters)}), but {name}({', '.join(actual)})")
    return found


def attribute(owner: Any, name: str) -> Any:
    """The value `owner.name`, which must be there."""
    if not hasattr(owner, name):
        raise _mismatch(owner, name)
    return getattr(owner, name)


def handler(resource_type: str) -> dict[str, Any]:
    """CloudFormation's functions for a resource type, which it must know."""
    from ministack.services.cloudformation import provisioners

    handlers = attribute(provisioners, "_RESOURCE_HANDLERS")
    if resource_type not in handlers:
        raise _mismatch(provisioners, f"handler of {resource_type}")
    found: dict[str, Any] = handlers[resource_type]
    for action, parameters in (
        ("create", ["logical_id", "props", "stack_name"]),
        ("delete", ["physical_id", "props"]),
    ):
        if list(inspect.signature(found[action]).parameters)[: len(parameters)] != parameters:
            raise _mismatch(provisioners, f"{action}({', '.join(parameters)}) of {resource_type}")
    return found


def _mismatch(owner: Any, missing: str) -> GapMismatch:
    return GapMismatch(
        f"{owner.__name__} has no {missing}. local/gaps is written for ministack {VERSION}: "
        "install that version with `make setup`, or adapt the gap."
    )
