"""AWS as Lambda gives it to a function: region, endpoints and credentials without botocore."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from types import FunctionType
from typing import Any
from urllib.parse import urlsplit

from tablewright.runtime.errors import AccessDenied, Unavailable
from tablewright.runtime.refreshed import Reading, Refreshed
from tablewright.runtime.wire.connection import KEPT
from tablewright.runtime.wire.signing import Credentials

# What only botocore does.
_BOTO3 = "boto3"
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_VARIANTS = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")
_FILES = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_CONTAINER = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
# Packages that trace the calls of botocore, some of them by patching it when it is imported.
_TRACERS = ("aws_xray_sdk", "ddtrace", "opentelemetry.instrumentation.botocore")
_STANDARD = "standard"
_ATTEMPTS = "3"
# By the beginning of a region's name; all others, of isolated partitions, are left to botocore.
_SUFFIXES = {"cn-": "amazonaws.com.cn", "us-iso": None, "eu-iso": None, "eusc-": None}
_SUFFIX = "amazonaws.com"
# Hosts that give credentials without TLS: of this machine, and of ECS and EKS.
_NEAR = ("127.0.0.1", "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23")
_RENEW_BEFORE = 600.0
_SECONDS = 2.0


def connections_asked(environ: Mapping[str, str]) -> int:
    """How many calls the environment lets a process make side by side."""
    return _whole_number(environ, "TABLEWRIGHT_CONNECTIONS", str(KEPT))


def retry_settings(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return botocore's settings of retries: `standard` with three attempts, or the environment's
    AWS_RETRY_MODE and AWS_MAX_ATTEMPTS."""
    return {
        "mode": environ.get("AWS_RETRY_MODE") or _STANDARD,
        "total_max_attempts": _whole_number(environ, "AWS_MAX_ATTEMPTS", _ATTEMPTS),
    }


def _whole_number(environ: Mapping[str, str], name: str, default: str) -> int:
    text = environ.get(name, default)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{name} must be a whole number from 1, not {text!r}")
    return int(text)


def tracer() -> str | None:
    """Return the package that traces the calls of botocore, which sees none of the wire client's.

    A tracer replaces `BaseClient._make_api_call`, at once or when botocore is imported. The testing
    kit does so too, and watches both clients.
    """
    for name in _TRACERS:
        if name in sys.modules:
            return name
    client = sys.modules.get("botocore.client")
    if client is None:
        return None
    call = vars(client.BaseClient)["_make_api_call"]
    # A wrapper claims the class of the function that it wraps, but not its type.
    is_plain = type(call) is FunctionType
    module = str(call.__globals__["__name__"]) if is_plain else type(call).__module__
    package = module.partition(".")[0]
    return None if is_plain and package in ("botocore", "tablewright") else package


def authorities(environ: Mapping[str, str]) -> str | None:
    """Return the file of the authorities that botocore would trust, without importing it; None for
    those of the system."""
    if named := environ.get("AWS_CA_BUNDLE") or environ.get("REQUESTS_CA_BUNDLE"):
        return named
    for package in ("certifi", "botocore"):
        spec = find_spec(package)
        if spec is not None and spec.origin:
            file = os.path.join(os.path.dirname(spec.origin), "cacert.pem")
            if os.path.isfile(file):
                return file
    return None


def reason_for_boto3(environ: Mapping[str, str]) -> str | None:
    """Why this environment needs botocore; None where it does not."""
    if environ.get("TABLEWRIGHT_CLIENT") == _BOTO3:
        return "TABLEWRIGHT_CLIENT says so"
    for name in (*_PROXIES, *_FILES):
        if environ.get(name):
            return f"{name} is set"
    for name in _VARIANTS:
        if environ.get(name, "").lower() == "true":
            return f"{name} is set"
    region = environ.get("AWS_REGION")
    if not region:
        return "AWS_REGION is not set"
    if _suffix(region) is None:
        return f"the endpoints of {region} are botocore's to know"
    if not environ.get(_CONTAINER) and not all(environ.get(key) for key in _KEYS):
        return "there are no credentials in the environment"
    traced_by = tracer()
    return f"{traced_by} traces calls" if traced_by else None


