"""The templates, whole: what a change to the code changes in the cloud shows here first."""

import json
import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from tests.infrastructure.synthesis import STAGES, Assembly

_ASSET = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("system", ["operations", "identity", "sales"])
def test_the_template_is_as_reviewed(
    name: str, system: str, stage: Callable[[str], Assembly], snapshot: SnapshotAssertion
) -> None:
    template = stage(name).template(system)
    normal = json.loads(_ASSET.sub("<asset>", json.dumps(template)))
    assert normal == snapshot(extension_class=JSONSnapshotExtension)
