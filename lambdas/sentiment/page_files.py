"""Files of the dashboard's page, with the headers that keep it to itself."""

from functools import cache
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlsplit

from lambdas.sentiment.contract import page_files

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


def asset(path: str, sign_in_url: str) -> Asset | None:
    """The file at an address, or None where there is none.

    `sign_in_url` is the one address elsewhere that the page may call.

    Example::

        asset("/", "https://cognito-idp.eu-west-1.amazonaws.com/")
    """
    # Looked up among the known paths, so that none leads out of the folder.
    found = _files().get(path)
    if found is None:
        return None
    content_type, body = found
    return tagged(content_type, body, {"Content-Security-Policy": _policy(sign_in_url)})


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
def _files() -> dict[str, tuple[str, str]]:
    """The type and the text of each file, by its path."""
    return {
        path: (_TYPES[file.suffix], file.read_text(encoding="utf-8"))
        for path, file in page_files().items()
    }


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
