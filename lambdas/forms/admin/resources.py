"""Resources of the admin API: a tenant's own with the tenant's credentials, the rest with ours."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from lambdas.forms.clients import Clients
from lambdas.forms.contract import SESSION_TAG, AdminEnvironment, DomainCheck
from lambdas.forms.delivery.messages import DeliveryQueue
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.submission.payload_links import PayloadLinks
from lambdas.forms.submission.uploads import SIGNING
from lambdas.forms.tenants.secrets import SecretStore
from tablewright.catalog.forms.design import Forms
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import Tenants


class Resources:
    """Opens table, bucket and secrets for a tenant, and what of the table is no tenant's.

    `connect` gives a service with the credentials of a session of a tenant, `presign` an address of
    S3 that is signed with them. Kept for the life of the function's environment.
    """

    def __init__(
        self,
        table_name: str,
        connect: Callable[[str, str], Caller],
        own: Caller,
        cursors: Cursors,
        *,
        presign: Callable[[str, str, dict[str, Any], int], str],
        bucket: str,
        secrets_prefix: str,
        deliveries: DeliveryQueue,
        verify: Callable[[str, str], None],
        epochs: EpochCache | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._connect = connect
        self._shared = Store(Forms, table_name, own, cursors=cursors, epochs=epochs, now=now)
        self._presign = presign
        self._bucket = bucket
        self._secrets_prefix = secrets_prefix
        self.deliveries = deliveries
        self.verify = verify
        self.now = now

    @classmethod
    def of(cls, environment: AdminEnvironment) -> "Resources":
        clients = Clients.of(environment)
        role, secret = environment.tenant_role_arn, environment.cursor_secret_arn
        tenants = Tenants(clients.session, role, tag=SESSION_TAG, settings={"s3": SIGNING})
        tenants.prepare("dynamodb", "secretsmanager")
        return cls(
            environment.forms_table,
            tenants.access,
            clients.dynamo,
            Cursors(SecretKeys(lambda: clients.secrets, secret, purpose="forms")),
            presign=lambda tenant, *asked: tenants.files(tenant).presign(*asked),
            bucket=environment.payloads_bucket,
            secrets_prefix=environment.secrets_prefix,
            deliveries=DeliveryQueue(clients.sqs, environment.deliveries_queue_url),
            verify=_verifier(clients, environment.verify_function),
        )

    def store(self, tenant: str) -> Store:
        """The table with the credentials of a session of this tenant."""
        return self._shared.with_client(self._connect(tenant, "dynamodb"))

    def payloads(self, tenant: str) -> PayloadCompressionManager:
        """The tenant's payloads in the bucket."""
        return PayloadCompressionManager(self._connect(tenant, "s3"), self._bucket)

    def links(self, tenant: str) -> PayloadLinks:
        """Addresses by which the tenant's payloads can be read."""
        s3 = self._connect(tenant, "s3")
        return PayloadLinks(s3, partial(self._presign, tenant), self._bucket, tenant)

    def secrets(self, tenant: str) -> SecretStore:
        """The values of the tenant's secrets."""
        return SecretStore(self._connect(tenant, "secretsmanager"), self._secrets_prefix)

    def shared(self) -> Store:
        """The table with the function's own rights, which reach what is no tenant's in particular:
        lists over all tenants, whose a domain is."""
        return self._shared


def _verifier(clients: Clients, function: str) -> Callable[[str, str], None]:
    """Has the function that verifies domains check one of a tenant's, and waits for it."""

    def verify(tenant_id: str, domain: str) -> None:
        # It asks DNS, which may take its time; asked once, for it can be asked again.
        once = {"mode": "standard", "total_max_attempts": 1}
        functions = clients.client("lambda", read_timeout=15, retries=once)
        event = json.dumps(DomainCheck(tenant_id, domain)._asdict()).encode()
        answer = functions.call("Invoke", {"FunctionName": function, "Payload": event})
        if "FunctionError" in answer:
            raise Unavailable("the domain could not be checked")

    return verify


@cache
def current() -> Resources:
    return Resources.of(AdminEnvironment.read())
