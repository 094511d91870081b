"""A process that is stopped takes with it what it started."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from local import child
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
