"""Origins of pages: a scheme, a host and perhaps a port, as browsers name them."""

import re

from cdk_app.parsers import matching
from cdk_app.setting import Parser

_PORT = r"(:[1-9]\d{0,4})?"
_SECURE = re.compile(rf"https://[a-z0-9-]+(\.[a-z0-9-]+)+{_PORT}")
_OWN = re.compile(rf"https?://(localhost|127\.0\.0\.1){_PORT}")


def origins() -> Parser[str]:
    """An origin; one of a page on somebody's own machine too."""
    form = re.compile(f"{_SECURE.pattern}|{_OWN.pattern}")
    return matching(form, "an origin, https:// and a host, or http://localhost while developing")


def is_own_machine(origin: str) -> bool:
    return _OWN.fullmatch(origin) is not None
