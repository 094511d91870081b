"""A process that is stopped takes with it what it started."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local import deployment
from tablewright.testing import child
from tests.integration.gaps.clouds import until

# Ends when told to, and leaves another process behind that does not.
LEAVES_ONE = 'sh -c "trap : TERM; echo \\$\\$ > $0; while :; do sleep 1; done" & wait'


def test_what_a_process_started_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "left"
    command = child.bound(("/bin/sh", "-c", LEAVES_ONE, str(note)), signal.SIGTERM)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    left = int(until(lambda: note.exists() and note.read_text().strip()))
    os.kill(left, 0)
    child.stop(process)
    with pytest.raises(ProcessLookupError):
        os.kill(left, 0)
    child.stop(process)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C is an exception, also where the tests run beside others."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_process_that_starts_when_ctrl_c_comes_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            started.append(self.pid)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt), deployment._running(("sleep", "60"), {}, Path()):
        pytest.fail("it was interrupted before")
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
