"""UserSubscriptions that are asked for at once: each is made once, and the bound holds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lambdas.errors import RequestConflict
from lambdas.portal.inbox import subscriptions
from lambdas.portal.inbox.subscriptions import UserSubscriptions
from tablewright.catalog.portal.subscriptions import Subscription
from tablewright.runtime.errors import Throttled
from tablewright.testing import Database
from tests.integration.portal.at_once import at_once
from tests.integration.portal.fan_out.fan_out_world import NOW, FanOutWorld

AT_ONCE = 20
BOUND = 5


@pytest.fixture
def mine(dynamodb: Database) -> UserSubscriptions:
    return UserSubscriptions(FanOutWorld(dynamodb).subscriptions_store(), "ada")


def subscribe(mine: UserSubscriptions, body: Any) -> tuple[Subscription, bool] | None:
    """A subscription and whether it is new; None when there are too many. Busy, it is repeated."""
    for _ in range(AT_ONCE):
        try:
            return mine.create_subscription(body, NOW)
        except Throttled:
            continue
        except RequestConflict:
            return None
    raise AssertionError("never an answer")


def listed(mine: UserSubscriptions) -> list[str]:
    page = mine.list_subscriptions(limit=100, cursor=None)
    assert page.cursor is None
    return [one.subscription_id for one in page.items]


def test_equal_subscriptions_at_once_are_one(mine: UserSubscriptions) -> None:
    answers = at_once([partial(subscribe, mine, {"tags": ["sql"]})] * AT_ONCE)
    assert [answer and answer[1] for answer in answers].count(True) == 1
    assert {answer[0].subscription_id for answer in answers if answer} == set(listed(mine))
    assert len(listed(mine)) == 1


def test_different_subscriptions_at_once_do_not_pass_the_bound(
    mine: UserSubscriptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "MOST", BOUND)
    bodies = [{"tags": [f"t{n}"]} for n in range(AT_ONCE)]
    answers = at_once([partial(subscribe, mine, body) for body in bodies])
    made = [answer[0].subscription_id for answer in answers if answer]
    assert len(made) == BOUND
    assert sorted(listed(mine)) == sorted(made)


def test_the_bound_holds_while_some_are_removed(
    mine: UserSubscriptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "MOST", BOUND)
    for number in range(BOUND):
        subscribe(mine, {"tags": [f"old{number}"]})
    work: list[Callable[[], object]] = [
        partial(mine.delete_subscription, id) for id in listed(mine)[:2]
    ]
    work += [partial(subscribe, mine, {"tags": [f"new{n}"]}) for n in range(8)]
    at_once(work)
    assert len(listed(mine)) <= BOUND
