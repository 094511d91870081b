"""A cloud that makes every change of a table, as ministack does by itself."""

from collections.abc import Iterator

import pytest

from local.gaps import GAPS
from tests.integration.gaps.clouds import Cloud, running


@pytest.fixture(scope="session")
def open_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    changes = ",".join(gap for gap in GAPS if gap.startswith("dynamodb.changes."))
    state = tmp_path_factory.mktemp("open") / "state"
    with running(Cloud(state, without=changes)) as started:
        yield started
