"""The steps of a rotation: each in its time, each once, whatever fails."""

from typing import Any

import pytest

from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict, NoDataKeys
from tablewright.runtime.secrets.ring import Kept, WrappedRing
from tablewright.runtime.secrets.rotation import TooEarly
from tablewright.testing import survives_every_fault
from tests.key_services import KMS_KEY, RING, KeyServices

# As a template makes a secret without a value, on some clouds.
EMPTY = {"ClientRequestToken": "0", "VersionStages": [], "SecretString": ""}


def kept(services: KeyServices) -> WrappedRing:
    ring = Kept.read(services, RING).ring
    assert ring is not None
    return ring


@pytest.fixture
def services() -> KeyServices:
    services = KeyServices("orders")
    services.rotation().add(KMS_KEY)
    services.wait(days=90)
    return services


def test_the_first_key_encrypts_at_once() -> None:
    services = KeyServices("orders")
    id = services.rotation().add(KMS_KEY)
    assert kept(services).writer == id
    assert services.keys().ring().writer == bytes.fromhex(id)


def test_a_ring_survives_being_written_and_read(services: KeyServices) -> None:
    ring = kept(services)
    assert WrappedRing.parse(ring.text()) == ring


def test_a_key_is_promoted_once_every_program_has_it(services: KeyServices) -> None:
    rotation = services.rotation()
    old, new = kept(services).writer, rotation.add(KMS_KEY)
    assert kept(services).writer == old
    services.wait(seconds=599)
    with pytest.raises(TooEarly):
        rotation.promote()
    services.wait(seconds=1)
    assert rotation.promote() == new == kept(services).writer
    assert {old, new} == set(kept(services).keys)


def test_steps_that_were_done_are_not_done_again(services: KeyServices) -> None:
    rotation = services.rotation()
    new = rotation.add(KMS_KEY)
    assert rotation.add(KMS_KEY) == new
    services.wait(minutes=10)
    assert rotation.promote() == rotation.promote() == new
    services.wait(minutes=30)
    assert len(rotation.retire(lambda: [new])) == 1
    assert rotation.retire(lambda: [new]) == []
    assert set(kept(services).keys) == {new}


def test_a_key_in_use_is_not_retired(services: KeyServices) -> None:
    rotation, old = services.rotation(), kept(services).writer
    new = rotation.add(KMS_KEY)
    services.wait(minutes=10)
    rotation.promote()
    services.wait(minutes=30)
    assert rotation.retire(lambda: [old, new]) == []
    assert set(kept(services).keys) == {old, new}


def test_nothing_is_retired_while_programs_may_still_encrypt_with_it(
    services: KeyServices,
) -> None:
    rotation = services.rotation()
    rotation.add(KMS_KEY)
    services.wait(minutes=10)
    rotation.promote()
    services.wait(minutes=24)
    with pytest.raises(TooEarly):
        rotation.retire(lambda: pytest.fail("it is too early to look"))


def test_a_key_that_waits_is_not_retired(services: KeyServices) -> None:
    rotation = services.rotation()
    new = rotation.add(KMS_KEY)
    services.wait(days=1)
    assert rotation.retire(list) == []
    assert new in kept(services).keys


def test_the_key_of_digests_stays(services: KeyServices) -> None:
    rotation, before = services.rotation(), kept(services).digest
    rotation.add(KMS_KEY)
    services.wait(minutes=10)
    rotation.promote()
    assert kept(services).digest == before


def test_without_a_first_key_there_is_nothing_to_promote() -> None:
    with pytest.raises(NoDataKeys, match="add the first"):
        KeyServices("orders").rotation().promote()


def test_of_two_that_change_the_ring_at_once_one_is_refused(services: KeyServices) -> None:
    class Overtaken:
        """Between reading the ring and changing it, somebody else does."""

        done = False

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "PutSecretValue" and not self.done:
                self.done = True
                services.rotation().add(KMS_KEY)
            return services.call(operation, params)

    with pytest.raises(Conflict, match="somebody else changed the ring"):
        services.rotation(Overtaken()).add(KMS_KEY)
    assert len(kept(services).keys) == 2


def test_of_two_that_make_the_first_key_one_is_refused() -> None:
    services = KeyServices("orders")

    class Overtaken:
        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "PutSecretValue":
                services.rotation().add(KMS_KEY)
            return services.call(operation, params)

    with pytest.raises(Conflict):
        services.rotation(Overtaken()).add(KMS_KEY)
    assert len(kept(services).keys) == 1


@pytest.mark.parametrize("steps", [0, 1, 2, 3], ids=["first", "add", "promote", "retire"])
def test_every_step_survives_every_fault(steps: int) -> None:
    worlds: list[KeyServices] = []

    def step(services: KeyServices, caller: Caller, number: int) -> None:
        rotation = services.rotation(caller)
        if number in (0, 1):
            rotation.add(KMS_KEY)
        elif number == 2:
            rotation.promote()
        else:
            rotation.retire(lambda: [rotation.ring().writer])

    def fresh() -> KeyServices:
        services = KeyServices("orders")
        services.call("PutSecretValue", EMPTY)
        for number in range(steps):
            step(services, services, number)
            services.wait(minutes=30)
        worlds.append(services)
        return services

    def work(caller: Caller) -> None:
        step(worlds[-1], caller, steps)

    def outcome() -> Any:
        ring = kept(worlds[-1])
        # Ids and keys are random: what counts is which of them does what.
        ids = sorted(ring.keys, key=lambda one: ring.keys[one].added)
        return len(ids), ids.index(ring.writer), ring.waiting is not None, ring.promoted

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 3
