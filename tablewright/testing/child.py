"""Processes that end with the one that started them, however that ends."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Self

STOP_SECONDS = 15.0
GROUP_SECONDS = 5.0
POLL_SECONDS = 0.02

# A child would outlive a killed Python. So a shell beside it waits on the pipe that Python holds:
# the end of the pipe makes it end the child, a line on it sends it away.
_END_WITH_PARENT = 'exec 3<&0; (read _ || kill -{0} $$) <&3 & exec "$@" </dev/null 3<&-'


def bound(command: Sequence[str], ended_by: signal.Signals) -> tuple[str, ...]:
    """The command, to be started with a pipe as its input: it ends when that pipe does."""
    return ("/bin/sh", "-c", _END_WITH_PARENT.format(int(ended_by)), "sh", *command)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the block is done: in the middle of a start, the process would be lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python interrupts the main thread only
        return
    came: list[tuple[int, FrameType | None]] = []
    usual = signal.signal(signal.SIGINT, lambda *given: came.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came and callable(usual):
            usual(*came[0])


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started so, by force if it takes too long, and what it started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        end_group(process.pid)
    if process.stdin is not None and not process.stdin.closed:
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(b"\n")


def end_group(leader: int) -> None:
    """End what a process started and left behind, if it led a group of its own.

    Functions that the cloud runs, for example: one that is just being imported would go on
    writing into a folder that is being removed.
    """
    deadline = time.monotonic() + GROUP_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline:
            os.killpg(leader, signal.SIGKILL)
            time.sleep(POLL_SECONDS)


class Closing(ABC):
    """Closed at the end of its `with` block."""

    @abstractmethod
    def close(self) -> None:
        """Stop what runs. A second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
