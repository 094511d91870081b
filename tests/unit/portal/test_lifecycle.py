"""Who may do what to content in which state: every state, every target, every set of roles."""

from datetime import UTC, datetime
from itertools import chain, combinations, product
from typing import Any

import pytest

from lambdas.errors import NotAllowed, RequestConflict
from lambdas.portal.content.lifecycle import (
    FILE_FIELDS,
    edited,
    expired,
    hard_expired,
    has_become,
    may_delete,
    may_read,
    moved,
    next_due,
    next_version,
    revision,
)
from lambdas.portal.contract import ROLES
from lambdas.portal.users import User
from tablewright.catalog.portal.content import (
    APPROVED,
    DEPRECATED,
    DRAFT,
    EXPIRED,
    HARD,
    SOFT,
    STATUSES,
    Content,
)
from tablewright.model import replaced

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
PAST, SOON, LATER = (f"{year}-01-01T00:00:00.000Z" for year in (2025, 2026, 2027))
GROUPS = [
    frozenset(some)
    for some in chain.from_iterable(combinations(ROLES, n) for n in range(len(ROLES) + 1))
]
OWNERS = ("ada", "ben")


TAKEN_BACK = {"status": DRAFT, "approved_by": None, "approved_at": None, "was_public": True}


def content(status: str = DRAFT, **fields: Any) -> Content:
    plain = {"content_id": "c", "status": status, "owner_user_id": "ada", "version": "7"}
    told = {"title": "t", "summary": "s", "tags": [], "created_at": PAST, "last_updated": PAST}
    return Content(**{**plain, **told, **fields})


def is_owning_author(user: User) -> bool:
    return user.user_id == "ada" and "authors" in user.roles


# The rules once more, as the guide tells them.
MAY = {
    (DRAFT, APPROVED): lambda u: "approvers" in u.roles and u.user_id != "ada",
    (APPROVED, DEPRECATED): lambda u: "approvers" in u.roles or is_owning_author(u),
    (DEPRECATED, APPROVED): lambda u: "approvers" in u.roles and u.user_id != "ada",
    (APPROVED, EXPIRED): lambda u: "approvers" in u.roles,
    (DEPRECATED, EXPIRED): lambda u: "approvers" in u.roles,
    (EXPIRED, DRAFT): is_owning_author,
}


@pytest.mark.parametrize(("start", "to"), list(product(STATUSES, STATUSES)))
def test_a_step_is_taken_by_those_who_may_and_by_no_others(start: str, to: str) -> None:
    for groups, name in product(GROUPS, OWNERS):
        user = User(name, groups)
        if (start, to) not in MAY:
            with pytest.raises(RequestConflict) as refused:
                moved(content(start), to, user, NOW)
            for possible in STATUSES:
                told = possible in str(refused.value).partition("can become: ")[2]
                assert told == ((start, possible) in MAY)
        elif "admins" in groups or MAY[start, to](user):
            assert moved(content(start), to, user, NOW)["status"] == to
        else:
            with pytest.raises(NotAllowed):
                moved(content(start), to, user, NOW)


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("policy", [None, SOFT, HARD])
def test_content_is_read_by_those_who_may(status: str, policy: str | None) -> None:
    one = content(status, expiry_policy=policy)
    hidden = status == DRAFT or (status == EXPIRED and policy == HARD)
    for groups, name in product(GROUPS[1:], OWNERS):
        told = name == "ada" or bool(groups & {"approvers", "admins"})
        assert may_read(one, User(name, groups)) == (told or not hidden)


@pytest.mark.parametrize("status", STATUSES)
def test_content_is_changed_and_deleted_by_those_who_may(status: str) -> None:
    for groups, name in product(GROUPS, OWNERS):
        user = User(name, groups)
        tends = bool(groups & {"approvers", "admins"}) or is_owning_author(user)
        if not tends:
            with pytest.raises(NotAllowed):
                edited(content(status), {"title": "x"}, user)
        elif status == EXPIRED:
            with pytest.raises(RequestConflict, match="Draft"):
                edited(content(status), {"title": "x"}, user)
        else:
            back = {} if status == DRAFT else TAKEN_BACK
            assert edited(content(status), {"title": "x"}, user) == {"title": "x", **back}
        for one in (content(status), content(status, was_public=True)):
            if tends if one == content(DRAFT) else "admins" in groups:
                may_delete(one, user)
            else:
                with pytest.raises(NotAllowed):
                    may_delete(one, user)


