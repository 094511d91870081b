"""Status of a submission, by the attempts to deliver it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import PENDING, DeliveryAttempt
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store.store import Store

DELIVERED, FAILED, QUARANTINED = "DELIVERED", "FAILED", "QUARANTINED"
SUCCEEDED, RETRYING = "SUCCEEDED", "RETRYING"
# A redelivery may mend what had failed; nothing makes undone what was delivered.
_BEFORE = {DELIVERED: (PENDING, FAILED), FAILED: (PENDING,)}


def status_of(attempts: Iterable[DeliveryAttempt]) -> str:
    """Pending while a destination is open, failed when one of them is given up, else delivered.

    What a destination has taken once it has, whatever comes of sending it there again.

    >>> example = DeliveryAttempt.__entity__.example
    >>> status_of([DeliveryAttempt(**{**example, "attempt_num": 1, "status": "RETRYING"}),
    ...            DeliveryAttempt(**{**example, "attempt_num": 2, "status": "SUCCEEDED"})])
    'DELIVERED'
    """
    statuses = {one.status for one in decisive(attempts).values()}
    if statuses & {PENDING, RETRYING}:
        return PENDING
    return FAILED if FAILED in statuses else DELIVERED


def decisive(attempts: Iterable[DeliveryAttempt]) -> dict[str, DeliveryAttempt]:
    """The attempt that counts at each destination: one that succeeded, else the last."""
    found: dict[str, DeliveryAttempt] = {}
    for one in sorted(attempts, key=lambda attempt: attempt.attempt_num):
        known = found.setdefault(one.destination_id, one)
        if known.status != SUCCEEDED:
            found[one.destination_id] = one
    return found


def attempts_of(store: Store, key: Mapping[str, Any]) -> list[DeliveryAttempt]:
    """All attempts to deliver a submission, or those at one destination."""
    return list(store.each(Forms.submission_attempts, key))


def settle(store: Store, tenant_id: str, submission_id: str, now: datetime) -> str:
    """Write the status of a submission, when nothing is open any more; gives the status."""
    key = {"tenant_id": tenant_id, "submission_id": submission_id}
    reached = status_of(attempts_of(store, key))
    # Twice: a redelivery may have changed one to the other between the two.
    for before in 2 * _BEFORE.get(reached, ()):
        changes = {"status": reached, "updated_at": iso_utc(now)}
        try:
            store.update(Forms.update_submission, key, changes, when={"status": before})
        except NotFound:
            break
        except Conflict:
            continue
        break
    return reached
