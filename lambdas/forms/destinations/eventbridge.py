"""EventBridge destination; of a payload that no event can hold, what it is found by.

Source and kind are ours and not those of created submissions: no tenant can make an event that
looks like another's, or like one that begins a delivery.
"""

import json
from datetime import datetime

from lambdas.forms.destinations.shipment import (
    JSON,
    DeliveryOutcome,
    Shipment,
    as_text,
    is_json,
    of_error,
)
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import StoreError

SOURCE, KIND = "tablewright.forms.deliveries", "submission.delivered"
# An entry may have 256 KB: its texts, and 14 bytes for its time.
MOST = 256 * 1024
_ROOM = len(SOURCE) + len(KIND) + 14
_PASSING = ("ThrottlingException", "InternalFailure", "InternalException")


class EventBridgeDestination:
    """Puts events on the bus that a destination names, by default the application's own."""

    def __init__(self, events: Caller, default: str) -> None:
        self._events = events
        self._default = default

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        entry = {
            "EventBusName": shipment.settings.get("bus", self._default),
            "Source": SOURCE,
            "DetailType": KIND,
            "Time": now,
            "Detail": detail(shipment),
        }
        try:
            answer = self._events.call("PutEvents", {"Entries": [entry]})
        except StoreError as error:
            return of_error(error)
        code = answer["Entries"][0].get("ErrorCode")
        if code is None:
            return DeliveryOutcome()
        return DeliveryOutcome(f"PutEvents: {code}"[:300], again=code in _PASSING)


def detail(shipment: Shipment, most: int = MOST - _ROOM) -> str:
    """The event's detail, with the payload as it was sent where it is JSON and small enough."""
    references = json.dumps(
        {
            **shipment.references,
            "destination_id": shipment.destination_id,
            "idempotency_key": shipment.idempotency_key,
        }
    )
    text = as_text(shipment.payload) if len(shipment.payload) <= most else None
    if text is None:
        return references
    # Read and written again, a number could come out as another. JSON that begins with a mark of
    # its byte order is JSON by its type, but not within other JSON.
    embedded = shipment.content_type == JSON and is_json(shipment.payload)
    written = text if embedded else json.dumps(text)
    whole = f'{references[:-1]}, "payload": {written}}}'
    return whole if len(whole.encode()) <= most else references
