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
MOST_RECIPIENTS = 10


class Email:
    """Sends payloads from one address; `link` is where a submission's id leads to, if anywhere."""

    def __init__(self, ses: Caller, sender: str, *, link: str = "") -> None:
        self._ses = ses
        self._sender = sender
        self._link = link

    def deliver(self, shipment: Shipment, now: datetime) -> Outcome:
        if not self._sender:
            return refused("no address is set that e-mail is sent from")
        to = recipients(shipment.settings.get("to"))
        if not to:
            return refused(f"the destination must name 1 to {MOST_RECIPIENTS} e-mail addresses")
        subject = f"Form {shipment.form_id}: new submission"
        params: dict[str, Any] = {
            "FromEmailAddress": self._sender,
            "Destination": {"ToAddresses": to},
            "Content": {
                "Simple": {
                    "Subject": {"Data": subject, "Charset": "UTF-8"},
                    "Body": {"Text": {"Data": self._text(shipment), "Charset": "UTF-8"}},
                }
            },
        }
        try:
            self._ses.call("SendEmail", params)
        except StoreError as error:
            return of_error(error)
        return Outcome()

    def _text(self, shipment: Shipment) -> str:
        head = f"Submission {shipment.submission_id} of {shipment.timestamp}\n"
        if self._link:
            head += f"{self._link.rstrip('/')}/{shipment.submission_id}\n"
        text = as_text(shipment.payload) if len(shipment.payload) <= MOST_BYTES else None
        if text is None:
            about = f"Its {len(shipment.payload)} bytes of {shipment.content_type}"
            return f"{head}\n{about} are not shown here.\n"
        return f"{head}\n{text}\n"


def recipients(to: Any) -> list[str]:
    """The addresses that are named, none when any is unfit.

    >>> recipients("ada@example.com"), recipients(["ada@example.com", "no address"])
    (['ada@example.com'], [])
    """
    named = [to] if isinstance(to, str) else to
    if not isinstance(named, list | tuple) or not 1 <= len(named) <= MOST_RECIPIENTS:
        return []
    fit = all(
        isinstance(one, str)
        and one.isascii()
        and one.isprintable()
        and len(one) <= 320
        and not set(one) & set(' ,;<>"')
        and one.count("@") == 1
        and all(one.split("@"))
        for one in named
    )
    return list(named) if fit else []
