"""Cursor keys follow the secret that they are kept in."""

from typing import Any

import pytest

from tablewright.runtime.cursors.cursor import Cursors
from tablewright.runtime.cursors.keys import SecretKeys
from tablewright.runtime.errors import (
    AccessDenied,
    CursorTampered,
    ResourceMissing,
    StoreError,
    Throttled,
    Unavailable,
)


class Secrets:
    """A secret with its stages, as Secrets Manager serves it."""

    def __init__(self, **stages: str) -> None:
        self.stages = stages
        self.reads = 0
        self.now = 0.0
        self.fails: StoreError | None = None

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "GetSecretValue"
        self.reads += 1
        if self.fails:
            raise self.fails
        if params["VersionStage"] not in self.stages:
            raise ResourceMissing("GetSecretValue: ResourceNotFoundException")
        return {"SecretString": self.stages[params["VersionStage"]]}

    def keys(self, purpose: str | None = None) -> SecretKeys:
        return SecretKeys(lambda: self, "secret", purpose=purpose, clock=lambda: self.now)


def test_a_secret_that_was_never_rotated_is_one_key() -> None:
    cursors = Cursors(Secrets(AWSCURRENT="a" * 64).keys())
    assert cursors.open(cursors.issue("t", "q", {}, ["x"]), "t", "q", {}) == ["x"]


def test_keys_are_read_once_in_five_minutes() -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    keys = secrets.keys()
    keys()
    keys()
    assert secrets.reads == 2  # the current one and the one before it
    secrets.now = 301
    keys()
    assert secrets.reads == 4


def test_a_cursor_lives_through_a_rotation() -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    cursors = Cursors(secrets.keys())
    cursor = cursors.issue("t", "q", {}, ["x"])
    secrets.stages = {"AWSCURRENT": "b" * 64, "AWSPREVIOUS": "a" * 64}
    secrets.now = 301
    assert cursors.open(cursor, "t", "q", {}) == ["x"]
    assert cursors.issue("t", "q", {}, ["x"])[:6] != cursor[:6]


def test_keys_of_one_secret_for_different_purposes_open_no_cursors_of_each_other() -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    cursors = [Cursors(secrets.keys(purpose)) for purpose in ("sales", "forms", None)]
    for mine in cursors:
        cursor = mine.issue("t", "q", {}, ["x"])
        for other in cursors:
            if other is mine:
                assert other.open(cursor, "t", "q", {}) == ["x"]
            else:
                with pytest.raises(CursorTampered):
                    other.open(cursor, "t", "q", {})


def test_derived_keys_follow_a_rotation_too() -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    cursor = Cursors(secrets.keys("sales")).issue("t", "q", {}, ["x"])
    secrets.stages = {"AWSCURRENT": "b" * 64, "AWSPREVIOUS": "a" * 64}
    assert Cursors(secrets.keys("sales")).open(cursor, "t", "q", {}) == ["x"]


def test_without_any_key_an_error_is_passed_on() -> None:
    with pytest.raises(ResourceMissing):
        Secrets().keys()()
    secrets = Secrets(AWSCURRENT="a" * 64)
    secrets.fails = AccessDenied("no")
    with pytest.raises(AccessDenied):
        secrets.keys()()


@pytest.mark.parametrize("trouble", [Throttled("slower"), Unavailable("down"), AccessDenied("no")])
def test_keys_that_are_held_serve_on_while_they_cannot_be_read_again(trouble: StoreError) -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    keys = secrets.keys()
    held = keys()
    secrets.now, secrets.fails = 301, trouble
    assert keys() is held
    reads = secrets.reads
    assert keys() is held
    assert secrets.reads == reads  # a pause, not a question with every request


@pytest.mark.parametrize("trouble", [Unavailable("down"), AccessDenied("no")])
def test_keys_that_are_held_serve_for_an_hour_at_most(trouble: StoreError) -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    keys = secrets.keys()
    keys()
    secrets.fails = trouble
    secrets.now = 3599
    keys()
    secrets.now = 3600
    with pytest.raises(type(trouble)):
        keys()


def test_keys_are_read_again_shortly_after_they_could_not_be() -> None:
    secrets = Secrets(AWSCURRENT="a" * 64)
    keys = secrets.keys()
    held = keys()
    secrets.now, secrets.fails = 301, Unavailable("down")
    keys()
    secrets.now, secrets.fails = 312, None
    assert keys() is not held
