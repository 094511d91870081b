"""Edge to AWS: one call to any of its services, within the time there is, with typed errors.

Calls of the JSON services go over the wire by themselves. Region, endpoint and credentials come
from a session of boto3; in Lambda from the environment, so that a function starts without it. All
other services, and whatever the wire client does not do, are boto3's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Timeouts
from tablewright.runtime.wire.environment import (
    LambdaSession,
    connections_asked,
    reason_for_boto3,
    retry_settings,
)
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials

if TYPE_CHECKING:
    from tablewright.runtime.boto3_client import Boto3Client


class Caller(Protocol):
    """Whatever can carry out an operation of AWS: the seam for meters and fault injectors."""

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises StoreError."""
        ...


# Calls that a process makes side by side, and connections that a client keeps for them: a list over
# shards asks all of them at once, up to so many.
CONNECTIONS = connections_asked(os.environ)
# A function is billed while it waits: there a call that is never answered is given up after three
# attempts, within 21 seconds. Elsewhere time-outs are botocore's.
TIMEOUTS_IN_LAMBDA = Timeouts(connect=2, read=4)
_timeouts = TIMEOUTS_IN_LAMBDA if "AWS_LAMBDA_FUNCTION_NAME" in os.environ else Timeouts()
# How clients are set up: bounded waits, standard retries, room for parallel shard reads.
SETTINGS: dict[str, Any] = {
    "max_pool_connections": CONNECTIONS,
    "retries": retry_settings(os.environ),
    "connect_timeout": _timeouts.connect,
    "read_timeout": _timeouts.read,
    "tcp_keepalive": True,
    # The design has checked what it sends; DynamoDB checks it again.
    "parameter_validation": False,
}


def own_session() -> Any:
    """The session of this process: in Lambda one that does without boto3, elsewhere boto3's.

    Example::

        session = own_session()
        queue = Queue(connect(session, "sqs"), url)
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        reason = reason_for_boto3(os.environ)
        if reason is None:
            return LambdaSession(os.environ)
        _tell("calls are made by boto3: %s", reason)
    import boto3

    return boto3.session.Session()


def connect(
    session: Any,
    service: str,
    *,
    region: str | None = None,
    endpoint_url: str | None = None,
    has_rights: bool = True,
    **settings: Any,
) -> WireClient | Boto3Client:
    """A client of a service, by its name in boto3; `settings` are of botocore's Config.

    One that `has_rights` uses the session's credentials; without, every request is refused that is
    not signed by others.

    Example::

        queue = Queue(connect(boto3.session.Session(), "sqs"), url)
    """
    asked = {**SETTINGS, **settings}
    over_the_wire = (
        service in SERVICES
        and asked.keys() == SETTINGS.keys()
        and asked["retries"].get("mode", SETTINGS["retries"]["mode"]) == "standard"
    )
    if over_the_wire and isinstance(session, LambdaSession):
        where = region or session.region_name
        return WireClient(
            SERVICES[service],
            endpoint_url or session.endpoint(service, where),
            where,
            session.credentials if has_rights else _nobody,
            ca_bundle=session.ca_bundle,
            **_wire_settings(asked),
        )
    from tablewright.runtime import boto3_client

    made = boto3_client.connect(
        session,
        service,
        region=region,
        endpoint_url=endpoint_url,
        credentials=None if has_rights else _nobody(),
        **settings,
    )
    if not over_the_wire:
        return made
    from tablewright.runtime.wire.sessions import Given

    given = Given(session, made.client)
    reason = given.reason_for_boto3()
    if reason is not None:
        _tell("calls of %s are made by boto3: %s", service, reason)
        return made
    return WireClient(
        SERVICES[service],
        given.endpoint,
        given.region,
        given.credentials if has_rights else _nobody,
        ca_bundle=given.ca_bundle,
        **_wire_settings(asked),
    )


def _tell(what: str, *values: str) -> None:
    import logging  # seldom needed, and a tenth of a start

    logging.getLogger(__name__).info(what, *values)


def _nobody() -> Credentials:
    return Credentials("no-session", "no-session")


def _wire_settings(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "attempts": asked["retries"]["total_max_attempts"],
        "timeouts": Timeouts(asked["connect_timeout"], asked["read_timeout"]),
        "kept": asked["max_pool_connections"],
    }
