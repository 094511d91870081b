"""DynamoDB as seen by one tenant: credentials that IAM confines to that tenant's keys."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tablewright.runtime.aws import Caller, Dynamo, client_config

_RENEW_BEFORE = timedelta(minutes=5)
_KEPT = 64


class Tenants:
    """Gives each tenant its own DynamoDB access, by assuming a role tagged with the tenant.

    The role's policy lets a session touch only keys that begin with its tag, so a mistake in the
    code cannot reach another tenant's items. Sessions are kept until shortly before they expire.
    """

    def __init__(
        self,
        session: Any,
        role_arn: str,
        *,
        tag: str = "tenant",
        connect: Callable[[Any], Caller] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = session
        self._role_arn = role_arn
        self._tag = tag
        self._connect = connect or self._connect_to_dynamo
        self._now = now
        self._lock = threading.Lock()
        self._sts: Any = None
        self._kept: OrderedDict[str, tuple[Caller, datetime]] = OrderedDict()

    def prepare(self) -> None:
        """Load now what the first request would wait for; calls nobody."""
        self._sts_client()
        self._session.client("dynamodb", config=client_config())

    def access(self, tenant: str) -> Caller:
        """DynamoDB with this tenant's credentials."""
        with self._lock:
            kept = self._kept.get(tenant)
            if kept and self._now() < kept[1]:
                self._kept.move_to_end(tenant)
                return kept[0]
            credentials = self._assume(tenant)
            caller = self._connect(credentials)
            self._kept[tenant] = (caller, credentials["Expiration"] - _RENEW_BEFORE)
            self._kept.move_to_end(tenant)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return caller

    def _assume(self, tenant: str) -> Any:
        return self._sts_client().assume_role(
            RoleArn=self._role_arn,
            # Appears in CloudTrail; the tag, not the name, is what IAM decides by.
            RoleSessionName=f"tenant-{tenant}"[:64],
            Tags=[{"Key": self._tag, "Value": tenant}],
        )["Credentials"]

    def _sts_client(self) -> Any:
        if self._sts is None:
            self._sts = self._session.client("sts", config=client_config())
        return self._sts

    def _connect_to_dynamo(self, credentials: Any) -> Caller:
        client = self._session.client(
            "dynamodb",
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            config=client_config(),
        )
        return Dynamo(client)
