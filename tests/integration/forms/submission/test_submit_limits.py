"""A tenant's limit: exact over all functions, and told with when to come again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.submission.rate_limit import RateLimit, TooManyRequests
from tablewright.testing import Faulty
from tests.integration.forms.conftest import FormTable
from tests.integration.forms.submission.submitting import NOON, World, problem, taken


@pytest.fixture
def world(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(forms, monkeypatch)
    made.tenant("acme")
    made.tenant("acm")
    return made


def test_requests_beyond_the_limit_wait_for_the_next_minute(world: World) -> None:
    world.configure("acme", requests_per_minute=3)
    world.clock.pass_by(seconds=20, microseconds=1)
    for _ in range(3):
        taken(world.send())
        world.clock.pass_by(seconds=1)
    refused = world.send()
    assert problem(refused, 429) == {}
    assert refused.headers["retry-after"] in ("37", ["37"])
    taken(world.send(headers=world.signed(tenant="acm")))  # who has no limit, or another
    world.start()  # another function knows of it too
    problem(world.send(), 429)
    world.clock.pass_by(seconds=37)
    taken(world.send())


def test_what_is_not_signed_does_not_count_to_a_limit(world: World) -> None:
    world.configure("acme", requests_per_minute=1)
    for _ in range(3):
        forged = {**world.signed(), "X-Form-Signature": "v1=" + "0" * 64}
        problem(world.send(headers=forged), 401)
    taken(world.send())


@pytest.mark.parametrize("per_minute", [0, 1, 50, 90_000])
def test_a_limit_is_exact_over_eight_functions(forms: FormTable, per_minute: int) -> None:
    limits = [RateLimit(forms.store()) for _ in range(8)]
    # Of a large limit, all but the last of it has been used already.
    before = max(0, per_minute - 60)
    if before:
        item = {"PK": "TENANT#acme#REQUESTS#2099-01-26T12:00:00Z", "SK": "WINDOW"}
        stored: dict[str, Any] = {name: {"S": text} for name, text in item.items()}
        forms.database.write([{**stored, "requests": {"N": str(before)}}])

    def ask(limit: RateLimit) -> int:
        admitted = 0
        for _ in range(100):
            try:
                limit.admit("acme", per_minute, NOON)
            except TooManyRequests:
                break
            admitted += 1
        return admitted

    with ThreadPoolExecutor(8) as functions:
        assert sum(functions.map(ask, limits)) == per_minute - before


def test_a_full_minute_is_remembered_and_costs_nothing(forms: FormTable) -> None:
    calls = Faulty(forms.database.caller)
    limit = RateLimit(forms.store(calls))
    limit.admit("acme", 1, NOON)
    for _ in range(5):
        with pytest.raises(TooManyRequests) as refused:
            limit.admit("acme", 1, NOON)
        assert refused.value.seconds == 60
    assert calls.calls == 2
    limit.admit("acme", 1, NOON + timedelta(minutes=1))
    (first, _) = forms.database.items()
    assert first["ttl"] == {"N": str(int((NOON + timedelta(days=1)).timestamp()))}
