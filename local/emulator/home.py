"""The folder in which one local cloud keeps everything, and who runs it at the moment."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from toolchain.paths import BUILD

DEFAULT = BUILD / "local"


class LocalCloudError(RuntimeError):
    """The local cloud cannot do what was asked; says what to do."""


@dataclass(frozen=True)
class Running:
    """A cloud that is up: the process that holds it, its server and its port."""

    keeper: int
    server: int
    port: int


class Home:
    """Where state, logs, CDK's output and the sample users' passwords are kept.

    Example::

        home = Home(tmp_path / "cloud")
        home.running()  # None
    """

    def __init__(self, root: Path = DEFAULT) -> None:
        self.root = root
        self.state = root / "state"
        self.objects = root / "s3"
        self.server_log = root / "server.log"
        self.deploy_log = root / "deploy.log"
        self.cdk_home = root / "cdk-home"
        self.cdk_out = root / "cdk.out"
        self.outputs = root / "outputs.json"
        self.users = root / "users.json"
        self.faults = root / "faults.json"
        self._lock = root / "lock"
        self._running = root / "running.json"

    @contextlib.contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the folder for one cloud; False when another process holds it.

        The lock goes with the process, however it ends, so it never needs to be cleaned up.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def record(self, server: int, port: int) -> None:
        """Say, while the folder is held, what runs."""
        self.write_private(self._running, json.dumps(asdict(Running(os.getpid(), server, port))))

    def running(self) -> Running | None:
        """What runs now."""
        running = self.last_running()
        return running if running and self._is_held() else None

    def last_running(self) -> Running | None:
        """What runs now, or ran last: a killed process may have left its server behind."""
        try:
            return Running(**json.loads(self._running.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def _is_held(self) -> bool:
        with contextlib.suppress(FileNotFoundError), self._lock.open("r") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    @staticmethod
    def write_private(file: Path, text: str) -> None:
        """Replace a file in one step; only its owner can read it."""
        unfinished = file.with_suffix(".new")
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.write(text)
        unfinished.replace(file)