class LambdaSession:
    """The session of a function: what a session of boto3 would read from Lambda's environment.

    Example::

        dynamodb = connect(LambdaSession(os.environ), "dynamodb")
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.region_name = environ["AWS_REGION"]
        self.ca_bundle = authorities(environ)
        self.credentials = _credentials(environ)
        self._ignored = environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true"
        self._environ = environ
        self._boto3: Any = None
        self._lock = threading.Lock()

    def endpoint(self, service: str, region: str) -> str:
        """Where a service of a region is."""
        if not self._ignored:
            own = self._environ.get(f"AWS_ENDPOINT_URL_{_NAMES.get(service, service.upper())}")
            if found := own or self._environ.get("AWS_ENDPOINT_URL"):
                return found
        return f"https://{service}.{region}.{_suffix(region)}"

    def client(self, service: str, **settings: Any) -> Any:
        """A client of boto3, which is imported now."""
        with self._lock:
            if self._boto3 is None:
                import boto3

                self._boto3 = boto3.session.Session(region_name=self.region_name)
            return self._boto3.client(service, **settings)


# In the names of variables, services have those of their API.
_NAMES = {"events": "EVENTBRIDGE", "secretsmanager": "SECRETS_MANAGER"}


def _suffix(region: str) -> str | None:
    for beginning, suffix in _SUFFIXES.items():
        if region.startswith(beginning):
            return suffix
    return _SUFFIX


def _credentials(environ: Mapping[str, str]) -> Callable[[], Credentials]:
    if not environ.get(_CONTAINER):
        key, secret = (environ[name] for name in _KEYS)
        given = Credentials(key, secret, environ.get("AWS_SESSION_TOKEN"))
        return lambda: given
    return ContainerCredentials(environ)


class ContainerCredentials:
    """Credentials that an endpoint near the function gives, as after a restore by SnapStart; asked
    for again before they expire."""

    def __init__(
        self,
        environ: Mapping[str, str],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url = urlsplit(environ[_CONTAINER])
        if self._url.scheme != "https" and self._url.hostname not in _NEAR:
            raise ValueError(f"credentials are not asked for without TLS at {self._url.hostname}")
        self._token = environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        self._token_file = environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        # By the clock of the wall: the endpoint names the moment at which credentials expire.
        self._credentials = Refreshed(
            "credentials",
            self._read,
            tolerated=(Unavailable,),
            clock=lambda: now().timestamp(),
        )

    def __call__(self) -> Credentials:
        return self._credentials.get()

    def _read(self, _: float) -> Reading[Credentials]:
        host = self._url.hostname
        status, body = self._answer(self._headers())
        if status != 200:
            raise Unavailable(f"no credentials from {host}: status {status}")
        try:
            answer = json.loads(body)
            keys = (answer["AccessKeyId"], answer["SecretAccessKey"], answer["Token"])
            ends_at = datetime.fromisoformat(answer["Expiration"]).timestamp()
        except (ValueError, KeyError, TypeError) as error:
            raise AccessDenied(f"no credentials in the answer of {host}") from error
        return Reading(Credentials(*keys), ends_at - _RENEW_BEFORE, ends_at)

    def _answer(self, headers: dict[str, str]) -> tuple[int, bytes]:
        # Only functions that are given credentials so wait for it to be imported.
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        url = self._url
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=_SECONDS)
        try:
            connection.request("GET", f"{url.path}?{url.query}".rstrip("?"), headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as error:
            raise Unavailable(f"no credentials from {url.hostname}: {error}") from error
        except ValueError as error:
            raise AccessDenied("the token for credentials has a line break: remove it") from error
        finally:
            connection.close()

    def _headers(self) -> dict[str, str]:
        token = self._token
        if self._token_file:
            try:
                with open(self._token_file) as file:
                    token = file.read().strip()
            except OSError as error:
                raise AccessDenied(f"no token for credentials: {error}") from error
        return {"Authorization": token} if token else {}
