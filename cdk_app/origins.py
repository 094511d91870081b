"""Origins of pages: a scheme, a host and perhaps a port, as browsers name them."""

import re

_PORT = r"(:[1-9]\d{0,4})?"
_SECURE = rf"https://[a-z0-9-]+(\.[a-z0-9-]+)+{_PORT}"
_OWN = rf"https?://(localhost|127\.0\.0\.1){_PORT}"


def origin_form(*, own_machine: bool) -> tuple[re.Pattern[str], str]:
    """The form of an origin and an example; with `own_machine`, also of a page in development."""
    example = "https://app.example.com"
    if own_machine:
        return re.compile(f"{_SECURE}|{_OWN}"), f"{example},http://localhost:3000"
    return re.compile(_SECURE), example
