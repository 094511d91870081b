"""A page has as many entries as the request says, or else as the stage does."""

from importlib import reload

import pytest

from lambdas.http import requests


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("PAGE_LIMIT", "50")
    yield reload(requests)
    monkeypatch.delenv("PAGE_LIMIT")
    reload(requests)


@pytest.mark.usefixtures("told")
def test_a_stage_says_how_many_unless_the_request_does() -> None:
    assert requests.page_limit(None) == 50
    assert requests.page_limit("7") == 7


def test_there_are_twenty_unless_told() -> None:
    assert requests.page_limit(None) == 20
