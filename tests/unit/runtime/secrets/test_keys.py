"""Data keys follow their ring, and are bound to their table."""

import json
from base64 import b64encode

import pytest

from tablewright.runtime.errors import NoDataKeys, StoreError, Unavailable
from tests.key_services import KMS_KEY, KeyServices


@pytest.fixture
def services() -> KeyServices:
    services = KeyServices("orders")
    services.rotation().add(KMS_KEY)
    services.wait(days=90)
    services.calls.clear()
    return services


def test_keys_are_unwrapped_once_and_read_again_after_five_minutes(services: KeyServices) -> None:
    keys = services.keys()
    for _ in range(3):
        keys.ring()
    assert services.calls == ["GetSecretValue", "Decrypt", "Decrypt"]  # a key, and that of digests
    services.wait(seconds=301)
    keys.ring()
    assert services.calls[3:] == ["GetSecretValue"]


def test_nothing_is_asked_for_before_it_is_needed(services: KeyServices) -> None:
    services.keys()
    assert services.calls == []


def test_keys_of_another_table_are_not_unwrapped(services: KeyServices) -> None:
    with pytest.raises(StoreError, match="InvalidCiphertext"):
        services.keys(table="other").ring()


def test_keys_that_another_key_of_kms_has_wrapped_are_not_unwrapped(services: KeyServices) -> None:
    """Somebody who may change the secret brings in keys of an account of his own."""
    ring = json.loads(services.versions[services.stages["AWSCURRENT"]])
    foreign = {"number": 0, "context": {"table": "orders"}, "key": "arn:aws:kms:::key/foreign"}
    for wrapped in (*ring["keys"].values(), ring):
        name = "digest" if wrapped is ring else "wrapped"
        wrapped[name] = b64encode(json.dumps(foreign).encode()).decode()
    services.versions[services.stages["AWSCURRENT"]] = json.dumps(ring)
    with pytest.raises(StoreError, match="IncorrectKeyException"):
        services.keys().ring()


def test_a_ring_without_keys_says_how_they_are_made() -> None:
    with pytest.raises(NoDataKeys, match="make the first with the command rotate_keys"):
        KeyServices("orders").keys().ring()


def test_an_unknown_key_is_looked_for_at_once_but_not_again_and_again(
    services: KeyServices,
) -> None:
    keys = services.keys()
    keys.ring()
    services.wait(seconds=11)
    added = bytes.fromhex(services.rotation().add(KMS_KEY))
    assert added in keys.ring(added).keys
    services.calls.clear()
    for _ in range(3):
        keys.ring(b"none")
    assert services.calls == []
    services.wait(seconds=11)
    keys.ring(b"none")
    assert services.calls == ["GetSecretValue"]


def test_held_keys_decrypt_on_and_encrypt_for_ten_minutes(services: KeyServices) -> None:
    keys = services.keys()
    held = keys.ring()
    services.fails = Unavailable("no answer")
    services.wait(seconds=599)
    assert keys.ring() == held
    services.wait(seconds=60)
    assert keys.ring(held.writer) == held
    services.wait(seconds=11)
    with pytest.raises(Unavailable):
        keys.ring()
    services.fails = None
    assert keys.ring() == held


def test_a_key_that_was_retired_is_held_no_longer(services: KeyServices) -> None:
    keys, rotation = services.keys(), services.rotation()
    first = keys.ring().writer
    rotation.add(KMS_KEY)
    services.wait(minutes=11)
    rotation.promote()
    services.wait(minutes=30)
    assert rotation.retire(list) == [first.hex()]
    assert first not in keys.ring().keys
    assert len(keys._unwrapped) == 2


def test_a_ring_shows_no_key(services: KeyServices) -> None:
    assert repr(services.keys().ring()) == "Ring('orders', 1 keys)"
