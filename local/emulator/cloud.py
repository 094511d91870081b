"""The local cloud's process.

    with Cloud(Home(folder)) as cloud:
        cloud.connection.client("s3").list_buckets()

What it holds is kept in the folder: the next one that starts there goes on where it ended.
"""

import contextlib
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from local.emulator.connection import (
    ACCOUNT,
    ADMINISTRATOR,
    LOOPBACK,
    REGION,
    Connection,
    environment,
)
from local.emulator.home import Home, LocalCloudError
from tablewright.testing import child
from tablewright.testing.child import STOP_SECONDS
from toolchain import paths
from toolchain.paths import ROOT

PORT = 4566
START_SECONDS = 60.0
POLL_SECONDS = 0.05
PORT_ATTEMPTS = 5
TAIL_LINES = 20
_PROC = Path("/proc")  # on Linux, where a small image may have no ps


class Cloud(child.Closing):
    """A running server, stopped by `close` or with this process, however that ends."""

    connection: Connection
    process: subprocess.Popen[bytes]

    def __init__(self, home: Home, *, port: int | None = None) -> None:
        """Takes `port` or, when that is not given, the usual one if it is free."""
        self.home = home
        self._port = port
        self._hold = contextlib.ExitStack()
        if not self._hold.enter_context(home.held()):
            raise LocalCloudError(f"Another process runs a cloud in {home.root}.")
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start the server; also again, after it ended."""
        stop_leftover(self.home)
        deadline = time.monotonic() + START_SECONDS
        for port in self._candidates():
            # Another server may take the port first and answer in place of ours.
            name = secrets.token_hex(8)
            self.process = self._launch(port, name)
            self.connection = Connection(port)
            self.home.record(self.process.pid, port)
            if self._ready(port, name, deadline):
                return
            child.stop(self.process)
        raise self._error("found no free port")

    def stop(self) -> None:
        """Stop the server in order: everything that it holds is written."""
        if hasattr(self, "process"):
            child.stop(self.process)

    def close(self) -> None:
        """Stop the server and let go of the folder. A second call does nothing."""
        self.stop()
        self._hold.close()

    def _candidates(self) -> list[int]:
        """Ports to try: what was handed out once, such as a queue's address, names the port."""
        last = self.home.last_running()
        wanted = [self._port] if self._port else [last.port] if last else [PORT]
        usual = [] if self._port else [PORT]
        free = [free_port() for _ in range(PORT_ATTEMPTS)]
        return [port for port in dict.fromkeys((*wanted, *usual, *free)) if _is_free(port)]

    def _launch(self, port: int, name: str) -> subprocess.Popen[bytes]:
        home = self.home
        for folder in (home.state, home.objects):
            folder.mkdir(parents=True, exist_ok=True)
        variables = {
            "GATEWAY_PORT": str(port),
            "BIND_HOST": LOOPBACK,
            "AUTH": "true",
            "PERSIST_STATE": "1",
            "STATE_DIR": str(home.state),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(home.objects),
            "LOCAL_FAULTS": str(home.faults),
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "MINISTACK_REGION": REGION,
            "MINISTACK_EDITION": name,
            # Both would listen on ports of their own.
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "AWS_ACCESS_KEY_ID": ADMINISTRATOR["aws_access_key_id"],
            "AWS_SECRET_ACCESS_KEY": ADMINISTRATOR["aws_secret_access_key"],
        }
        server = (str(paths.ministack_python()), "-m", "local.emulator.server")
        if home.server_log.exists():
            home.server_log.replace(home.server_log.with_suffix(".previous.log"))
        with home.server_log.open("wb") as log:
            return subprocess.Popen(
                child.bound(server, signal.SIGTERM),
                cwd=ROOT,
                env={**environment(port), **variables},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for Python, which stops the server when it is done with it.
                start_new_session=True,
            )

    def _ready(self, port: int, name: str, deadline: float) -> bool:
        """True once the server answers, False when another program has the port."""
        while _name_at(port) != name:
            if self.process.poll() is not None:
                if not _is_free(port):
                    return False
                raise self._error(f"ended with code {self.process.returncode}")
            if time.monotonic() > deadline:
                raise self._error("did not answer in time")
            time.sleep(POLL_SECONDS)
        return True

    def _error(self, what: str) -> LocalCloudError:
        lines = self.home.server_log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        tail = "\n".join(lines) or "(nothing)"
        return LocalCloudError(
            f"The local cloud {what}. All of its output is in {self.home.server_log}; if its "
            "state is the cause, start afresh: .venv/bin/python -m local reset. "
            f"The last lines:\n{tail}"
        )


def stop_leftover(home: Home) -> None:
    """End the server that a killed process left behind, if there is one."""
    last = home.last_running()
    if last is None or not _is_server(last.server):
        return
    _signal(last.server, signal.SIGTERM)
    if not _gone(last.server):
        _signal(last.server, signal.SIGKILL)
        _gone(last.server)
    child.end_group(last.server)


def _is_server(pid: int) -> bool:
    """True if the process is a server of ours, and not another one that got its number."""
    if _PROC.exists():
        try:
            return b"local.emulator.server" in (_PROC / str(pid) / "cmdline").read_bytes()
        except OSError:
            return False
    command = ("ps", "-o", "command=", "-p", str(pid))
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return "local.emulator.server" in said


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + STOP_SECONDS
    while _is_server(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server does: a port in TIME_WAIT after its last run is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def _name_at(port: int) -> str | None:
    """The name that the server on a port was given."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/_ministack/health")
            return str(json.loads(connection.getresponse().read()).get("edition"))
        except (OSError, ValueError, http.client.HTTPException):
            return None
