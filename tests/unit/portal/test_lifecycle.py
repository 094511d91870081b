"""Who may do what to content in which state: every state, every target, every set of roles."""

from datetime import UTC, datetime
from itertools import chain, combinations, product
from typing import Any

import pytest

from lambdas.errors import NotAllowed, RequestConflict
from lambdas.portal.content.lifecycle import (
    FILE_FIELDS,
    edited,
    hard_expired,
    has_become,
    may_delete,
    may_read,
    next_due,
    next_version,
    revision,
    with_status,
    withdrawn,
)
from lambdas.portal.contract import REVIEWS, ROLE, ROLES, TWO_PERSON
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
AT_ONCE = "1970-01-01T00:00:00.000Z"
PAST, SOON, LATER = (f"{year}-01-01T00:00:00.000Z" for year in (2025, 2026, 2027))
GROUPS = [
    frozenset(some)
    for some in chain.from_iterable(combinations(ROLES, n) for n in range(len(ROLES) + 1))
]
OWNERS = ("ada", "ben")


def content(status: str = DRAFT, **fields: Any) -> Content:
    plain = {"content_id": "c", "status": status, "owner_user_id": "ada", "version": "7"}
    told = {"title": "t", "summary": "s", "tags": [], "created_at": PAST, "last_updated": PAST}
    return Content(**{**plain, **told, **fields})


def is_owning_author(user: User) -> bool:
    return user.user_id == "ada" and "authors" in user.roles


def may_set(start: str, to: str, user: User) -> bool:
    """The rules once more, as the guide tells them."""
    if user.roles & {"approvers", "admins"}:
        return True
    return is_owning_author(user) and (to == DRAFT or (start, to) == (APPROVED, DEPRECATED))


@pytest.mark.parametrize(("start", "to"), list(product(STATUSES, STATUSES)))
def test_people_in_the_role_set_any_status(start: str, to: str) -> None:
    for groups, name in product(GROUPS, OWNERS):
        user = User(name, groups)
        if may_set(start, to, user):
            assert with_status(content(start), to, user, ROLE, NOW)["status"] == to
        else:
            with pytest.raises(NotAllowed):
                with_status(content(start), to, user, ROLE, NOW)


@pytest.mark.parametrize("start", STATUSES)
def test_a_second_person_approves_in_a_two_person_stage(start: str) -> None:
    one = content(start, draft_by="ben")
    for name in ("ada", "ben"):
        for to in STATUSES:
            user = User(name, frozenset({"approvers", "admins"}))
            if to == APPROVED or (start == DRAFT and to != DRAFT):
                with pytest.raises(NotAllowed, match="neither owns nor last edited"):
                    with_status(one, to, user, TWO_PERSON, NOW)
            else:
                assert with_status(one, to, user, TWO_PERSON, NOW)["status"] == to
    assert with_status(one, APPROVED, PAM, TWO_PERSON, NOW)["status"] == APPROVED


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
    for groups, name, review in product(GROUPS, OWNERS, REVIEWS):
        user = User(name, groups)
        approves = bool(groups & {"approvers", "admins"})
        tends = approves or is_owning_author(user)
        if not tends:
            with pytest.raises(NotAllowed):
                edited(content(status), {"title": "x"}, user, review)
        elif status == DRAFT:
            after = {"title": "x", "draft_by": name}
            assert edited(content(status), {"title": "x"}, user, review) == after
        elif approves and review == ROLE:
            assert edited(content(status), {"title": "x"}, user, review) == {"title": "x"}
        else:
            draft = {"draft": {"title": "x"}, "draft_by": name}
            assert edited(content(status), {"title": "x"}, user, review) == draft
        for one in (content(status), content(status, was_public=True)):
            if tends if one == content(DRAFT) else "admins" in groups:
                may_delete(one, user)
            else:
                with pytest.raises(NotAllowed):
                    may_delete(one, user)


PAM = User("pam", frozenset({"approvers"}))
ADA = User("ada", frozenset({"authors"}))
NO_DRAFT = {"draft": None, "draft_by": None}


def drafted(by: str, **changes: Any) -> dict[str, Any]:
    return {"draft": changes, "draft_by": by}


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
    approved = with_status(draft, APPROVED, PAM, ROLE, NOW)
    by = {"approved_by": "pam", "approved_at": "2025-01-26T12:00:00.000Z"}
    assert approved == {"status": status, **by, **NO_DRAFT}
    assert has_become(Content(**{**draft, **approved}), APPROVED)
    assert not has_become(draft, APPROVED)


