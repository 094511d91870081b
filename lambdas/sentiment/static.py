"""The files of the dashboard page, and the headers that keep it to itself."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

PAGE = Path(__file__).parent / "page"
INDEX = "index.html"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Asset(NamedTuple):
    content_type: str
    body: str
    headers: dict[str, str]


def paths() -> tuple[str, ...]:
    """Every address that has a file: what the API serves without a token."""
    return ("/", *(f"/{name}" for name in sorted(_files()) if name != INDEX))


def asset(path: str, sign_in_url: str) -> Asset | None:
    """The file at an address, or None where there is none.

    `sign_in_url` is the one address elsewhere that the page may call.

    Example::

        asset("/", "https://cognito-idp.eu-west-1.amazonaws.com/")
    """
    name = INDEX if path == "/" else path.removeprefix("/")
    # Looked up among the known names, so that no path leads out of the folder.
    body = _files().get(name) if path in paths() else None
    if body is None:
        return None
    policy = {"Content-Security-Policy": _policy(sign_in_url)}
    return tagged(_TYPES[Path(name).suffix], body, policy)


def tagged(content_type: str, body: str, headers: dict[str, str] | None = None) -> Asset:
    """Text that a browser keeps, and asks about before it uses it again."""
    return Asset(
        content_type,
        body,
        {
            "ETag": f'"{sha256(body.encode()).hexdigest()[:32]}"',
            # Names do not change with content: always asked for again, seldom sent again.
            "Cache-Control": "no-cache",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            **(headers or {}),
        },
    )


@cache
def _files() -> dict[str, str]:
    files = (file for file in PAGE.iterdir() if file.suffix in _TYPES)
    return {file.name: file.read_text(encoding="utf-8") for file in files}


@cache
def _policy(sign_in_url: str) -> str:
    rules = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": f"'self' {_origin(sign_in_url)}",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        # The browser itself refuses to parse text into elements.
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _origin(url: str) -> str:
    parts = urlsplit(url)
    # What would end the rule and start another one is in no origin.
    strange = any(character in ";, '\"" for character in parts.netloc)
    if parts.scheme not in {"https", "http"} or not parts.hostname or strange:
        raise ValueError(f"sign_in_url must be an http or https address, not {url!r}")
    return f"{parts.scheme}://{parts.netloc}"
