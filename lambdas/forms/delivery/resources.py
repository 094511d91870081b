"""Resources of the function that delivers submissions."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import NamedTuple

from lambdas.forms.clients import Clients
from lambdas.forms.contract import ON, DeliverEnvironment
from lambdas.forms.delivery.attempts import DeliveryAttempts, Retries
from lambdas.forms.delivery.fan_out import FanOut
from lambdas.forms.delivery.messages import DeliveryQueue
from lambdas.forms.destinations.email import EmailDestination
from lambdas.forms.destinations.eventbridge import EventBridgeDestination
from lambdas.forms.destinations.s3 import S3Destination
from lambdas.forms.destinations.shipment import DeliveryOutcome, Destination, Shipment
from lambdas.forms.destinations.webhook import WebhookDestination
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.tenants.secrets import CachedSecrets
from tablewright.runtime.aws import Caller


class Resources(NamedTuple):
    """The two things that messages ask for. Kept for the life of the function's environment."""

    fan_out: FanOut
    attempts: DeliveryAttempts

    @classmethod
    def of(cls, environment: DeliverEnvironment) -> "Resources":
        clients = Clients.of(environment)
        store = clients.store()
        queue = DeliveryQueue(clients.sqs, environment.deliveries_queue_url)
        payloads = PayloadCompressionManager(clients.s3, environment.payloads_bucket)
        first = environment.retry_first_seconds
        retries = Retries(first=float(first)) if first else Retries()
        kinds = _destinations(clients, environment)
        attempts = DeliveryAttempts(store, queue, payloads, kinds, retries=retries)
        return cls(FanOut(store, queue), attempts)


class _WhenNeeded:
    """A destination whose client is made for the first delivery to it."""

    def __init__(self, make: Callable[[], Destination]) -> None:
        self._make = cache(make)

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        return self._make().deliver(shipment, now)


def _destinations(clients: Clients, environment: DeliverEnvironment) -> dict[str, Destination]:
    """What delivers, by type of destination."""
    secrets = CachedSecrets(clients.secrets, environment.secrets_prefix)
    return {
        "webhook": WebhookDestination(secrets, local=environment.local_webhooks == ON),
        "email": _WhenNeeded(lambda: EmailDestination(_mail(clients), environment.mail_from)),
        "s3": S3Destination(clients.s3),
        "eventbridge": _WhenNeeded(
            lambda: EventBridgeDestination(clients.client("events"), environment.event_bus_name)
        ),
    }


def _mail(clients: Clients) -> Caller:
    # A mail that is answered late may have been sent: it is waited for, and sent once an attempt.
    once = {"mode": "standard", "total_max_attempts": 1}
    return clients.client("sesv2", read_timeout=10, retries=once)
