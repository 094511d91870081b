"""How a submission stands, by the attempts to deliver it."""

from collections.abc import Iterable
from datetime import datetime

from tablewright.designs import Record
from tablewright.designs.fields import timestamp
from tablewright.designs.forms import FORMS
from tablewright.designs.forms_submissions import PENDING
from tablewright.runtime.errors import Conflict, NotFound
from tablewright.runtime.store import Store

DELIVERED, FAILED = "DELIVERED", "FAILED"
SUCCEEDED, RETRYING = "SUCCEEDED", "RETRYING"
# A redelivery may mend what had failed; nothing makes undone what was delivered.
_BEFORE = {DELIVERED: (PENDING, FAILED), FAILED: (PENDING,)}


def standing(attempts: Iterable[Record]) -> str:
    """Pending while a destination is open, failed when one of them is given up, else delivered.

    >>> standing([{"destination_id": "crm", "attempt_num": 1, "status": "RETRYING"},
    ...           {"destination_id": "crm", "attempt_num": 2, "status": "SUCCEEDED"}])
    'DELIVERED'
    """
    last: dict[str, Record] = {}
    for one in attempts:
        known = last.setdefault(one["destination_id"], one)
        if one["attempt_num"] > known["attempt_num"]:
            last[one["destination_id"]] = one
    statuses = {one["status"] for one in last.values()}
    if statuses & {PENDING, RETRYING}:
        return PENDING
    return FAILED if FAILED in statuses else DELIVERED


def attempts_of(store: Store, key: Record) -> list[Record]:
    """All attempts to deliver a submission, or those at one destination."""
    return list(store.each(FORMS.submission_attempts, key))


def settle(store: Store, tenant_id: str, submission_id: str, now: datetime) -> str:
    """Write how a submission stands, when nothing is open any more; gives the standing."""
    key = {"tenant_id": tenant_id, "submission_id": submission_id}
    reached = standing(attempts_of(store, key))
    for before in _BEFORE.get(reached, ()):
        changes = {"status": reached, "updated_at": timestamp(now)}
        try:
            store.update(FORMS.update_submission, key, changes, expect={"status": before})
        except NotFound:
            break
        except Conflict:
            continue
        break
    return reached
