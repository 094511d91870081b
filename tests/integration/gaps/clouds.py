"""Emulated clouds, each with a state folder of its own, and what is deployed to them."""

import http.client
import io
import json
import os
import resource
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import boto3
from botocore.config import Config

from local.emulator.home import Home

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".build" / "ministack" / "bin" / "python"
HOME = "eu-west-1"
START_SECONDS = 60.0
STOP_SECONDS = 30.0
POLL_SECONDS = 0.05
MOST_IN_REQUEST = 51_200

SESSION = ("AccessKeyId", "SecretAccessKey", "SessionToken")
ROOT_USER = ("test", "test", None)
ONCE = Config(retries={"total_max_attempts": 1})

T = TypeVar("T")


class Cloud:
    """A running emulator; `stop` and `start` again keep what its state folder keeps."""

    def __init__(self, state: Path, *, without: str = "", file_limit: int | None = None) -> None:
        """With `file_limit`, no file can grow beyond so many bytes: as on a full disk."""
        self.state = state
        self.file_limit = file_limit
        self._without = without

    def start(self) -> None:
        self._port = port = _free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        # Each is made once: that takes longer than most calls.
        self._client = cache(self._make_client)
        self.state.mkdir(exist_ok=True)
        with (self.state / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                (PYTHON, "-m", "local.emulator.server"),
                cwd=ROOT,
                env={
                    "PATH": os.environ["PATH"],
                    "GATEWAY_PORT": str(port),
                    "AUTH": "true",
                    "PERSIST_STATE": "1",
                    "STATE_DIR": str(self.state),
                    "S3_PERSIST": "1",
                    "S3_DATA_DIR": str(self.state / "s3"),
                    "AWS_DEFAULT_REGION": HOME,
                    "LOCAL_GAPS_WITHOUT": self._without,
                    "LOCAL_FAULTS": str(Home(self.state).faults),
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=self._limit_files if self.file_limit else None,
            )
        until(self._answers, seconds=START_SECONDS)

    def _limit_files(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_limit or 0, resource.RLIM_INFINITY))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def client(
        self,
        service: str,
        credentials: dict[str, str] | None = None,
        *,
        region_name: str = HOME,
        config: Config = ONCE,
    ) -> Any:
        """A client of the account's root, unless given a session's credentials."""
        session = tuple(credentials[name] for name in SESSION) if credentials else ROOT_USER
        return self._client(service, session, region_name, config)

    def _make_client(
        self, service: str, session: tuple[str | None, ...], region: str, config: Config
    ) -> Any:
        key, secret, token = session
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            region_name=region,
            config=config,
        )

    def _answers(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError((self.state / "log.txt").read_text()[-4000:])
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)) as connection:
            try:
                connection.request("GET", "/_ministack/health")
                return connection.getresponse().status == 200
            except OSError:
                return False


def until(found: Callable[[], T], *, seconds: float = 90.0) -> T:
    """What `found` returns once it is truthy."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s; at last: {value!r}")
        time.sleep(POLL_SECONDS)
    return value


@contextmanager
def running(cloud: Cloud) -> Iterator[Cloud]:
    try:
        cloud.start()
        yield cloud
    finally:
        cloud.stop()


def script(source: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a script as the emulator would be, without starting it."""
    return subprocess.run(
        (PYTHON, "-c", source),
        cwd=ROOT,
        env={**os.environ, "STATE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )


def needed_by(template: dict[str, Any], *roots: str) -> dict[str, Any]:
    """The template with only the resources whose names start so, and what they refer to."""
    every = template["Resources"]
    wanted: set[str] = set()
    todo = [name for name in every if name.startswith(roots)]
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            text = json.dumps(every[name])
            todo.extend(other for other in every if f'"{other}"' in text)
    return {"Resources": {name: every[name] for name in sorted(wanted)}}


def _body(cloud: Cloud, name: str, template: dict[str, Any]) -> dict[str, str]:
    """A template as CloudFormation takes it: by itself, or by an address where it is large."""
    body = json.dumps(template)
    if len(body) <= MOST_IN_REQUEST:
        return {"TemplateBody": body}
    s3, bucket = cloud.client("s3"), "templates"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": HOME})
    s3.put_object(Bucket=bucket, Key=name, Body=body.encode())
    return {"TemplateURL": f"{cloud.endpoint}/{bucket}/{name}"}


def deploy(cloud: Cloud, name: str, template: dict[str, Any], **more: Any) -> dict[str, str]:
    """Deploy a template and give the physical id of each of its resources."""
    formation = cloud.client("cloudformation", **more)
    formation.create_stack(
        StackName=name, **_body(cloud, name, template), Capabilities=["CAPABILITY_NAMED_IAM"]
    )

    def ended() -> str | None:
        status: str = formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
        return None if status.endswith("IN_PROGRESS") else status

    if until(ended) != "CREATE_COMPLETE":
        events = formation.describe_stack_events(StackName=name)["StackEvents"]
        reasons = [event.get("ResourceStatusReason") for event in events]
        raise AssertionError(f"{name} failed: {[reason for reason in reasons if reason]}")
    resources = formation.describe_stack_resources(StackName=name)["StackResources"]
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in resources}


def zipped(source: str) -> bytes:
    """A function's code: one module called `index`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("index.py", source)
    return buffer.getvalue()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
