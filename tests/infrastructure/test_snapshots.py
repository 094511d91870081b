"""The templates: production's whole, and of the other stages what differs from it.

What a change to the code changes in the cloud shows here first.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.infrastructure.synthesis import STAGES, Assembly

SYSTEMS = ("operations", "identity", "sales", "sentiment", "forms", "portal")
# Only where it is asked for, or data outlives its stack.
AUDIT = "audit"
AWAY = ("us-west-2", "eu-west-1", "ap-south-1")
STANDBY = ("operations", "identity", "sentiment")
OTHERS = (
    *((stage, system) for stage in STAGES for system in SYSTEMS if stage != "prod"),
    ("staging", AUDIT),
    ("prod-us-east-1", "sentiment"),
    ("prod-accelerated", "sentiment"),
    ("prod-replicated-encrypted", "sentiment"),
)
# What takes long to synthesize, and changes with what the others show.
SELDOM = ("prod-accelerated", "prod-replicated-encrypted")
ABSENT = "<absent>"

_ASSET = re.compile(r"\b[0-9a-f]{64}\b")
Stage = Callable[[str], Assembly]


def template(stage: Stage, name: str, system: str) -> dict[str, Any]:
    """A template without what differs from run to run."""
    normal: dict[str, Any] = json.loads(
        _ASSET.sub("<asset>", json.dumps(stage(name).template(system)))
    )
    return normal


def of_any_stage(template: dict[str, Any], name: str) -> dict[str, Any]:
    """A template with a placeholder for its stage's name."""
    named: dict[str, Any] = json.loads(re.sub(rf"\b{name}\b", "<stage>", json.dumps(template)))
    return named


def difference(one: Any, other: Any) -> Any:
    """What `other` has in the places where it is not as `one`."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return other
    return {
        key: difference(one[key], other[key])
        if key in one and key in other
        else other.get(key, ABSENT)
        for key in sorted({*one, *other})
        if one.get(key, ABSENT) != other.get(key, ABSENT)
    }


@pytest.mark.parametrize("system", [*SYSTEMS, AUDIT])
def test_the_template_of_production_is_as_reviewed(
    system: str, stage: Stage, snapshot: SnapshotAssertion
) -> None:
    assert template(stage, "prod", system) == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("system", STANDBY)
def test_the_template_of_a_standby_differs_from_home_s_as_reviewed(
    system: str, stage: Stage, snapshot: SnapshotAssertion
) -> None:
    home = template(stage, "prod-us-east-1", system)
    there = template(stage, "prod-us-east-1", f"{system}-{AWAY[0]}")
    assert difference(home, there) == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("system", STANDBY)
@pytest.mark.parametrize("region", AWAY[1:])
def test_every_standby_has_what_the_reviewed_one_has(
    region: str, system: str, stage: Stage
) -> None:
    reviewed, other = (
        sorted(
            (resource["Type"], sorted(resource.get("Properties", {})))
            for resource in template(stage, "prod-us-east-1", name)["Resources"].values()
        )
        for name in (f"{system}-{AWAY[0]}", f"{system}-{region}")
    )
    assert other == reviewed


@pytest.mark.parametrize(
    ("system", "name"),
    [
        pytest.param(system, name, marks=pytest.mark.thorough if name in SELDOM else ())
        for name, system in OTHERS
    ],
)
def test_the_template_differs_from_production_s_as_reviewed(
    system: str, name: str, stage: Stage, snapshot: SnapshotAssertion
) -> None:
    prod = of_any_stage(template(stage, "prod", system), "prod")
    other = of_any_stage(template(stage, name, system), name.partition("-")[0])
    assert difference(prod, other) == snapshot(extension_class=JSONSnapshotExtension)


def test_what_differs_is_found_and_nothing_else() -> None:
    one = {"same": {"a": 1}, "gone": 1, "changed": {"kept": 1, "other": [1, 2]}}
    other = {"same": {"a": 1}, "new": {"b": 2}, "changed": {"kept": 1, "other": [2]}}
    found = {"gone": ABSENT, "new": {"b": 2}, "changed": {"other": [2]}}
    assert difference(one, other) == found


def test_every_stack_is_reviewed(stage: Stage) -> None:
    reviewed = {("prod", system) for system in (*SYSTEMS, AUDIT)} | set(OTHERS)
    standby = [f"{system}-{region}" for system in STANDBY for region in AWAY]
    reviewed |= {("prod-us-east-1", system) for system in standby}
    for name in (*STAGES, "prod-us-east-1"):
        kind = name.partition("-")[0]
        for stack in stage(name).templates:
            system = stack.removeprefix(f"tablewright-{kind}-")
            assert not {(kind, system), (name, system)}.isdisjoint(reviewed), stack
