"""Sessions that expire, and e-mail addresses that belong to one user each."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.designs.sessions import Session, Sessions, digest_of, prolong, sign_out_everywhere
from examples.designs.unique_emails import (
    UniqueEmails,
    User,
    change_email,
    close_account,
    sign_up,
)
from tablewright.runtime import (
    AlreadyExists,
    Conflict,
    NotFound,
    Store,
    TransactionRefused,
)
from tablewright.testing import Database
from tests.integration.conftest import TODAY

HOUR = timedelta(hours=1)


def session(token: str, user: str, hours_ago: int, *, lasts: int, os: str = "Linux") -> Session:
    begun = TODAY - hours_ago * HOUR
    return Session(
        digest=digest_of(token),
        user=user,
        signed_in_at=begun,
        expires_at=begun + lasts * HOUR,
        browser={"os": os},
    )


LAPTOP, PHONE = session("a", "ann", 2, lasts=9), session("b", "ann", 1, lasts=9, os="Android")
ENDED = session("c", "ann", 24, lasts=24)  # this very moment
NAMESAKE, BOB = session("d", "anna", 1, lasts=9), session("e", "bob", 1, lasts=9)


@pytest.fixture
def sessions(dynamodb: Database) -> Store:
    store = dynamodb.store(Sessions)
    for one in (LAPTOP, PHONE, ENDED, NAMESAKE, BOB):
        store.put(Sessions.sign_in, one)
    return store


def test_a_token_is_good_until_it_expires(sessions: Store) -> None:
    assert sessions.get(Sessions.session, digest=digest_of("a")) == LAPTOP
    assert sessions.get(Sessions.session, digest=digest_of("A")) is None
    assert sessions.get(Sessions.session, digest=digest_of("c")) is None
    assert sessions.get(Sessions.ended, digest=digest_of("c")) == ENDED


def test_sessions_of_a_user_are_listed_newest_first(sessions: Store) -> None:
    assert list(sessions.each(Sessions.of_user, user="ann")) == [PHONE, LAPTOP]
    assert list(sessions.each(Sessions.sign_ins, user="ann")) == [PHONE, LAPTOP, ENDED]
    since = sessions.each(Sessions.sign_ins, user="ann", until=TODAY - 2 * HOUR)
    assert list(since) == [LAPTOP, ENDED]
    phones = sessions.each(
        Sessions.of_user, user="ann", where=Session.browser.at("os") == "Android"
    )
    assert list(phones) == [PHONE]
    assert sessions.count(Sessions.of_user, user="ann") == 2


def test_a_token_is_used_once_and_again_when_it_has_expired(sessions: Store) -> None:
    with pytest.raises(AlreadyExists):
        sessions.put(Sessions.sign_in, session("a", "bob", 0, lasts=1))
    again = session("c", "bob", 0, lasts=1)
    assert sessions.put(Sessions.sign_in, again) == again


def test_a_session_lasts_longer_and_never_shorter(sessions: Store) -> None:
    later = TODAY + 100 * HOUR
    assert prolong(sessions, "a", later).expires_at == later
    with pytest.raises(Conflict):
        prolong(sessions, "a", TODAY + HOUR)
    for token in ("c", "nobody's"):
        with pytest.raises(NotFound):
            prolong(sessions, token, later)
    found = sessions.get(Sessions.session, digest=digest_of("a"))
    assert found is not None
    assert found.expires_at == later


def test_signing_out_ends_one_session_or_all_of_one_user(sessions: Store) -> None:
    assert sessions.delete(Sessions.sign_out, digest=digest_of("b")) == PHONE
    assert list(sessions.each(Sessions.of_user, user="ann")) == [LAPTOP]
    assert sign_out_everywhere(sessions, "ann") == 1
    assert sign_out_everywhere(sessions, "ann") == 0
    assert list(sessions.each(Sessions.of_user, user="ann")) == []
    assert list(sessions.each(Sessions.of_user, user="anna")) == [NAMESAKE]
    assert list(sessions.each(Sessions.of_user, user="bob")) == [BOB]


def user(number: int, email: str = "ann@example.com") -> User:
    return User(user_id=f"u{number}", email=email, name="Ann")


@pytest.fixture
def users(dynamodb: Database) -> Store:
    return dynamodb.store(UniqueEmails)


def test_an_address_belongs_to_one_user_in_whatever_case(users: Store, dynamodb: Database) -> None:
    sign_up(users, user(1))
    for email in ("ann@example.com", "Ann@Example.COM"):
        with pytest.raises(TransactionRefused) as refused:
            sign_up(users, user(2, email))
        assert list(refused.value.problems) == [1]
        owner = users.get(UniqueEmails.owner, email=email)
        assert owner is not None
        assert owner.user_id == "u1"
    assert users.get(UniqueEmails.user, user_id="u2") is None
    sign_up(users, user(3, "annn@example.com"))
    assert len(dynamodb.items()) == 4


def test_of_eight_who_want_one_address_one_gets_it(users: Store, dynamodb: Database) -> None:
    def attempt(number: int) -> bool:
        try:
            sign_up(users, user(number, ("ann@example.com", "ANN@example.com")[number % 2]))
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1
    assert len(dynamodb.items()) == 2


def test_a_user_moves_to_an_address_that_is_free(users: Store) -> None:
    sign_up(users, user(1))
    sign_up(users, user(2, "bob@example.com"))
    with pytest.raises(TransactionRefused):
        change_email(users, user(1), "Bob@example.com")
    assert users.get(UniqueEmails.user, user_id="u1") == user(1)
    change_email(users, user(1), "new@example.com")
    assert users.get(UniqueEmails.owner, email="ann@example.com") is None
    assert users.get(UniqueEmails.user, user_id="u1") == user(1, "new@example.com")
    with pytest.raises(TransactionRefused):
        change_email(users, user(1), "other@example.com")  # as it was read before
    change_email(users, user(1, "new@example.com"), "New@example.com")
    assert users.get(UniqueEmails.user, user_id="u1") == user(1, "New@example.com")
    sign_up(users, user(3))


def test_of_two_who_move_to_one_address_one_gets_it(users: Store, dynamodb: Database) -> None:
    for number in range(4):
        sign_up(users, user(number, f"{number}@example.com"))

    def attempt(number: int) -> bool:
        try:
            change_email(users, user(number, f"{number}@example.com"), "best@example.com")
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(attempt, range(4))) == 1
    assert len(dynamodb.items()) == 8


def test_an_account_goes_with_its_address(users: Store, dynamodb: Database) -> None:
    sign_up(users, user(1))
    close_account(users, "u1")
    assert dynamodb.items() == []
    with pytest.raises(NotFound):
        close_account(users, "u1")
    sign_up(users, user(2))
