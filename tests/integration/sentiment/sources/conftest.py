"""A local server in place of each source, and a client whose waits take no time."""

from collections.abc import Iterator

import pytest

from lambdas.sentiment.sources import Web
from tests.integration.sentiment.sources.clock import Clock
from tests.integration.sentiment.sources.server import Server, running


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture
def elsewhere() -> Iterator[Server]:
    """Another server, which is not to be talked to."""
    with running() as started:
        yield started


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def web(clock: Clock) -> Web:
    return Web(now=clock.now, sleep=clock.sleep)
