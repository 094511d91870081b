"""Connection to the local cloud, which cannot reach AWS instead."""

import os
from functools import cache
from typing import Any

import boto3
import botocore.session
from botocore.config import Config

from local.emulator.home import Home, LocalCloudError
from toolchain import paths

ACCOUNT = "000000000000"
REGION = "eu-west-1"
LOOPBACK = "127.0.0.1"
# The emulator's own administrator. It is no secret: the port is open to this machine only.
ADMINISTRATOR = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}

# Where botocore would look for a setting: its name in files, its variable, its default.
_NOTHING_OF_THE_USERS = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


class Connection:
    """The address of a running cloud.

    Example::

        Connection(4566).client("dynamodb").list_tables()
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.endpoint = f"http://{LOOPBACK}:{port}"
        self._client = cache(self._make_client)

    def client(self, service: str, region: str = REGION) -> Any:
        """A client with the rights of an administrator."""
        return self._client(service, region)

    def client_as(self, service: str, credentials: dict[str, str]) -> Any:
        """A client with the credentials that STS gave out."""
        return self._make_client(
            service,
            REGION,
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
        )

    def api_url(self, output: str) -> str:
        """The address on this machine of an HTTP API, from the `ApiUrl` that a stack gives out."""
        host = output.partition("://")[2]
        api_id, dot, _ = host.partition(".execute-api.")
        if not dot:
            raise LocalCloudError(f"'{output}' is not the address of an HTTP API")
        return f"{self.endpoint}/_aws/execute-api/{api_id}/$default"

    def _make_client(self, service: str, region: str, **credentials: str) -> Any:
        own = botocore.session.Session(session_vars=_NOTHING_OF_THE_USERS)
        return boto3.session.Session(botocore_session=own, region_name=region).client(
            service,
            endpoint_url=self.endpoint,
            config=Config(
                connect_timeout=5, read_timeout=60, retries={"max_attempts": 2}, proxies={}
            ),
            **(credentials or ADMINISTRATOR),
        )


def connect(home: Home) -> Connection:
    """The cloud that runs in this folder."""
    running = home.running()
    if running is None:
        raise LocalCloudError("The local cloud is not running. Start it: make local")
    return Connection(running.port)


def environment(port: int) -> dict[str, str]:
    """For tools: nothing of the user's AWS account, everything of the local cloud.

    Whatever names a real account, profile or endpoint is left out, so that a mistake here fails
    instead of deploying to AWS.
    """
    ours = ("AWS_", "CDK_DEFAULT_", "TABLEWRIGHT_ACCOUNT", "TABLEWRIGHT_REGION")
    kept = {k: v for k, v in paths.environment().items() if not k.startswith(ours)}
    direct = ",".join(filter(None, (kept.get("NO_PROXY"), LOOPBACK, "localhost")))
    return {
        **kept,
        "NO_PROXY": direct,
        "no_proxy": direct,
        "AWS_ENDPOINT_URL": f"http://{LOOPBACK}:{port}",
        "AWS_ACCESS_KEY_ID": ADMINISTRATOR["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": ADMINISTRATOR["aws_secret_access_key"],
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "TABLEWRIGHT_ACCOUNT": ACCOUNT,
        "TABLEWRIGHT_REGION": REGION,
    }
