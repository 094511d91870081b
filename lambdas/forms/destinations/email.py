"""Delivers by e-mail through SES; of a payload that is too large for one, what it is found by.

SES knows no idempotency key: a delivery whose answer was lost may arrive twice.
"""

from datetime import datetime
from typing import Any

from lambdas.forms.destinations import Outcome, Shipment, of_error, refused
from lambdas.forms.destinations.content import as_text
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError

MOST_BYTES = 128 * 1024


class Email:
    """Sends payloads from one address."""

    def __init__(self, ses: Caller, sender: str) -> None:
        self._ses = ses
        self._sender = sender

    def deliver(self, shipment: Shipment, now: datetime) -> Outcome:
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
        return Outcome()


def _text(shipment: Shipment) -> str:
    head = f"Submission {shipment.submission_id} of {shipment.timestamp}\n"
    text = as_text(shipment.payload) if len(shipment.payload) <= MOST_BYTES else None
    if text is None:
        about = f"Its {len(shipment.payload)} bytes of {shipment.content_type}"
        return f"{head}\n{about} are not shown here.\n"
    return f"{head}\n{text}\n"
