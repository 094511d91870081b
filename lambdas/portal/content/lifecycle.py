"""Lifecycle of content: what may happen to it, by whom, and what follows; pure rules.

Draft → Approved → Deprecated → Expired, back from Deprecated to Approved, and from Expired to a
draft again. Content that is approved before its effective date waits for it as a draft. An approval
is of what the approver has read: whatever changes that makes the content a draft again.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lambdas.errors import NotAllowed, RequestConflict
from lambdas.portal.contract import ADMINS, APPROVERS, AUTHORS
from lambdas.portal.users import User
from tablewright.catalog.portal.content import APPROVED, DEPRECATED, DRAFT, EXPIRED, HARD, Content
from tablewright.model.fields.time import iso_utc

# Fields and their new values, None for one that goes.
Changes = Mapping[str, Any]

# What the registry knows of a content's file.
FILE_FIELDS = (
    *("s3_uri", "s3_bucket", "s3_key"),
    *("file_name", "content_type", "size_bytes", "uploaded_at"),
)
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)", re.ASCII)
# When it is to be looked at again is no part of what was approved.
_NOT_APPROVED_OF = ("review_due_date",)
_NO_FILE = dict.fromkeys(FILE_FIELDS)
_NO_APPROVAL = {"approved_by": None, "approved_at": None}
_TAKEN_BACK = {"status": DRAFT, **_NO_APPROVAL, "was_public": True}


def next_due(content: Content) -> str | None:
    """When something is next to happen to the content by itself, if anything is."""
    status = content.status
    dates = []
    if status == DRAFT and content.approved_at:
        dates.append(content.effective_date)
    if status == APPROVED and content.review_told != content.review_due_date:
        dates.append(content.review_due_date)
    if status in (APPROVED, DEPRECATED):
        dates.append(content.expiry_date)
    if content.removing:
        dates.append(content.created_at)  # since ever: it is not to wait for anything
    # Fixed width and UTC, so that the order of texts is that of time.
    return min((date for date in dates if date), default=None)


def next_version(version: str) -> str:
    """The version after this one: its last number is one more, or its first follows.

    >>> [next_version(one) for one in ("3", "1.0", "v9", "final", "2025-12-09")]
    ['4', '1.1', 'v10', 'final.1', '2025-12-10']
    """
    whole = _LAST_NUMBER.fullmatch(version)
    if whole is None:
        return f"{version}.1"
    before, number, after = whole.groups()
    return f"{before}{int(number) + 1:0{len(number)}}{after}"


def revision(content: Content, changes: Changes, now: datetime) -> Changes:
    """Changes with what goes with each: the next version, its time, and what is due then."""
    return {
        **changes,
        "version": next_version(content.version),
        "last_updated": iso_utc(now),
        "due_at": next_due(Content(**{**content, **changes})),
    }


def waiting(content: Content) -> bool:
    """Approved, but not effective yet."""
    return content.status == DRAFT and bool(content.approved_at)


def hard_expired(content: Content) -> bool:
    """Withdrawn altogether: its file is gone, and readers see nothing of it."""
    return content.status == EXPIRED and content.expiry_policy == HARD


def may_read(content: Content, user: User) -> bool:
    if _owns(content, user) or user.has(APPROVERS):
        return True
    return content.status != DRAFT and not hard_expired(content)


def edited(content: Content, changes: Changes, user: User) -> Changes:
    """The changes that an edit by this user makes."""
    if not _tends(content, user):
        raise NotAllowed(f"Only {_TENDERS} may change this content.")
    return edit(content, changes)


def edit(content: Content, changes: Changes) -> Changes:
    """What an edit by somebody who may make it changes: it takes back an approval of the rest."""
    if content.status == EXPIRED:
        raise RequestConflict("Expired content cannot be changed; it can become: Draft.")
    changed = {name for name, value in changes.items() if content.get(name) != value}
    if not changed.difference(_NOT_APPROVED_OF):
        return changes
    if content.status in (APPROVED, DEPRECATED):
        return {**changes, **_TAKEN_BACK}
    return {**changes, **(_NO_APPROVAL if waiting(content) else {})}


def may_delete(content: Content, user: User) -> None:
    """Drafts go with those who tend them; what has been public, with an admin only."""
    unseen = content.status == DRAFT and not content.was_public
    if not (_tends(content, user) if unseen else user.has(ADMINS)):
        who = _TENDERS if unseen else "admins"
        raise NotAllowed(f"Only {who} may delete this content.")


def has_become(content: Content, status: str) -> bool:
    """Whether the content is already what it is asked to become."""
    return content.status == status or (status == APPROVED and waiting(content))


def moved(content: Content, status: str, user: User, now: datetime) -> Changes:
    """The changes by which a user brings content into another status."""
    transition = TRANSITIONS.get((content.status, status))
    if transition is None:
        possible = [to for start, to in TRANSITIONS if start == content.status]
        raise RequestConflict(
            f"{content.status} content cannot become {status}; "
            f"it can become: {', '.join(possible)}."
        )
    if not transition.allowed(content, user):
        raise NotAllowed(f"Only {transition.who} may make this {status}.")
    return transition.changes(content, user, now)


def expired(content: Content) -> Changes:
    """The changes by which content expires: with a hard policy its file goes as well."""
    return {"status": EXPIRED, **(_NO_FILE if content.expiry_policy == HARD else {})}


def _approved(content: Content, user: User, now: datetime) -> Changes:
    moment = iso_utc(now)
    effective, expiry = content.effective_date, content.expiry_date
    if expiry is not None and expiry <= moment:
        raise RequestConflict(f"Its expiry_date, {expiry}, is over: change or remove it first.")
    waits = effective is not None and effective > moment
    return {
        "status": DRAFT if waits else APPROVED,
        "approved_by": user.user_id,
        "approved_at": moment,
    }


def _deprecated(_content: Content, _user: User, _now: datetime) -> Changes:
    return {"status": DEPRECATED}


def _withdrawn(content: Content, _user: User, _now: datetime) -> Changes:
    return expired(content)


def _revised(content: Content, _user: User, _now: datetime) -> Changes:
    gone = _NO_FILE if hard_expired(content) else {}
    return {**_TAKEN_BACK, "expiry_date": None, **gone}


def _owns(content: Content, user: User) -> bool:
    return content.owner_user_id == user.user_id


def _authors(content: Content, user: User) -> bool:
    return user.has(ADMINS) or (_owns(content, user) and user.has(AUTHORS))


def _approves(_content: Content, user: User) -> bool:
    return user.has(APPROVERS)


def _tends(content: Content, user: User) -> bool:
    return _authors(content, user) or _approves(content, user)


def _approves_of_others(content: Content, user: User) -> bool:
    return user.has(ADMINS) or (user.has(APPROVERS) and not _owns(content, user))


_TENDERS = "its owner as an author, approvers and admins"


class Transition(NamedTuple):
    """A way from one status to another: who may take it, and what it changes."""

    allowed: Callable[[Content, User], bool]
    who: str
    changes: Callable[[Content, User, datetime], Changes]


_APPROVAL = Transition(_approves_of_others, "approvers who do not own it, and admins,", _approved)
TRANSITIONS: dict[tuple[str, str], Transition] = {
    (DRAFT, APPROVED): _APPROVAL,
    (APPROVED, DEPRECATED): Transition(_tends, _TENDERS, _deprecated),
    (DEPRECATED, APPROVED): _APPROVAL,
    (APPROVED, EXPIRED): Transition(_approves, "approvers and admins", _withdrawn),
    (DEPRECATED, EXPIRED): Transition(_approves, "approvers and admins", _withdrawn),
    (EXPIRED, DRAFT): Transition(_authors, "its owner as an author, and admins,", _revised),
}
