"""One engine for all processes of a run, which have a folder in common."""

from contextlib import ExitStack
from pathlib import Path
from threading import Thread

from tablewright.testing.shared_engine import shared_engine
from tests.integration.testing.test_dynamodb_local import listens


def test_an_engine_runs_until_the_last_that_shares_it_is_done(tmp_path: Path) -> None:
    first, second = ExitStack(), ExitStack()
    endpoint = first.enter_context(shared_engine(tmp_path)).endpoint
    assert second.enter_context(shared_engine(tmp_path)).endpoint == endpoint

    ending = Thread(target=first.close)
    ending.start()
    ending.join(0.2)
    assert ending.is_alive()
    assert listens(endpoint)
    second.close()
    ending.join()
    assert not listens(endpoint)

    with shared_engine(tmp_path) as another:
        assert listens(another.endpoint)
