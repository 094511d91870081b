"""AWS as one tenant may use it: credentials that IAM confines to that tenant's keys."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tablewright.runtime.aws import Caller, connect
from tablewright.runtime.errors import CredentialsExpired
from tablewright.runtime.refreshed import Reading, Refreshed
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.signing import Credentials

if TYPE_CHECKING:
    from tablewright.runtime.boto3_client import Boto3Client

Answer = TypeVar("Answer")

_RENEW_BEFORE = timedelta(minutes=5)
# Sessions that are kept, of about two kilobytes each.
_KEPT = 2048


class Tenants:
    """Gives each tenant its own access to AWS, by assuming a role tagged with the tenant.

    The role's policy lets a session touch only what begins with its tag, so a mistake in the code
    cannot reach another tenant's items. All tenants share one client for each service, and its
    connections: a session signs requests, it needs no connections of its own. `settings` are those
    of the clients, by service.

    Example::

        tenants = Tenants(session, role_arn)
        store = Store(Sales, "dev-sales", tenants.access("acme"))
    """

    def __init__(
        self,
        session: Any,
        role_arn: str,
        *,
        tag: str = "tenant",
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        sts: Caller | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = session
        self._settings = settings or {}
        self._lock = threading.Lock()
        self._clients: dict[str, WireClient | Boto3Client] = {}
        sts = sts or connect(session, "sts")
        self._sessions = _Sessions(sts, role_arn, tag, now)

    def prepare(self, *services: str) -> None:
        """Load now what the first request would wait for; calls nobody."""
        for service in services or ("dynamodb",):
            self._shared(service)

    def access(self, tenant: str, service: str = "dynamodb") -> TenantAccess:
        """A service with this tenant's credentials, which are asked for at the first call."""
        return TenantAccess(partial(self._shared, service), self._sessions.of(tenant))

    def files(self, tenant: str) -> TenantFiles:
        """S3 with this tenant's credentials, for addresses too that others use."""
        return TenantFiles(partial(self._shared, "s3"), self._sessions.of(tenant))

    def _shared(self, service: str) -> WireClient | Boto3Client:
        with self._lock:
            if service not in self._clients:
                settings = self._settings.get(service, {})
                # A request that no session signs is refused, not made with the function's rights.
                self._clients[service] = connect(
                    self._session, service, has_rights=False, **settings
                )
            return self._clients[service]


class TenantAccess:
    """A service as a tenant's session may use it."""

    def __init__(self, client: Callable[[], WireClient | Boto3Client], session: _Session) -> None:
        self._client = client
        self._session = session

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return self._session.use(lambda by: self._client().signed_by(by).call(operation, params))


class TenantFiles(TenantAccess):
    """S3 as a tenant's session may use it."""

    _client: Callable[[], Boto3Client]

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        """An address that lets its holder make this call for so many seconds."""
        return self._session.use(
            lambda by: self._client().signed_by(by).presign(method, params, seconds)
        )


class _Sessions:
    """The sessions of tenants, of very many the last used."""

    def __init__(self, sts: Caller, role_arn: str, tag: str, now: Callable[[], datetime]) -> None:
        self._sts = sts
        self._role_arn = role_arn
        self._tag = tag
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Session] = OrderedDict()

    def of(self, tenant: str) -> _Session:
        with self._lock:
            session = self._kept.setdefault(tenant, _Session(self, tenant))
            self._kept.move_to_end(tenant)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return session

    def now(self) -> datetime:
        return self._now()

    def assume(self, tenant: str) -> dict[str, Any]:
        asked = {
            "RoleArn": self._role_arn,
            # Appears in CloudTrail; the tag, not the name, is what IAM decides by.
            "RoleSessionName": f"tenant-{tenant}"[:64],
            "Tags": [{"Key": self._tag, "Value": tenant}],
        }
        found: dict[str, Any] = self._sts.call("AssumeRole", asked)["Credentials"]
        return found


class _Session:
    """The session of one tenant: renewed by one thread before it expires, and used until then."""

    def __init__(self, sessions: _Sessions, tenant: str) -> None:
        self._sessions = sessions
        self._tenant = tenant
        # By the clock of the wall: STS names the moment at which a session expires.
        self._credentials = Refreshed(
            f"session of {tenant}", self._assume, clock=lambda: sessions.now().timestamp()
        )

    def use(self, work: Callable[[Credentials], Answer]) -> Answer:
        """Do something with the session's credentials."""
        credentials = self._credentials.get()
        try:
            return work(credentials)
        except CredentialsExpired:
            # Revoked, or a clock is wrong: refused before any effect, so once more with new ones.
            self._credentials.drop(credentials)
            return work(self._credentials.get())

    def _assume(self, _: float) -> Reading[Credentials]:
        session = self._sessions.assume(self._tenant)
        credentials = Credentials(
            session["AccessKeyId"], session["SecretAccessKey"], session["SessionToken"]
        )
        ends_at = session["Expiration"].timestamp()
        return Reading(credentials, ends_at - _RENEW_BEFORE.total_seconds(), ends_at)
