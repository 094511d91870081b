"""Rules of content: its statuses, its drafts, and who may do what; pure functions.

People with the role set any status. What was approved stays as it is for readers: a change that is
still to be approved waits in the same item, as its `draft`, until it is approved or withdrawn.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lambdas.errors import NotAllowed, RequestConflict
from lambdas.portal.contract import ADMINS, APPROVERS, AUTHORS, TWO_PERSON
from lambdas.portal.users import User
from tablewright.catalog.portal.content import APPROVED, DEPRECATED, DRAFT, EXPIRED, HARD, Content
from tablewright.catalog.portal.fields import stored_utc
from tablewright.model import InvalidValue
from tablewright.model.declaration import unchecked
from tablewright.model.fields.time import iso_utc

# Fields and their new values, None for one that is removed.
Changes = Mapping[str, Any]

# What the registry knows of a content's file.
FILE_FIELDS = (
    *("s3_uri", "s3_bucket", "s3_key"),
    *("file_name", "content_type", "size_bytes", "uploaded_at"),
)
# Fields that only people who may see a draft receive.
DRAFT_FIELDS = ("draft", "draft_by", "latest_version")
# Fields of the calendar: they tell of drafts too.
HIDDEN_FIELDS = (*DRAFT_FIELDS, "due_at", "removing")
MAX_REMOVING = 20
_AT_ONCE = "1970-01-01T00:00:00.000Z"
_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)", re.ASCII)
# The date of the next review is not part of what was approved.
_NOT_APPROVED_OF = ("review_due_date",)
_NO_FILE = dict.fromkeys(FILE_FIELDS)
_NO_APPROVAL = {"approved_by": None, "approved_at": None}
_NO_DRAFT = {"draft": None, "draft_by": None}
_TENDERS = "its owner as an author, approvers and admins"


def next_due(content: Content) -> str | None:
    """When something is next to happen to the content by itself, if anything is."""
    status, draft = content.status, content.draft or {}
    dates: list[str | None] = []
    if waiting(content):
        dates.append(effective(content))
    if draft.get("approved_at"):
        dates.append(effective_date(with_draft(content)))
    if status == APPROVED and content.review_told != (review := review_date(content)):
        dates.append(review)
    if status in (APPROVED, DEPRECATED):
        dates.append(expiry_date(content))
    if content.removing:
        dates.append(_AT_ONCE)
    # Fixed width and UTC, so that the order of texts is that of time.
    return min((date for date in dates if date), default=None)


def effective(content: Content) -> str:
    """When content that waits takes effect: at once, if its date was removed meanwhile."""
    return effective_date(content) or _AT_ONCE


def effective_date(content: Content) -> str | None:
    return _date(content, "effective_date")


def review_date(content: Content) -> str | None:
    return _date(content, "review_due_date")


def expiry_date(content: Content) -> str | None:
    return _date(content, "expiry_date", end_of_day=True)


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


def latest_version(content: Mapping[str, Any]) -> str:
    """The version that a change has to name: the draft's, where it is later than the content's."""
    return str(content.get("latest_version") or content["version"])


def revision(content: Content, changes: Changes, now: datetime) -> Changes:
    """Changes with what follows from them: the next version, its time, and what is due then.

    A change of the draft alone counts on `latest_version`; readers see no change.
    """
    after = _changed(content, changes)
    if hard_expired(after) and after.s3_key:
        changes = {**changes, **_NO_FILE, **_removing(after, after.s3_key)}
        after = _changed(content, changes)
    version, due = next_version(latest_version(content)), {"due_at": next_due(after)}
    if changes.keys() <= {*_NO_DRAFT, "removing"}:
        return {**changes, **due, "latest_version": version}
    now_shown = {"version": version, "latest_version": None, "last_updated": iso_utc(now)}
    return {**changes, **due, **now_shown}


def unchanged(content: Content) -> Mapping[str, Any]:
    """What is still so of content that nobody has changed since it was read."""
    return {name: content.get(name) for name in ("version", "latest_version")}


def waiting(content: Content) -> bool:
    """Approved, but not effective yet."""
    return content.status == DRAFT and bool(content.approved_at)


def hard_expired(content: Content) -> bool:
    """Withdrawn altogether: its file is gone, and readers see nothing of it."""
    return content.status == EXPIRED and content.expiry_policy == HARD


def may_read(content: Content, user: User) -> bool:
    if may_read_draft(content, user):
        return True
    return content.status != DRAFT and not hard_expired(content)


def may_read_draft(content: Content, user: User) -> bool:
    return content.owner_user_id == user.user_id or user.has(APPROVERS)


def with_draft(content: Content) -> Content:
    """The content as it is once its draft is approved."""
    draft = content.draft or {}
    return _changed(content, Content.__entity__.check(draft, partial=True) if draft else {})


def publishes(user: User, review: str) -> bool:
    """Whether the changes of a user need no approval by somebody else."""
    return review != TWO_PERSON and user.has(APPROVERS)


def edited(content: Content, changes: Changes, user: User, review: str) -> Changes:
    """The changes that an edit by this user makes."""
    if not _tends(content, user):
        raise NotAllowed(f"Only {_TENDERS} may change this content.")
    return edit(content, changes, user.user_id, approved=publishes(user, review))


def edit(content: Content, changes: Changes, by: str | None, *, approved: bool) -> Changes:
    """The changes that an edit makes: to the content, or to the draft that is to be approved."""
    whole = with_draft(content)
    # A file stays whole in the draft: that of the content can be removed before an approval.
    changed = {n: v for n, v in changes.items() if whole.get(n) != v or n in FILE_FIELDS}
    if content.status == DRAFT and not waiting(content):
        return {**changed, "draft_by": by} if changed else {}
    if approved and not content.draft:
        return changed
    direct = {name: changed.pop(name) for name in _NOT_APPROVED_OF if name in changed}
    if not changed:
        return direct
    draft = {**(content.draft or {}), **changed}
    kept = {
        name: value
        for name, value in draft.items()
        if name in FILE_FIELDS or (content.get(name) != value and name not in _NO_APPROVAL)
    }
    return {**direct, "draft": kept or None, "draft_by": by if kept else None}


def withdrawn(content: Content, user: User) -> Changes:
    """The changes that withdraw the draft; its file is removed."""
    if not _tends(content, user):
        raise NotAllowed(f"Only {_TENDERS} may withdraw its draft.")
    file = (content.draft or {}).get("s3_key")
    return {**_NO_DRAFT, **(_removing(content, file) if file else {})}


def applied(content: Content) -> Changes:
    """The changes that the draft becomes the content by; a file that it replaces is removed."""
    draft = content.draft or {}
    new = {name: with_draft(content).get(name) for name in draft}
    replaces = content.s3_key if "s3_key" in draft else None
    return {**new, **_NO_DRAFT, **(_removing(content, replaces) if replaces else {})}


def may_delete(content: Content, user: User) -> None:
    """Drafts are deleted by those who tend them; what has been public, by admins only."""
    unseen = content.status == DRAFT and not content.was_public
    if not (_tends(content, user) if unseen else user.has(ADMINS)):
        who = _TENDERS if unseen else "admins"
        raise NotAllowed(f"Only {who} may delete this content.")


def has_become(content: Content, status: str) -> bool:
    """Whether the content is already what it is asked to become."""
    if status == DRAFT:
        return content.status == DRAFT and not waiting(content)
    if status != APPROVED:
        return content.status == status
    if content.draft:
        return bool(content.draft.get("approved_at"))
    return content.status == APPROVED or waiting(content)


def with_status(content: Content, status: str, user: User, review: str, now: datetime) -> Changes:
    """The changes by which a user sets a status: any, from any other."""
    _require_may_set(content, status, user, review)
    if status == APPROVED:
        return _approved(content, user, now)
    if status == DRAFT:
        seen = {} if content.status == DRAFT else {"was_public": True}
        by = content.draft_by or content.owner_user_id
        return {**applied(content), **_NO_APPROVAL, **seen, "status": DRAFT, "draft_by": by}
    if status == DEPRECATED and content.status != APPROVED:
        _require_not_over(content, now)
    changes: dict[str, Any] = {"status": status}
    if content.draft and content.draft.get("approved_at"):
        kept = {n: v for n, v in content.draft.items() if n not in _NO_APPROVAL}
        changes |= {"draft": kept or None}
    return changes if content.draft else {**changes, "draft_by": None}


def _approved(content: Content, user: User, now: datetime) -> Changes:
    whole, moment = with_draft(content), iso_utc(now)
    _require_not_over(whole, now)
    by = {"approved_by": user.user_id, "approved_at": moment}
    begins = effective_date(whole)
    waits = begins is not None and begins > moment
    if content.draft and waits and content.status != DRAFT:
        # Readers keep the content that they see until the new one is effective.
        return {"draft": {**content.draft, **by}}
    status = DRAFT if waits and content.status == DRAFT else APPROVED
    return {**applied(content), **by, "status": status}


def _require_not_over(content: Content, now: datetime) -> None:
    expiry = expiry_date(content)
    if expiry is not None and expiry <= iso_utc(now):
        raise RequestConflict(f"Its expiry_date, {expiry}, is over: change or remove it first.")


def _require_may_set(content: Content, status: str, user: User, review: str) -> None:
    shows = status == APPROVED or (content.status == DRAFT and status != DRAFT)
    withdraws = status == DRAFT or (content.status, status) == (APPROVED, DEPRECATED)
    if not (_tends(content, user) if withdraws else user.has(APPROVERS)):
        who = _TENDERS if withdraws else "approvers and admins"
        raise NotAllowed(f"Only {who} may make this {status}.")
    if shows and review == TWO_PERSON and user.user_id in (content.owner_user_id, content.draft_by):
        raise NotAllowed("Content is approved by somebody who neither owns nor last edited it.")


def _date(content: Content, name: str, *, end_of_day: bool = False) -> str | None:
    """A date of content; raises InvalidValue for a stored text that is none."""
    try:
        return stored_utc(content.get(name), end_of_day=end_of_day)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValue(
            name, "is stored as a text that is no date: change or remove it"
        ) from None


def _removing(content: Content, file: str) -> Changes:
    """The calendar removes the objects; those of long lists, the daily cleaning."""
    return {"removing": (*(content.removing or ()), file)[-MAX_REMOVING:]}


def _changed(content: Content, changes: Changes) -> Content:
    # Stored items may be older than the rules of their fields.
    return unchecked(Content, {n: v for n, v in {**content, **changes}.items() if v is not None})


def _tends(content: Content, user: User) -> bool:
    owns = content.owner_user_id == user.user_id and user.has(AUTHORS)
    return owns or user.has(APPROVERS)
