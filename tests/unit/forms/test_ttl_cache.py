"""TTL cache: serves for its life, and a secret beyond it while it cannot be read again."""

from typing import Any

import pytest

from lambdas.forms.tenants.secrets import CachedSecrets
from lambdas.forms.ttl_cache import TtlCache
from tablewright.runtime.errors import AccessDenied, StoreError, Throttled, Unavailable


class Secrets:
    """Secrets Manager, whose answers or failures are set."""

    def __init__(self) -> None:
        self.now = 0.0
        self.value = "first"
        self.fails: StoreError | None = None
        self.reads = 0

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        self.reads += 1
        if self.fails:
            raise self.fails
        return {"SecretString": self.value}


@pytest.fixture
def secrets() -> Secrets:
    return Secrets()


@pytest.fixture
def kept(secrets: Secrets) -> CachedSecrets:
    return CachedSecrets(secrets, "dev/", clock=lambda: secrets.now)


@pytest.mark.parametrize("trouble", [Throttled("slower"), Unavailable("down")])
def test_a_secret_that_is_held_signs_on_while_it_cannot_be_read_again(
    secrets: Secrets, kept: CachedSecrets, trouble: StoreError
) -> None:
    assert kept("acme", "k1") == "first"
    secrets.now, secrets.fails = 301, trouble
    assert kept("acme", "k1") == "first"
    reads = secrets.reads
    assert kept("acme", "k1") == "first"
    assert secrets.reads == reads  # a pause, not a question with every request
    secrets.now, secrets.fails, secrets.value = 312, None, "second"
    assert kept("acme", "k1") == "second"


def test_a_secret_that_is_held_serves_for_an_hour_at_most(
    secrets: Secrets, kept: CachedSecrets
) -> None:
    kept("acme", "k1")
    secrets.fails = Unavailable("down")
    secrets.now = 3599
    assert kept("acme", "k1") == "first"
    secrets.now = 3600
    with pytest.raises(Unavailable):
        kept("acme", "k1")


def test_a_secret_that_may_no_longer_be_read_serves_no_more(
    secrets: Secrets, kept: CachedSecrets
) -> None:
    kept("acme", "k1")
    secrets.now, secrets.fails = 301, AccessDenied("no")
    with pytest.raises(AccessDenied):
        kept("acme", "k1")


def test_a_secret_that_was_never_read_cannot_be_held(secrets: Secrets, kept: CachedSecrets) -> None:
    secrets.fails = Unavailable("down")
    with pytest.raises(Unavailable):
        kept("acme", "k1")


def test_what_may_change_is_not_held(secrets: Secrets) -> None:
    """A tenant that was disabled is not taken because the table is down."""

    def read(_: str) -> str:
        return str(secrets.call("", {})["SecretString"])

    configs = TtlCache(read, life=30, clock=lambda: secrets.now)
    configs.get("acme")
    secrets.now, secrets.fails = 31, Unavailable("down")
    with pytest.raises(Unavailable):
        configs.get("acme")
