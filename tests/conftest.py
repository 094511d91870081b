"""Every stage is synthesized once for the whole run; tests read the templates as plain JSON."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.infrastructure.synthesis import Assembly

ROOT = Path(__file__).resolve().parents[1]
# Both are read when aws_cdk is first imported, which starts Node.
os.environ["PATH"] = f"{ROOT / '.build' / 'bin'}{os.pathsep}{os.environ['PATH']}"
os.environ["CDK_VALIDATION"] = "false"

# A busy machine is no reason for an example to fail.
settings.register_profile("tablewright", deadline=None)
settings.load_profile("tablewright")


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Assembly]":
    # Unit tests never come here, and so do not wait for Node.
    from tests.infrastructure.synthesis import synthesize_stage

    made: dict[str, Assembly] = {}

    def of(name: str) -> "Assembly":
        if name not in made:
            made[name] = synthesize_stage(name, tmp_path_factory.mktemp(name))
        return made[name]

    return of


@pytest.fixture(scope="session")
def prod(stage: "Callable[[str], Assembly]") -> "Assembly":
    return stage("prod")


@pytest.fixture(scope="session")
def dev(stage: "Callable[[str], Assembly]") -> "Assembly":
    return stage("dev")