@pytest.mark.parametrize("status", [APPROVED, DEPRECATED, EXPIRED, "waiting"])
def test_an_edit_of_approved_content_waits_as_its_draft(status: str) -> None:
    shown = DRAFT if status == "waiting" else status
    public = content(shown, approved_at=PAST, approved_by="pam", title="x")
    assert edited(public, {"title": "y"}, ADA, ROLE) == drafted("ada", title="y")
    pending = replaced(public, draft={"title": "y"}, draft_by="ada")
    assert edited(pending, {"s3_key": "k"}, PAM, ROLE) == drafted("pam", title="y", s3_key="k")
    assert edited(pending, {"title": "x"}, ADA, ROLE) == NO_DRAFT
    for nothing in ({"title": "x"}, {}):
        assert edited(public, nothing, ADA, ROLE) == {}
    assert edited(public, {"review_due_date": SOON}, ADA, ROLE) == {"review_due_date": SOON}


def test_a_change_of_an_approved_draft_is_to_be_approved_anew() -> None:
    approval = {"approved_by": "pam", "approved_at": PAST}
    draft = {"title": "y", "effective_date": SOON, **approval}
    later = content(APPROVED, draft=draft)
    assert has_become(later, APPROVED)
    assert next_due(later) == SOON
    assert edited(later, {"summary": "z"}, PAM, ROLE) == drafted(
        "pam", title="y", effective_date=SOON, summary="z"
    )
    deprecated = with_status(later, DEPRECATED, PAM, ROLE, NOW)
    assert deprecated == {
        "status": DEPRECATED, "draft": {"title": "y", "effective_date": SOON}
    }  # fmt: skip


def test_an_approval_applies_the_draft_and_removes_the_file_that_it_replaces() -> None:
    one = content(APPROVED, s3_key="old", draft={"s3_key": "new", "product_suite": None})
    one = replaced(one, product_suite="Data", draft_by="ada")
    approved = with_status(one, APPROVED, PAM, ROLE, NOW)
    assert (approved["s3_key"], approved["removing"]) == ("new", ("old",))
    assert approved["product_suite"] is None
    assert approved.items() >= NO_DRAFT.items()
    assert withdrawn(one, ADA) == {**NO_DRAFT, "removing": ("new",)}
    with pytest.raises(NotAllowed):
        withdrawn(one, User("ben", frozenset({"authors"})))


@pytest.mark.parametrize("start", [DRAFT, DEPRECATED])
def test_what_is_over_is_not_approved(start: str) -> None:
    over = content(start, expiry_date="2025-01-26T12:00:00.000Z")
    with pytest.raises(RequestConflict, match="expiry_date"):
        with_status(over, APPROVED, PAM, ROLE, NOW)
    not_yet = content(start, expiry_date="2025-01-26T12:00:00.001Z")
    assert with_status(not_yet, APPROVED, PAM, ROLE, NOW)["status"] == APPROVED


@pytest.mark.parametrize("policy", [None, SOFT, HARD])
def test_only_a_hard_policy_takes_the_file(policy: str | None) -> None:
    one = content(APPROVED, expiry_policy=policy, s3_key="k", draft={"s3_key": "next"})
    expired = revision(one, with_status(one, EXPIRED, PAM, ROLE, NOW), NOW)
    gone = {**dict.fromkeys(FILE_FIELDS), "removing": ("k",)} if policy == HARD else {}
    assert {n: v for n, v in expired.items() if n in (*FILE_FIELDS, "removing")} == gone
    assert hard_expired(replaced(one, status=EXPIRED)) == (policy == HARD)


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
        possible: dict[str, list[str | None]] = {
            DRAFT: [effective or AT_ONCE] if approved else [],
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
        "latest_version": None,
        "last_updated": "2025-01-26T12:00:00.000Z",
        "due_at": SOON,
    }
    drafted = revision(one, {"draft": {"title": "y"}, "draft_by": "ada"}, NOW)
    assert drafted.keys() & {"version", "last_updated"} == set()
    assert drafted["latest_version"] == "10"
    assert revision(replaced(one, latest_version="11"), {"title": "z"}, NOW)["version"] == "12"
    assert revision(one, {"expiry_date": None}, NOW)["due_at"] is None


@pytest.mark.parametrize(
    ("version", "then"),
    [("1", "2"), ("9", "10"), ("1.0", "1.1"), ("v9", "v10"), ("007", "008"), ("1.9-rc", "1.10-rc"),
     ("final", "final.1"), ("2025-12-09", "2025-12-10")],
)  # fmt: skip
def test_a_version_is_followed_by_one_more_than_its_last_number(version: str, then: str) -> None:
    assert next_version(version) == then
