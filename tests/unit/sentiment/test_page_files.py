"""The page's files: all there, kept while they are the same, and closed to everybody else."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from lambdas.sentiment.contract import PAGE, page_files
from lambdas.sentiment.page_files import Asset, asset, tagged

SIGN_IN = "https://cognito-idp.eu-west-1.amazonaws.com/"
SCRIPTS = sorted(PAGE.glob("*.js"))


def at(path: str) -> Asset:
    found = asset(path, SIGN_IN)
    assert found is not None
    return found


def policy(sign_in_url: str = SIGN_IN) -> dict[str, str]:
    page = asset("/", sign_in_url)
    assert page is not None
    rules = (rule.split(" ", 1) for rule in page.headers["Content-Security-Policy"].split("; "))
    return {rule[0]: rule[1] for rule in rules}


def test_the_root_is_the_page() -> None:
    page = at("/")
    assert page.content_type == "text/html; charset=utf-8"
    assert page.body == (PAGE / "index.html").read_text()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/dashboard.js", "text/javascript; charset=utf-8"),
        ("/dashboard.css", "text/css; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_its_type(path: str, content_type: str) -> None:
    assert at(path).content_type == content_type


def test_every_file_has_one_address() -> None:
    assert len(page_files()) == len(list(PAGE.iterdir())) == len(set(page_files()))
    assert all(at(path).body for path in page_files())


@pytest.mark.parametrize(
    "path", ["", "/index.html", "/nothing.js", "/../static.py", "/..%2Fstatic.py", "dashboard.js"]
)
def test_nothing_is_at_another_address(path: str) -> None:
    assert asset(path, SIGN_IN) is None


def test_the_etag_is_strong_and_follows_the_content() -> None:
    digests = {path: sha256(at(path).body.encode()).hexdigest()[:32] for path in page_files()}
    assert {path: at(path).headers["ETag"] for path in page_files()} == {
        path: f'"{digest}"' for path, digest in digests.items()
    }
    assert len(set(digests.values())) == len(digests)


def test_a_kept_file_is_asked_for_again() -> None:
    assert {at(path).headers["Cache-Control"] for path in page_files()} == {"no-cache"}


def test_the_policy_allows_the_page_itself_and_the_sign_in_and_no_more() -> None:
    assert policy() == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self' https://cognito-idp.eu-west-1.amazonaws.com",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_a_sign_in_on_this_machine_is_allowed_with_its_port() -> None:
    assert policy("http://127.0.0.1:4566/pool")["connect-src"] == "'self' http://127.0.0.1:4566"


@pytest.mark.parametrize(
    "url", ["", "cognito-idp", "javascript:alert(1)", "https://", "https://a;script-src *"]
)
def test_what_is_no_address_does_not_get_into_the_policy(url: str) -> None:
    with pytest.raises(ValueError, match="must be an http or https address"):
        asset("/", url)


def test_every_answer_says_that_its_type_is_meant_and_tells_no_referrer() -> None:
    for path in page_files():
        headers = at(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_what_the_page_refers_to_is_there() -> None:
    html = at("/").body
    referred = set(re.findall(r'(?:href|src)="([^"#]+)"', html))
    imported = {
        name for script in SCRIPTS for name in re.findall(r'from "\./(.+?)"', script.read_text())
    }
    assert {f"/{name}" for name in referred | imported} == set(page_files()) - {"/"}


def test_every_module_is_loaded_ahead() -> None:
    ahead = re.findall(r'modulepreload" href="(.+?)"', at("/").body)
    assert ahead == sorted(script.name for script in SCRIPTS if script.name != "dashboard.js")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_text_is_never_parsed_into_elements(script: Path) -> None:
    parsing = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\("
    assert re.search(parsing, script.read_text()) is None


@pytest.mark.parametrize("path", page_files())
def test_no_other_host_is_named(path: str) -> None:
    named = set(re.findall(r"https?://[\w.-]+", at(path).body))
    assert named <= {"http://www.w3.org"}  # the name of SVG's namespace


def test_other_text_is_tagged_the_same_way() -> None:
    first, second = tagged("application/json", "{}"), tagged("application/json", "[]")
    assert first.headers["ETag"] != second.headers["ETag"]
    assert {**first.headers, "ETag": ""} == {**second.headers, "ETag": ""}
    assert first.headers["Cache-Control"] == "no-cache"