PAM = User("pam", frozenset({"approvers"}))
ADA = User("ada", frozenset({"authors"}))


@pytest.mark.parametrize(
    ("effective", "status"),
    [
        (None, APPROVED),
        (PAST, APPROVED),
        ("2025-01-26T12:00:00.000Z", APPROVED),
        ("2025-01-26T12:00:00.001Z", DRAFT),
        (SOON, DRAFT),
    ],
)
def test_approved_content_waits_for_its_date(effective: str | None, status: str) -> None:
    draft = content(effective_date=effective)
    approved = moved(draft, APPROVED, PAM, NOW)
    by = {"approved_by": "pam", "approved_at": "2025-01-26T12:00:00.000Z"}
    assert approved == {"status": status, **by}
    assert has_become(Content(**{**draft, **approved}), APPROVED)
    assert not has_become(draft, APPROVED)


def test_an_edit_takes_back_the_approval_of_what_it_changes() -> None:
    no = {"approved_by": None, "approved_at": None}
    waiting = content(approved_at=PAST, approved_by="pam")
    assert edited(waiting, {"title": "x"}, ADA) == {"title": "x", **no}
    for status in (APPROVED, DEPRECATED):
        public = content(status, approved_at=PAST, approved_by="pam", title="x")
        assert edited(public, {"title": "y"}, ADA) == {"title": "y", **TAKEN_BACK}
        assert edited(public, {"s3_key": "k"}, ADA) == {"s3_key": "k", **TAKEN_BACK}
        for nothing in ({"title": "x"}, {"review_due_date": SOON}, {}):
            assert edited(public, nothing, ADA) == nothing


@pytest.mark.parametrize("start", [DRAFT, DEPRECATED])
def test_what_is_over_is_not_approved(start: str) -> None:
    over = content(start, expiry_date="2025-01-26T12:00:00.000Z")
    with pytest.raises(RequestConflict, match="expiry_date"):
        moved(over, APPROVED, PAM, NOW)
    not_yet = content(start, expiry_date="2025-01-26T12:00:00.001Z")
    assert moved(not_yet, APPROVED, PAM, NOW)["status"] == APPROVED


@pytest.mark.parametrize("policy", [None, SOFT, HARD])
def test_only_a_hard_policy_takes_the_file(policy: str | None) -> None:
    one = content(APPROVED, expiry_policy=policy, s3_key="k")
    gone = dict.fromkeys(FILE_FIELDS) if policy == HARD else {}
    assert expired(one) == {"status": EXPIRED, **gone} == moved(one, EXPIRED, PAM, NOW)
    ended = replaced(one, status=EXPIRED)
    assert hard_expired(ended) == (policy == HARD)
    assert moved(ended, DRAFT, ADA, NOW) == {**TAKEN_BACK, "expiry_date": None, **gone}


def test_what_is_due_next_is_the_earliest_of_what_can_happen() -> None:
    moments = [None, PAST, SOON, LATER]
    for status, approved, effective, review, told, expiry in product(
        STATUSES, [None, PAST], moments, moments, moments, moments
    ):
        one = content(
            status,
            approved_at=approved,
            effective_date=effective,
            review_due_date=review,
            review_told=told,
            expiry_date=expiry,
        )
        possible = {
            DRAFT: [effective] if approved else [],
            APPROVED: [None if review == told else review, expiry],
            DEPRECATED: [expiry],
            EXPIRED: [],
        }
        assert next_due(one) == min(filter(None, possible[status]), default=None)


def test_a_revision_counts_on_and_knows_what_is_due_after_it() -> None:
    one = content(APPROVED, version="9", expiry_date=LATER, due_at=LATER)
    assert revision(one, {"expiry_date": SOON}, NOW) == {
        "expiry_date": SOON,
        "version": "10",
        "last_updated": "2025-01-26T12:00:00.000Z",
        "due_at": SOON,
    }
    assert revision(one, {"expiry_date": None}, NOW)["due_at"] is None


@pytest.mark.parametrize(
    ("version", "then"),
    [("1", "2"), ("9", "10"), ("1.0", "1.1"), ("v9", "v10"), ("007", "008"), ("1.9-rc", "1.10-rc"),
     ("final", "final.1"), ("2025-12-09", "2025-12-10")],
)  # fmt: skip
def test_a_version_is_followed_by_one_more_than_its_last_number(version: str, then: str) -> None:
    assert next_version(version) == then
