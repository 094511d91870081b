"""Snapshots of the templates: production in full, the other stages as differences from it.

A change of the code that changes the cloud shows here first.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.infrastructure.review import COUNTED, reviewed
from tests.infrastructure.synthesis import Assembly, Template

# A stage that is added has no snapshots before it is named here.
STAGES = ("local", "dev", "staging", "prod")
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
# A reviewer reads them: a change of a table must be seen at a glance.
MAX_LINES = 25_000
SNAPSHOTS = Path(__file__).parent / "__snapshots__"

Stage = Callable[[str], Assembly]


def template(stage: Stage, name: str, system: str) -> Template:
    """A template as it is reviewed."""
    return reviewed(stage(name).comparable(system))


def baseline(name: str) -> str:
    """The stage that a variant is compared with."""
    return "prod-us-east-1" if name in SELDOM else "prod"


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
            for resource in stage("prod-us-east-1").template(name)["Resources"].values()
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
    one = of_any_stage(template(stage, baseline(name), system), "prod")
    other = of_any_stage(template(stage, name, system), name.partition("-")[0])
    assert difference(one, other) == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("system", SYSTEMS)
def test_alarms_and_log_groups_are_counted_and_everything_else_is_whole(
    system: str, prod: Assembly
) -> None:
    whole = prod.template(system)["Resources"]
    short = template(lambda _: prod, "prod", system)
    assert short["Resources"].keys() == {
        id for id, resource in whole.items() if resource["Type"] not in COUNTED
    }
    counted = sum(sum(short.get(type, {}).values()) for type in COUNTED)
    assert counted == len(whole) - len(short["Resources"])


def test_snapshots_are_short_enough_to_read() -> None:
    lines = sum(len(path.read_text().splitlines()) for path in SNAPSHOTS.rglob("*.json"))
    assert lines <= MAX_LINES


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
