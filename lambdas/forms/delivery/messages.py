"""Messages of the delivery queue: created submissions, and deliveries to attempt."""

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from lambdas.forms.contract import CREATED, SOURCE
from tablewright.catalog.forms.submissions import DeliveryAttempt
from tablewright.model.errors import TablewrightError
from tablewright.model.fields.time import iso_utc
from tablewright.runtime import strict_json
from tablewright.runtime.aws import Caller
from tablewright.runtime.messaging import queue
from tablewright.runtime.retry import Backoff


class BadMessage(TablewrightError, ValueError):
    """A message that is neither of the two; repeating it will not help."""


class Created(NamedTuple):
    """A submission was created."""

    tenant_id: str
    submission_id: str


class Delivery(NamedTuple):
    """An attempt is to be made; `since` is when it was first asked for."""

    tenant_id: str
    submission_id: str
    destination_id: str
    attempt: int
    since: str

    @property
    def key(self) -> dict[str, Any]:
        """The key of the attempt's record."""
        number = {"attempt_num": self.attempt}
        return {**self.destination, "submission_id": self.submission_id, **number}

    @property
    def destination(self) -> dict[str, Any]:
        return {"tenant_id": self.tenant_id, "destination_id": self.destination_id}

    @property
    def submission(self) -> dict[str, Any]:
        return {"tenant_id": self.tenant_id, "submission_id": self.submission_id}

    @property
    def name(self) -> str:
        """Tells the attempt from all others at its destination."""
        return f"{self.submission_id}#{self.attempt}"

    @property
    def message(self) -> str:
        """The body of the message that asks for it, as `read_message` takes it."""
        return json.dumps({"deliver": self._asdict()})

    def following(self, attempt: int, now: datetime) -> "Delivery":
        return self._replace(attempt=attempt, since=iso_utc(now))


def read_message(body: str, now: datetime) -> Created | Delivery:
    """The message in a body; raises BadMessage."""
    try:
        message = strict_json.parse(body)
        asked = message.get("deliver")
        if asked is not None:
            delivery = Delivery(**{"since": iso_utc(now), **asked})
            DeliveryAttempt.__entity__.check(delivery.key, partial=True)
            datetime.fromisoformat(delivery.since)
            return delivery
        if (message["source"], message["detail-type"]) != (SOURCE, CREATED):
            raise BadMessage("the event is not of a created submission")
        created = Created(*(message["detail"][name] for name in Created._fields))
        DeliveryAttempt.__entity__.check(created._asdict(), partial=True)
    except BadMessage:
        raise
    except (TablewrightError, AttributeError, KeyError, TypeError, ValueError) as error:
        # What was sent is not repeated: it may be anything.
        raise BadMessage(f"not a message about deliveries: {type(error).__name__}") from None
    return created


class DeliveryQueue:
    """The queue of deliveries, which its consumer also sends to."""

    def __init__(self, sqs: Caller, url: str, *, backoff: Backoff | None = None) -> None:
        self._queue = queue.Queue(sqs, url, backoff=backoff)

    def send(self, deliveries: Sequence[Delivery], seconds: float = 0) -> None:
        """When this returns, every message has been taken, to be seen after so many seconds.

        Those of a tenant are a group of their own, so that no tenant waits for another's.
        """
        for tenant, theirs in groupby(deliveries, key=lambda one: one.tenant_id):
            self._queue.send([one.message for one in theirs], seconds, group=tenant)
