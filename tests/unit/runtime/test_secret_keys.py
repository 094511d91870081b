"""Cursor keys follow the secret that they are kept in."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tablewright.runtime.cursor import Cursors
from tablewright.runtime.secret_keys import SecretKeys


class Secrets:
    """A secret with its stages, as Secrets Manager serves it."""

    def __init__(self, **stages: str) -> None:
        self.stages = stages
        self.reads = 0
        self.now = 0.0

    def client(self, service: str, **_: Any) -> "Secrets":
        assert service == "secretsmanager"
        return self

    def get_secret_value(self, *, SecretId: str, VersionStage: str) -> Any:  # noqa: N803
        self.reads += 1
        if VersionStage not in self.stages:
            code = self.stages.get("error", "ResourceNotFoundException")
            raise ClientError({"Error": {"Code": code}}, "GetSecretValue")
        return {"SecretString": self.stages[VersionStage]}

    def keys(self) -> SecretKeys:
        return SecretKeys(self, "secret", clock=lambda: self.now)


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


def test_a_secret_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ClientError):
        Secrets().keys()()
    with pytest.raises(ClientError):
        Secrets(AWSCURRENT="a" * 64, error="AccessDeniedException").keys()()
