"""What a session of boto3 says about a service: where it is, who calls, what only boto3 does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from typing import Any

from botocore.utils import get_environ_proxies

from tablewright.runtime.boto3_client import from_credentials_failure
from tablewright.runtime.errors import AccessDenied
from tablewright.runtime.wire.environment import authorities, tracer
from tablewright.runtime.wire.signing import Credentials

# At which others can take part in a call.
_EVENTS = (
    "provide-client-params",
    "before-parameter-build",
    "before-call",
    "request-created",
    "choose-signer",
    "before-sign",
    "before-send",
    "response-received",
    "needs-retry",
    "after-call",
    "after-call-error",
)
# Handlers of these change nothing but the user agent, or what is done here too.
_OWN = ("boto3", "botocore", "tablewright", "aws_lambda_powertools")


class Given:
    """A service as botocore would call it: taken from a client that it made."""

    def __init__(self, session: Any, client: Any) -> None:
        self._session = session
        self._client = client
        self.endpoint: str = client.meta.endpoint_url
        self.region: str = client.meta.region_name
        self._found: Any = None

    def reason_for_boto3(self) -> str | None:
        """Why calls must be left to boto3; None where they need not be."""
        config = self._client.meta.config
        if os.environ.get("TABLEWRIGHT_CLIENT") == "boto3":
            return "TABLEWRIGHT_CLIENT says so"
        if config.proxies or get_environ_proxies(self.endpoint):
            return "there is a proxy"
        if config.client_cert:
            return "there is a client certificate"
        if config.signature_version != "v4":
            return f"requests are signed by {config.signature_version}"
        if getattr(config, "account_id_endpoint_mode", None) == "required":
            return "endpoints are those of accounts"
        if traced_by := tracer():
            return f"{traced_by} traces calls"
        try:
            other = next(self._handlers(), None)
        except AttributeError:
            return "this version of botocore is not known"
        return f"{other} takes part in calls" if other else None

    @property
    def ca_bundle(self) -> str | None:
        """The authorities that botocore would trust."""
        core = getattr(self._session, "_session", None)
        asked = getattr(core, "get_config_variable", lambda _: os.environ.get("AWS_CA_BUNDLE"))
        named: str | None = asked("ca_bundle")
        return named or authorities(os.environ)

    def credentials(self) -> Credentials:
        """Return the current credentials, renewed by botocore when needed; raises StoreError."""
        try:
            if self._found is None:
                self._found = self._session.get_credentials()
            frozen = self._found and self._found.get_frozen_credentials()
        # Programs and files that provide credentials end in errors of any type.
        except Exception as error:
            raise from_credentials_failure(error) from error
        if frozen is None:
            raise AccessDenied("there are no credentials")
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

    def _handlers(self) -> Iterator[str]:
        """Handlers that are not botocore's own, such as those of a library that plays AWS."""
        model = self._client.meta.service_model
        service = model.service_id.hyphenize()
        registered = self._client.meta.events._emitter._handlers
        for event, operation in product(_EVENTS, model.operation_names):
            for handler in registered.prefix_search(f"{event}.{service}.{operation}"):
                module = getattr(handler, "__module__", None) or type(handler).__module__
                if module == "botocore.stub" or module.partition(".")[0] not in _OWN:
                    yield module
