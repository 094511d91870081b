"""S3 destination: one object for each submission, the same however often it is written.

Keys begin with the tenant, so that whoever owns the bucket can let us write there for one tenant
and for no other. Roles of other accounts are not assumed.
"""

from datetime import datetime

from lambdas.forms.destinations.shipment import DeliveryOutcome, Shipment, of_error
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError


class S3Destination:
    """Writes payloads to buckets."""

    def __init__(self, s3: Caller) -> None:
        self._s3 = s3

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        params = {
            "Bucket": shipment.settings["bucket"],
            "Key": object_key(shipment, shipment.settings.get("prefix", "")),
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
        return DeliveryOutcome()


def object_key(shipment: Shipment, prefix: str) -> str:
    """Where a submission's payload goes: by tenant, form and day."""
    day = shipment.timestamp[:10].replace("-", "/")
    middle = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    return f"{shipment.tenant_id}/{middle}{shipment.form_id}/{day}/{shipment.submission_id}"
