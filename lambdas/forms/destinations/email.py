"""E-mail destination, through SES; of a payload too large for one, what it is found by.

SES knows no idempotency key: a delivery whose answer was lost may arrive twice.
"""

from datetime import datetime
from typing import Any

from lambdas.forms.destinations.shipment import (
    DeliveryOutcome,
    Shipment,
    as_text,
    of_error,
    refused,
)
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError

MOST_BYTES = 128 * 1024


class EmailDestination:
    """Sends payloads from one address."""

    def __init__(self, ses: Caller, sender: str) -> None:
        self._ses = ses
        self._sender = sender

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        if not self._sender:
            return refused("no address is set that e-mail is sent from")
        subject = f"Form {shipment.form_id}: new submission"
        params: dict[str, Any] = {
            "FromEmailAddress": self._sender,
            "Destination": {"ToAddresses": shipment.settings["to"]},
            "Content": {
                "Simple": {
                    "Subject": {"Data": subject, "Charset": "UTF-8"},
                    "Body": {"Text": {"Data": _text(shipment), "Charset": "UTF-8"}},
                }
            },
        }
        try:
            self._ses.call("SendEmail", params)
        except StoreError as error:
            return of_error(error)
        return DeliveryOutcome()


def _text(shipment: Shipment) -> str:
    head = f"Submission {shipment.submission_id} of {shipment.timestamp}\n"
    text = as_text(shipment.payload) if len(shipment.payload) <= MOST_BYTES else None
    if text is None:
        about = f"Its {len(shipment.payload)} bytes of {shipment.content_type}"
        return f"{head}\n{about} are not shown here.\n"
    return f"{head}\n{text}\n"
