"""The templates, whole: what a change to the code changes in the cloud shows here first."""

import json
import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.infrastructure.synthesis import STAGES, Assembly

SYSTEMS = ("operations", "identity", "sales", "sentiment", "forms", "portal")
REPLICAS = ("replica-us-west-2", "replica-eu-west-1", "replica-ap-south-1")
REVIEWED = (
    *((stage, system) for stage in STAGES for system in SYSTEMS),
    *(("prod-us-east-1", system) for system in ("sentiment", *REPLICAS)),
    ("prod-accelerated", "sentiment"),
)

_ASSET = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.mark.parametrize(("system", "name"), [(system, name) for name, system in REVIEWED])
def test_the_template_is_as_reviewed(
    system: str, name: str, stage: Callable[[str], Assembly], snapshot: SnapshotAssertion
) -> None:
    template = stage(name).template(system)
    normal = json.loads(_ASSET.sub("<asset>", json.dumps(template)))
    assert normal == snapshot(extension_class=JSONSnapshotExtension)


def test_every_stack_is_reviewed(stage: Callable[[str], Assembly]) -> None:
    for name in (*STAGES, "prod-us-east-1"):
        kind = name.partition("-")[0]
        for stack in stage(name).templates:
            system = stack.removeprefix(f"tablewright-{kind}-")
            assert not {(kind, system), (name, system)}.isdisjoint(REVIEWED), stack
