"""The delivery of submissions with everything around it: a queue with a clock, buckets, a bus."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

from lambdas.forms.contract import CREATED, SOURCE
from lambdas.forms.delivery.attempts import DeliveryAttempts, Retries
from lambdas.forms.delivery.breaker import BreakerRules, Breakers
from lambdas.forms.delivery.fan_out import FanOut
from lambdas.forms.delivery.messages import Created, DeliveryQueue, read_message
from lambdas.forms.delivery.redelivery import Redelivery
from lambdas.forms.destinations.email import EmailDestination
from lambdas.forms.destinations.eventbridge import EventBridgeDestination
from lambdas.forms.destinations.s3 import S3Destination
from lambdas.forms.destinations.shipment import DeliveryOutcome, Destination, Shipment
from lambdas.forms.destinations.webhook import WebhookDestination
from lambdas.forms.payload_compression import PayloadCompressionManager
from lambdas.forms.tenants.secrets import CachedSecrets
from tablewright.catalog.forms import tenants
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import Submission
from tablewright.catalog.forms.tenants import TenantConfig
from tablewright.model import Record
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import ResourceMissing
from tablewright.testing import Crash
from tests.integration.forms.conftest import FormTable, key_of, submission

VISIBILITY = timedelta(minutes=6)
RECEIVES = 5
SECRET = "whsec-of-the-tenant"
PAYLOAD = b'{"name":"Ada Lovelace","message":"Hello"}'


class Cloud:
    """SQS, S3, SES, EventBridge and Secrets Manager, as far as deliveries need them."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.messages: list[tuple[datetime, str, int]] = []  # seen when, body, received how often
        self.objects: dict[tuple[str, str], bytes] = {}
        self.mails: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.secrets: dict[str, str] = {}
        self.delays: list[int] = []

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = getattr(self, f"_{operation}")(**params)
        return answer

    def _SendMessageBatch(self, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N802, N803
        assert len(Entries) <= 10
        for entry in Entries:
            assert 0 <= entry["DelaySeconds"] <= 900
            self.delays.append(entry["DelaySeconds"])
            seen = self._now() + timedelta(seconds=entry["DelaySeconds"])
            self.messages.append((seen, entry["MessageBody"], 0))
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}

    def _PutObject(self, Bucket: str, Key: str, Body: bytes, **_: Any) -> dict[str, Any]:  # noqa: N802, N803
        self.objects[Bucket, Key] = Body
        return {}

    def _GetObject(self, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N802, N803
        return {"Body": BytesIO(self.objects[Bucket, Key])}

    def _SendEmail(self, **mail: Any) -> dict[str, Any]:  # noqa: N802
        self.mails.append(mail)
        return {"MessageId": "1"}

    def _PutEvents(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N802, N803
        self.events += Entries
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}

    def _GetSecretValue(self, SecretId: str) -> dict[str, Any]:  # noqa: N802, N803
        if SecretId not in self.secrets:
            raise ResourceMissing("GetSecretValue: ResourceNotFoundException: ")
        return {"SecretString": self.secrets[SecretId]}


class Edge:
    """All that the function calls, through one seam."""

    def __init__(self, dynamo: Caller, cloud: Cloud) -> None:
        self._dynamo = dynamo
        self._cloud = cloud

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        to: Caller = self._cloud if hasattr(self._cloud, f"_{operation}") else self._dynamo
        return to.call(operation, params)


class Scripted:
    """A destination that answers as it is told, and then succeeds."""

    def __init__(self, *outcomes: DeliveryOutcome) -> None:
        self.outcomes = list(outcomes)
        self.shipments: list[Shipment] = []

    def deliver(self, shipment: Shipment, now: datetime) -> DeliveryOutcome:
        self.shipments.append(shipment)
        return self.outcomes.pop(0) if self.outcomes else DeliveryOutcome(response_status=200)


BUSY = DeliveryOutcome("the destination answered 503", again=True, response_status=503)


class World:
    """A form table, a tenant with a form, and the function's parts over one edge."""

    def __init__(self, forms: FormTable, **settings: Any) -> None:
        self.forms = forms
        self.clock = forms.clock
        self.cloud = Cloud(lambda: self.clock.moment)
        self.dynamo = forms.database.caller
        self.edge: Caller = Edge(self.dynamo, self.cloud)
        self.dead: list[str] = []
        self.webhook: Destination = Scripted()
        self.roll = 0.5
        self.settings = settings
        self.store = forms.store(self.edge)

    def tenant(self, tenant: str, *destinations: Record, form: str = "contact") -> None:
        """A tenant whose form goes to these destinations."""
        for one in destinations:
            example = tenants.Destination.__entity__.example
            key = {"tenant_id": tenant, "key_id": f"hook-{one['destination_id']}"}
            self.store.put(Forms.put_destination, tenants.Destination(**{**example, **key, **one}))
            self.cloud.secrets[f"test/forms/{tenant}/{key['key_id']}"] = SECRET
        route = {form: {"destinations": [one["destination_id"] for one in destinations]}}
        config = TenantConfig.__entity__.example
        self.store.put(
            Forms.put_config, TenantConfig(**{**config, "tenant_id": tenant, "forms": route})
        )

    def submit(self, number: int = 0, tenant: str = "acme", **changes: Any) -> Submission:
        """A submission, and the event of it on the queue."""
        sent = {"data": PAYLOAD, "original_size": len(PAYLOAD), "tenant_id": tenant}
        made = submission(self.clock.moment, number, **{**sent, **changes})
        self.store.put(Forms.put_submission, made)
        self.announce(made)
        return made

    def announce(self, made: Submission) -> None:
        detail = {name: made[name] for name in ("tenant_id", "submission_id", "form_id")}
        event = {"source": SOURCE, "detail-type": CREATED, "detail": detail}
        self.cloud.messages.append((self.clock.moment, json.dumps(event), 0))

    def carry_out(self, body: str, caller: Caller | None = None) -> str | int:
        """What the function does with a message, over a caller."""
        edge = caller or self.edge
        store = self.forms.store(edge)
        queue = DeliveryQueue(edge, "queue")
        asked = read_message(body, self.clock.moment)
        if isinstance(asked, Created):
            return FanOut(store, queue).begin(asked, self.clock.moment)
        secrets = CachedSecrets(edge, "test/forms/")
        webhook = self.webhook
        if isinstance(webhook, WebhookDestination):
            webhook._secrets = secrets
        kinds: Mapping[str, Destination] = {
            "webhook": webhook,
            "s3": S3Destination(edge),
            "email": EmailDestination(edge, "forms@example.com"),
            "eventbridge": EventBridgeDestination(edge, "bus"),
        }
        deliveries = DeliveryAttempts(
            store,
            queue,
            PayloadCompressionManager(edge, "payloads"),
            kinds,
            breakers=Breakers(store, self.settings.get("breaker", BreakerRules())),
            retries=Retries(),
            roll=lambda: self.roll,
        )
        return deliveries.attempt(asked, self.clock.moment)

    def step(self, caller: Caller | None = None) -> str | int:
        """The next message, when it is time for it; as SQS does it, one that fails comes again."""
        at, body, received = self.cloud.messages.pop(0)
        self.clock.moment = max(self.clock.moment, at)
        left = [*self.cloud.messages]
        self.cloud.messages.append((self.clock.moment + VISIBILITY, body, received + 1))
        again = self.cloud.messages[-1]
        try:
            done = self.carry_out(body, caller)
        except (TablewrightError, Crash):
            if received + 1 >= RECEIVES:
                self.cloud.messages.remove(again)
                self.dead.append(body)
            raise
        else:
            self.cloud.messages.remove(again)
        finally:
            assert all(one in self.cloud.messages for one in left)
            self.cloud.messages.sort(key=lambda one: one[0])
        return done

    def drain(self, caller: Caller | None = None, most: int = 400) -> None:
        """Until the queue is empty; time passes as the messages ask for it."""
        self.cloud.messages.sort(key=lambda one: one[0])
        for _ in range(most):
            if not self.cloud.messages:
                return
            self.step(caller)
        raise AssertionError("the queue does not become empty")

    def redeliver(
        self, made: Submission, destination: str | None = "crm", edge: Caller | None = None
    ) -> list[int]:
        """Ask for it again; gives the numbers of the attempts that were asked for."""
        caller = edge or self.edge
        redelivery = Redelivery(self.forms.store(caller), DeliveryQueue(caller, "queue"))
        key = (made.tenant_id, made.submission_id, destination)
        return [one.attempt for one in redelivery.redeliver(*key, self.clock.moment)]

    def move_back(self) -> None:
        """Move what was set aside back to the queue, as an operator does."""
        self.cloud.messages += [(self.clock.moment, body, 0) for body in self.dead]
        self.dead.clear()

    def status(self, made: Submission) -> str:
        found = self.forms.store(self.dynamo).get(Forms.get_submission, key_of(made))
        assert found is not None
        return found.status

    def attempts(self, made: Mapping[str, Any]) -> list[tuple[str, int, str]]:
        where = {name: made[name] for name in ("tenant_id", "submission_id")}
        found = self.forms.store(self.dynamo).each(Forms.submission_attempts, where)
        return [(a.destination_id, a.attempt_num, a.status) for a in found]

    def destination(self, id: str = "crm", tenant: str = "acme") -> tenants.Destination:
        key = {"tenant_id": tenant, "destination_id": id}
        found = self.forms.store(self.dynamo).get(Forms.get_destination, key)
        assert found is not None
        return found

    def change(self, id: str = "crm", tenant: str = "acme", **changes: Any) -> None:
        key = {"tenant_id": tenant, "destination_id": id}
        moments = {k: iso_utc(v) if isinstance(v, datetime) else v for k, v in changes.items()}
        if moments:
            self.store.update(Forms.update_destination, key, moments)


def webhook(id: str = "crm", url: str = "https://crm.example.com/hooks") -> Record:
    return {"destination_id": id, "destination_type": "webhook", "settings": {"url": url}}


def archive(id: str = "archive") -> Record:
    settings = {"bucket": "acme-archive", "prefix": "forms"}
    return {"destination_id": id, "destination_type": "s3", "settings": settings}
