"""Tracers patch botocore, and see the calls of every client that is made after that."""

from functools import wraps
from types import FunctionType
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient

from benchmarks.servers.scripted import answer, scripted
from tablewright.runtime.aws import connect


class Wrapper:
    """A wrapper as `wrapt` makes them: it claims the class of the function that it wraps."""

    def __init__(self, wrapped: Any, spans: list[str]) -> None:
        self._wrapped = wrapped
        self._spans = spans

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._wrapped)

    def __get__(self, client: Any, owner: Any) -> Any:
        def call(operation: str, params: Any) -> Any:
            self._spans.append(operation)
            return self._wrapped.__get__(client, owner)(operation, params)

        return call


def by_wrapt(plain: Any, spans: list[str]) -> Any:
    wrapper = Wrapper(plain, spans)
    assert isinstance(wrapper, FunctionType)
    return wrapper


def by_function(plain: Any, spans: list[str]) -> Any:
    @wraps(plain)
    def call(client: Any, operation: str, params: Any) -> Any:
        spans.append(operation)
        return plain(client, operation, params)

    return call


@pytest.mark.parametrize("patch", [by_wrapt, by_function])
def test_tracer_of_botocore_sees_calls(patch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spans: list[str] = []
    plain = vars(BaseClient)["_make_api_call"]
    monkeypatch.setattr(BaseClient, "_make_api_call", patch(plain, spans))
    with scripted(answer()) as server:
        session = boto3.session.Session("key", "secret", region_name="eu-west-1")
        connect(session, "dynamodb", endpoint_url=server.url).call("ListTables", {})
    assert spans == ["ListTables"]
