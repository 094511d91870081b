"""Delivers to a bucket: one object for each submission, the same however often it is written.

Keys begin with the tenant, so that whoever owns the bucket can let us write there for one tenant
and for no other. Roles of other accounts are not assumed.
"""

from datetime import datetime

from lambdas.forms.destinations import Outcome, Shipment, of_error, refused
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError

_LONGEST_KEY = 1024


class Bucket:
    """Writes payloads to buckets; never to those `kept` by the application itself."""

    def __init__(self, s3: Caller, *, kept: frozenset[str] = frozenset()) -> None:
        self._s3 = s3
        self._kept = kept

    def deliver(self, shipment: Shipment, now: datetime) -> Outcome:
        bucket, prefix = shipment.settings.get("bucket"), shipment.settings.get("prefix", "")
        if not isinstance(bucket, str) or not bucket or bucket in self._kept:
            return refused("the destination must name a bucket of the tenant's own")
        if not isinstance(prefix, str):
            return refused("the destination's prefix must be text")
        key = object_key(shipment, prefix)
        if len(key.encode()) > _LONGEST_KEY:
            return refused("the destination's prefix is too long")
        params = {
            "Bucket": bucket,
            "Key": key,
            "Body": shipment.payload,
            "ContentType": shipment.content_type,
        }
        owner = shipment.settings.get("account")
        if owner is not None:
            params["ExpectedBucketOwner"] = str(owner)
        try:
            self._s3.call("PutObject", params)
        except StoreError as error:
            return of_error(error)
        return Outcome()


def object_key(shipment: Shipment, prefix: str) -> str:
    """Where a submission's payload goes: by tenant, form and day."""
    day = shipment.timestamp[:10].replace("-", "/")
    middle = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    return f"{shipment.tenant_id}/{middle}{shipment.form_id}/{day}/{shipment.submission_id}"
