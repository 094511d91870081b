"""Due steps: what the dates of a content ask for at a moment; pure rules.

Each step is one write, and takes the content a little further; what is still to be done keeps it
among what is due. So whoever dies between two calls leaves nothing undone that is not found again,
and whoever comes second finds the content as the first has left it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.portal.content.lifecycle import (
    Changes,
    applied,
    effective,
    effective_date,
    expiry_date,
    next_due,
    review_date,
    revision,
    unchanged,
    waiting,
    with_draft,
)
from tablewright.catalog.portal.content import APPROVED, DEPRECATED, EXPIRED, Content
from tablewright.model.declaration import unchecked
from tablewright.model.fields.time import iso_utc

EFFECTIVE, REVIEW, EXPIRY, REMOVAL, CORRECTION = (
    *("effective", "review", "expiry", "removal", "correction"),
)

# What the calendar's steps depend on and its own marks change, beside the version.
_MARKS = ("review_told", "removing", "due_at")


class DueStep(NamedTuple):
    """A change that is due, and the files whose objects are to be removed before it is made."""

    kind: str
    changes: Changes
    removes: tuple[str, ...] = ()


def due_step(content: Content, now: datetime) -> DueStep | None:
    """The next thing to be done to the content, None when nothing is due."""
    moment = iso_utc(now)

    def due(date: str | None) -> bool:
        return date is not None and date <= moment

    if content.removing:
        return DueStep(REMOVAL, _mark(content, removing=None), content.removing)
    if waiting(content) and due(effective(content)):
        return DueStep(EFFECTIVE, revision(content, {"status": APPROVED}, now))
    if (content.draft or {}).get("approved_at") and due(_draft_effective(content)):
        changes = {**applied(content), "status": APPROVED}
        return DueStep(EFFECTIVE, revision(content, changes, now))
    review = review_date(content)
    if content.status == APPROVED and due(review) and content.review_told != review:
        return DueStep(REVIEW, _mark(content, review_told=review))
    if content.status in (APPROVED, DEPRECATED) and due(expiry_date(content)):
        return DueStep(EXPIRY, revision(content, {"status": EXPIRED}, now))
    if content.due_at != next_due(content):
        # Somebody changed the content without knowing what the calendar had just done to it.
        return DueStep(CORRECTION, _mark(content))
    return None


def _draft_effective(content: Content) -> str | None:
    return effective_date(with_draft(content))


def as_read(content: Content) -> Mapping[str, Any]:
    """What must still be so when a step is written."""
    return {**unchanged(content), **{name: content.get(name) for name in _MARKS}}


def _mark(content: Content, **changes: Any) -> Changes:
    """A change of the calendar's own marks: neither a new version nor a later place in lists."""
    return {**changes, "due_at": next_due(unchecked(Content, {**content, **changes}))}
