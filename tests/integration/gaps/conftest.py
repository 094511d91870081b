"""One emulated cloud with every gap closed for the whole run, and others with a gap left open."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.gaps.clouds import Cloud, running


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with running(Cloud(tmp_path_factory.mktemp("cloud") / "state")) as started:
        yield started


@pytest.fixture
def cloud_without(tmp_path: Path) -> Iterator[Callable[[str], Cloud]]:
    """What ministack does by itself: when a test with it fails, the gap's module can go."""
    with ExitStack() as opened:

        def start(gap: str) -> Cloud:
            return opened.enter_context(running(Cloud(tmp_path / gap, without=gap)))

        yield start
