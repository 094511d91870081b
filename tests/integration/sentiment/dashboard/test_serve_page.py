"""The page's function: everything that a browser loads before anybody has signed in."""

import json

import pytest

from lambdas.sentiment import contract
from lambdas.sentiment.handlers import api, serve_page
from tests.integration.http import Answer, Context
from tests.integration.sentiment.http import CONFIG, CONTRACT, conforms, problem

PATHS = tuple(route.path for route in contract.page_routes())


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGE_CONFIG", json.dumps(CONFIG))


def get(path: str, known: str | None = None) -> Answer:
    headers = {} if known is None else {"if-none-match": known}
    event = CONTRACT.event("GET", path, None, claims={}, query={}, headers=headers)
    del event["requestContext"]["authorizer"]
    return Answer(serve_page.handler(event, Context()))


def test_every_file_of_the_page_is_served_with_its_policy() -> None:
    kinds = set()
    for path in contract.page_files():
        file = get(path)
        assert file.status == 200
        policy = file.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "connect-src 'self' https://cognito-idp.eu-west-1.amazonaws.com;" in policy
        kinds.add(file.content_type.partition(";")[0])
    assert kinds == {"text/html", "text/javascript", "text/css", "image/svg+xml"}


def test_the_settings_are_served_as_the_document_says() -> None:
    config = get("/config.json")
    assert (config.status, config.content_type) == (200, "application/json")
    assert conforms(config, "Config")
    assert config.json == CONFIG


@pytest.mark.parametrize("path", PATHS)
def test_what_the_browser_has_is_not_sent_again(path: str) -> None:
    first = get(path)
    etag = first.headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', f'"other",W/{etag} ,"more"'):
        again = get(path, known)
        assert (again.status, again.text) == (304, ""), known
        assert again.headers == first.headers


@pytest.mark.parametrize("path", PATHS)
def test_what_the_browser_has_of_something_else_is_no_reason_to_send_nothing(path: str) -> None:
    first = get(path)
    etag = first.headers["etag"]
    for known in ("", '"other"', etag.strip('"'), f'"x{etag[1:]}', f"w/{etag}", f"{etag}x"):
        again = get(path, known)
        assert (again.status, again.text) == (200, first.text), known


def test_changed_settings_have_another_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    etag = get("/config.json").headers["etag"]
    monkeypatch.setenv("PAGE_CONFIG", json.dumps({**CONFIG, "refreshSeconds": 6}))
    changed = get("/config.json", etag)
    assert (changed.status, changed.json["refreshSeconds"]) == (200, 6)


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_asked_about_again_and_taken_for_what_it_is(path: str) -> None:
    headers = get(path).headers
    assert headers["cache-control"] == "no-cache"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/nothing",
        "/index.html",
        "/../site.py",
        "/../../requirements.txt",
        "/%2e%2e/site.py",
        "/..%2fsite.py",
        "/..\\site.py",
        "//etc/passwd",
        "/page/index.html",
        "/api.js/",
        "/API.JS",
        "/api.js\x00",
        "/config.json/",
        "/items",
    ],
)
def test_no_path_leads_anywhere_else(path: str) -> None:
    problem(get(path), 404)


def test_nothing_is_told_as_the_other_routes_tell_it() -> None:
    event = CONTRACT.event("GET", "/nothing", None, claims={"sub": "ada"}, query={})
    there = Answer(api.handler(event, Context()))
    here = get("/nothing")
    assert (here.status, here.content_type, here.json) == (404, there.content_type, there.json)
