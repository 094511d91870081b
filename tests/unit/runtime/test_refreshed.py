"""Refreshed values: nobody waits for a service that hangs, and it is not asked all the time."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from math import inf
from typing import Any

import pytest

from lambdas.forms.tenants.secrets import CachedSecrets
from tablewright.model.regions import RegionSwitch
from tablewright.runtime import refreshed
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.errors import AccessDenied, Unavailable
from tablewright.runtime.refreshed import PAUSE_SECONDS, Reading, Refreshed
from tablewright.runtime.regions import Regions
from tablewright.runtime.secrets.keys import DataKeys
from tablewright.runtime.store.store import Store
from tablewright.runtime.tenancy import _Sessions
from tests.key_services import KMS_KEY, KeyServices

START = datetime(2026, 1, 1, tzinfo=UTC)
HANG_SECONDS = 12
# Far more than a call that does not wait, far less than one that waits for `go_on`.
AT_ONCE = 5.0


class Service:
    """A service that numbers its answers; between `hang` and `go_on` it answers nothing."""

    def __init__(self) -> None:
        self.now = 0.0
        self.reads = 0
        self.error: Exception | None = None
        self._answers = threading.Event()
        self._answers.set()

    def clock(self) -> float:
        return self.now

    def moment(self) -> datetime:
        return START + timedelta(seconds=self.now)

    def read(self) -> int:
        self.reads += 1
        number = self.reads
        assert self._answers.wait(60)
        if self.error:
            raise self.error
        return number

    @contextmanager
    def hanging(self) -> Iterator[None]:
        self._answers.clear()
        try:
            yield
        finally:
            self._answers.set()

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self.read()
        if operation == "AssumeRole":
            keys = {"AccessKeyId": f"{number}", "SecretAccessKey": "s", "SessionToken": "t"}
            return {"Credentials": {**keys, "Expiration": self.moment() + timedelta(hours=1)}}
        return {"SecretString": f"{number:064}"}


def value_of(service: Service) -> Refreshed[int]:
    return Refreshed(
        "numbers", lambda now: Reading(service.read(), now + 300, now + 600), clock=service.clock
    )


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refreshed, "GRACE_SECONDS", 0.01)


@pytest.fixture
def service() -> Service:
    return Service()


def data_keys(service: Service) -> DataKeys:
    keys = KeyServices("orders")
    keys.rotation().add(KMS_KEY)

    class Slow:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            service.read()
            return keys.call(operation, params)

    made = keys.keys(Slow())
    made._ring._clock = service.clock
    return made


def keys_to_decrypt(service: Service) -> Callable[[], Any]:
    keys = data_keys(service)
    (key_id,) = keys.ring().keys
    return partial(keys.ring, key_id)


def active_region(service: Service) -> Callable[[], Any]:
    class Switch:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            service.read()
            return {}

    switch = Store(RegionSwitch, "switch", Switch())
    return Regions(switch, "sales", ["us-east-1"], clock=service.clock).active


# From which age on a value is read again, and no longer used.
USERS: dict[str, tuple[Callable[[Service], Callable[[], Any]], float, float]] = {
    "a value": (lambda service: value_of(service).get, 300, 600),
    "data keys to encrypt": (lambda service: data_keys(service).ring, 300, 600),
    "data keys to decrypt": (keys_to_decrypt, 300, 3600),
    "cursor keys": (
        lambda service: SecretKeys(lambda: service, "s", clock=service.clock),
        300,
        3600,
    ),
    "a tenant's session": (
        lambda service: (
            _Sessions(service, "role", "tenant", service.moment).of("acme")._credentials.get
        ),
        3300,
        3600,
    ),
    "secrets of forms": (
        lambda service: partial(CachedSecrets(service, "dev/", clock=service.clock), "acme", "k1"),
        300,
        3600,
    ),
    "the active region": (active_region, 5, 60),
}


@pytest.mark.parametrize("user", USERS)
def test_no_call_waits_while_the_service_hangs(user: str, service: Service) -> None:
    make, renewed_at, ends_at = USERS[user]
    get = make(service)
    held = get()
    service.now += ends_at - 1
    assert service.now >= renewed_at
    reads = service.reads
    with service.hanging(), ThreadPoolExecutor(8) as pool:
        began = time.monotonic()
        results = [pool.submit(get) for _ in range(40)]
        assert all(result.result(AT_ONCE) == held for result in results)
        assert time.monotonic() - began < AT_ONCE
        assert service.reads == reads + 1  # by one thread


@pytest.mark.parametrize("user", USERS)
def test_value_is_used_until_its_bound_and_no_longer(
    user: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshed, "GRACE_SECONDS", 60)
    make, _, ends_at = USERS[user]
    get = make(service)
    held = get()
    service.error = Unavailable("no answer")
    service.now += ends_at - 0.001
    assert get() == held
    service.now += 0.001
    with pytest.raises(Unavailable):
        get()


def test_after_a_failure_the_pause_is_counted_from_its_end(service: Service) -> None:
    value = value_of(service)
    value.get()
    service.now += 301
    service.error = Unavailable("no answer")
    with service.hanging():
        assert value.get() == 1
        failing = value._running
        assert failing is not None
        service.now += HANG_SECONDS
    assert failing.done.wait(60)
    for _ in range(3):
        service.now += PAUSE_SECONDS / 4
        assert value.get() == 1
    assert service.reads == 2
    service.error = None
    service.now += PAUSE_SECONDS / 4
    monotonic_get(value, 3)


def monotonic_get(value: Refreshed[int], expected: int) -> None:
    """The value once the read in the background has ended."""
    value.get()
    running = value._running
    if running is not None:
        assert running.done.wait(60)
    assert value.get() == expected


def test_value_beyond_its_end_is_waited_for_and_its_error_is_raised(service: Service) -> None:
    value = value_of(service)
    value.get()
    service.now, service.error = 600, Unavailable("no answer")
    with pytest.raises(Unavailable):
        value.get()
    service.error = None
    assert value.get() == 3


def test_callers_without_a_value_share_one_read(service: Service) -> None:
    value = value_of(service)
    with ThreadPoolExecutor(8) as pool:
        with service.hanging():
            results = [pool.submit(value.get) for _ in range(8)]
            while not service.reads:
                time.sleep(0)
        assert {result.result(60) for result in results} == {1}
    assert service.reads == 1


def test_error_that_is_not_tolerated_ends_the_value(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = Refreshed(
        "numbers", lambda now: Reading(service.read(), now + 300, inf),
        tolerated=(Unavailable,), clock=service.clock,
    )  # fmt: skip
    value.get()
    service.now, service.error = 301, AccessDenied("no")
    monkeypatch.setattr(refreshed, "GRACE_SECONDS", 60)
    with pytest.raises(AccessDenied):
        value.get()
    service.error = None
    assert value.get() == 3


def test_value_that_was_dropped_is_read_again(service: Service) -> None:
    value: Refreshed[str] = Refreshed(
        "texts", lambda now: Reading(f"text {service.read()}", now + 300, inf), clock=service.clock
    )
    first = value.get()
    value.drop(first)
    second = value.get()
    assert (first, second) == ("text 1", "text 2")
    value.drop(first)  # by a thread that is late
    assert value.get() is second


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_forked_process_does_not_wait_for_the_thread_of_its_parent(service: Service) -> None:
    value = value_of(service)
    value.get()
    service.now += 301
    with service.hanging():
        value.get()
        child = os.fork()
        if child == 0:
            service._answers = threading.Event()
            service._answers.set()
            refreshed.GRACE_SECONDS = 60
            os._exit(0 if value.get() == 3 else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_failure_is_logged_with_the_name_of_the_value(
    service: Service, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = value_of(service)
    value.get()
    service.now, service.error = 301, Unavailable("no answer")
    monkeypatch.setattr(refreshed, "GRACE_SECONDS", 60)
    assert value.get() == 1
    assert caplog.record_tuples == [
        (
            "tablewright.runtime.refreshed",
            logging.ERROR,
            "numbers could not be read again: no answer",
        )
    ]
