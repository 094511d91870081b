"""What a request may reach: a tenant's own with the tenant's credentials, the rest with ours."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from lambdas.forms.management.payloads import PayloadLinks
from lambdas.forms.management.secret_values import SecretValues
from lambdas.forms.messages import Queue
from lambdas.forms.resources import Resources
from lambdas.forms.uploads import SIGNING
from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.payload_dictionary import DICTIONARIES
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.errors import Unavailable
from tablewright.runtime.payload import Payloads
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import Tenants

# What sessions of the tenants' role are tagged with.
SESSION_TAG = "tenant_id"


class Access:
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
        deliveries: Queue,
        verify: Callable[[str, str], None],
        epochs: EpochCache | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._table_name = table_name
        self._connect = connect
        self._own = own
        self._cursors = cursors
        self._epochs = epochs or EpochCache()
        self._presign = presign
        self._bucket = bucket
        self._secrets_prefix = secrets_prefix
        self.deliveries = deliveries
        self.verify = verify
        self.now = now

    @classmethod
    def from_environment(cls) -> "Access":
        resources = Resources.from_environment()
        role = os.environ["TENANT_ROLE_ARN"]
        tenants = Tenants(resources.session, role, tag=SESSION_TAG, settings={"s3": SIGNING})
        tenants.prepare("dynamodb", "s3", "secretsmanager")
        return cls(
            os.environ["FORMS_TABLE"],
            tenants.access,
            resources.here,
            Cursors(SecretKeys(lambda: resources.secrets, os.environ["CURSOR_SECRET_ARN"])),
            presign=lambda tenant, *asked: tenants.access(tenant, "s3").presign(*asked),
            bucket=resources.bucket,
            secrets_prefix=os.environ["SECRETS_PREFIX"],
            deliveries=Queue(resources.sqs, os.environ["DELIVERIES_QUEUE_URL"]),
            verify=_verifier(resources, os.environ["VERIFY_FUNCTION"]),
        )

    def of(self, tenant: str) -> Store:
        """The table with the credentials of a session of this tenant."""
        return self._store(self._connect(tenant, "dynamodb"))

    def payloads(self, tenant: str) -> Payloads:
        """The tenant's payloads in the bucket."""
        return Payloads(self._connect(tenant, "s3"), self._bucket, dictionaries=DICTIONARIES)

    def links(self, tenant: str) -> PayloadLinks:
        """Addresses by which the tenant's payloads can be read."""
        s3 = self._connect(tenant, "s3")
        return PayloadLinks(s3, partial(self._presign, tenant), self._bucket, tenant)

    def secrets(self, tenant: str) -> SecretValues:
        """The values of the tenant's secrets."""
        return SecretValues(self._connect(tenant, "secretsmanager"), self._secrets_prefix)

    def shared(self) -> Store:
        """The table with the function's own rights, which reach what is no tenant's in particular:
        lists over all tenants, whose a domain is."""
        return self._store(self._own)

    def _store(self, caller: Caller) -> Store:
        return Store(
            FORMS,
            self._table_name,
            caller,
            cursors=self._cursors,
            epochs=self._epochs,
            now=self.now,
        )


def _verifier(resources: Resources, function: str) -> Callable[[str, str], None]:
    """Has the function that verifies domains check one of a tenant's, and waits for it."""

    def verify(tenant_id: str, domain: str) -> None:
        # It asks DNS, which may take its time; asked once, for it can be asked again.
        once = {"mode": "standard", "total_max_attempts": 1}
        functions = resources.client("lambda", read_timeout=15, retries=once)
        event = json.dumps({"tenant_id": tenant_id, "domain": domain}).encode()
        answer = functions.call("Invoke", {"FunctionName": function, "Payload": event})
        if "FunctionError" in answer:
            raise Unavailable("the domain could not be checked")

    return verify


@cache
def current() -> Access:
    return Access.from_environment()
