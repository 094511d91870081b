"""Unit tests have no network."""

import pytest


@pytest.fixture(autouse=True)
def no_network(socket_disabled: None) -> None:
    """Whatever a unit test needs from outside, it gets from the test."""
