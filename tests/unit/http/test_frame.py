"""The frame of HTTP functions: what is asked, by whom, and how large an answer may be."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import Response

from lambdas.errors import MOST_ERRORS, listed, log_text
from lambdas.http.answers import answer
from lambdas.http.application import application, respond
from lambdas.http.caller import tenant_of
from lambdas.http.problems import Problem
from lambdas.http.requests import json_body, parameters
from tablewright.model import Text
from tablewright.runtime.errors import (
    Conflict,
    ItemTooLarge,
    StoreError,
    TransactionRefused,
    Unavailable,
)
from tests.integration.http import Answer, Context

app = application()
BIG: list[str] = []


@app.get("/given")
def given() -> Response[str]:
    return answer(parameters(app.current_event, ("category", "season")))


@app.post("/body")
def body() -> Response[str]:
    return answer(json_body(app.current_event))


@app.get("/tenant")
def tenant() -> Response[str]:
    return answer({"tenant": tenant_of(app.current_event, Text("tenant"))})


@app.get("/big")
def big() -> Response[str]:
    return answer(BIG)


@app.get("/wrong")
def wrong() -> Response[str]:
    raise Problem(400, "Wrong.", [("/" + "x" * 10_000, "no" * 10_000)] * 100_000)


@app.get("/full")
def full() -> Response[str]:
    raise ItemTooLarge("UpdateItem: Item size to update has exceeded the maximum allowed size")


SECRET = "HOTEL#acme in dev-hotels did not satisfy"


def store_errors(kind: type[StoreError] = StoreError) -> Iterator[type[StoreError]]:
    yield kind
    # Other modules have errors of their own, if they are imported.
    for one in (one for one in kind.__subclasses__() if one.__module__ == kind.__module__):
        yield from store_errors(one)


@app.get("/store/<name>")
def fails(name: str) -> Response[str]:
    kind = next(one for one in store_errors() if one.__name__ == name)
    error = kind.__new__(kind)
    Exception.__init__(error, SECRET)
    error.describe("dev-hotels", "claim", {"PK": "HOTEL#acme"})
    raise error


@app.get("/cause")
def fails_for_a_cause() -> Response[str]:
    try:
        raise Conflict(SECRET)
    except Conflict:
        raise Unavailable("the claim has ended")  # noqa: B904 - as some handlers do


@pytest.mark.parametrize("name", sorted({kind.__name__ for kind in store_errors()}))
def test_no_answer_has_the_text_of_an_error_of_the_store(name: str) -> None:
    answered = ask(f"/store/{name}")
    assert answered.status >= 400
    assert "HOTEL" not in answered.text
    assert "dev-hotels" not in answered.text


def test_no_log_quotes_the_item_that_failed_a_condition(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert ask("/cause").status == 503
    assert ask("/store/Conflict").status == 409
    assert "the claim has ended" in caplog.text
    assert "HOTEL" not in caplog.text
    conflict = Conflict(SECRET)
    conflict.describe("dev-hotels", "claim")
    refused = TransactionRefused({1: conflict})
    for error in (conflict, refused):
        assert "HOTEL" not in log_text(error)
        assert "claim" in log_text(error)


def ask(path: str, *, raw: str = "", **event: Any) -> Answer:
    query: dict[str, str] = {}
    for pair in raw.split("&") if raw else []:
        name, _, value = pair.partition("=")
        query[name] = f"{query[name]},{value}" if name in query else value
    request = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": raw,
        "queryStringParameters": query,
        "headers": {},
        "requestContext": {"stage": "$default", "http": {"method": "GET", "path": path}},
    }
    return Answer(respond(app, {**request, **event}, Context()))


def errors(answered: Answer, status: int) -> dict[str, str]:
    assert answered.status == status, answered.text
    assert answered.content_type == "application/problem+json"
    return {error["pointer"]: error["detail"] for error in answered.json.get("errors", [])}


def test_a_parameter_that_is_given_twice_is_refused() -> None:
    refused = ask("/given", raw="category=a&category=b&season=c")
    assert errors(refused, 400) == {"category": "must be given once"}
    assert ask("/given", raw="category=a,b").json == {"category": "a,b"}


@pytest.mark.parametrize("raw", ["season=", "season"])
def test_an_empty_parameter_is_refused(raw: str) -> None:
    told = {"season": "must not be empty: leave it out, or give it a value"}
    assert errors(ask("/given", raw=raw), 400) == told


def test_a_parameter_that_nobody_knows_is_refused() -> None:
    assert errors(ask("/given", raw="a=1"), 400) == {"a": "is not one of category, season"}


def test_who_sends_the_access_token_is_told_to_use_the_id_token() -> None:
    http = {"method": "GET", "path": "/tenant"}

    def told(**claims: str) -> str:
        context = {"stage": "$default", "http": http, "authorizer": {"jwt": {"claims": claims}}}
        refused = ask("/tenant", requestContext=context)
        assert refused.status == 403
        return str(refused.json["detail"])

    assert "use the ID token" in told(token_use="access", sub="u")
    assert "belongs to no tenant" in told(token_use="id", sub="u")


def test_an_answer_larger_than_lambda_takes_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.unit.http.test_frame.BIG", ["x" * 1000] * 6000)
    assert ask("/big").status == 200
    for too_large in (["x" * 1000] * 6300, ['"' * 1000] * 3000):
        monkeypatch.setattr("tests.unit.http.test_frame.BIG", too_large)
        refused = ask("/big")
        assert errors(refused, 413) == {}
        assert "ask for less at once" in refused.json["detail"]


def test_a_hundred_thousand_errors_are_told_in_a_few() -> None:
    refused = ask("/wrong")
    told = refused.json["errors"]
    assert len(told) == MOST_ERRORS + 1
    assert told[-1] == {"pointer": "", "detail": "99950 more errors are not listed"}
    assert len(refused.text) < 50_000


def test_as_many_errors_as_are_told_are_told_alone() -> None:
    assert listed([("/a", "is wrong")] * MOST_ERRORS)[-1] == {"pointer": "/a", "detail": "is wrong"}


def test_a_change_that_makes_an_item_too_large_is_refused() -> None:
    refused = ask("/full")
    assert errors(refused, 413) == {}
    assert "400 KB" in refused.json["detail"]


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("1e99999999999999999999", "has a number beyond"),
        ("9" * 5000, "has a number of more than 1000 digits"),
        ('{"a": 1, "a": 2}', 'has the name "a" twice'),
        (r'"\ud800"', "has half of a surrogate pair"),
        ("NaN", "has no NaN"),
        ("[" * 5000 + "]" * 5000, "is nested deeper"),
        ("{", "is not JSON"),
        (None, "is not JSON"),
    ],
)
def test_what_is_no_json_is_told_in_words(sent: str | None, why: str) -> None:
    context = {"stage": "$default", "http": {"method": "POST", "path": "/body"}}
    refused = ask("/body", requestContext=context, body=sent)
    assert errors(refused, 400) == {}
    assert why in refused.json["detail"]


def test_a_body_that_is_no_text_is_refused() -> None:
    context = {"stage": "$default", "http": {"method": "POST", "path": "/body"}}
    for sent in ("/w==", "a", "é"):
        refused = ask("/body", requestContext=context, body=sent, isBase64Encoded=True)
        assert errors(refused, 400) == {}
    assert json.loads(ask("/body", requestContext=context, body="[1]").text) == [1]
