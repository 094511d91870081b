"""Path parameters that may hold any text, a slash included.

API Gateway decodes a path before it passes it on, so that in `/brands/AC/DC/sales` nobody can tell
which slash was part of the name. The route's key and its parameters still can: the path is built
from them again, encoded, and each parameter is decoded once it has been told from the others.
"""

from typing import Any
from urllib.parse import quote, unquote


def with_encoded_path(event: dict[str, Any]) -> dict[str, Any]:
    """The event with the path as the client sent it."""
    _, _, template = event.get("routeKey", "").partition(" ")
    if not template:
        return event
    path = template
    for name, value in (event.get("pathParameters") or {}).items():
        path = path.replace("{" + name + "}", quote(value, safe=""))
    return {**event, "rawPath": path}


def decoded(**parameters: str) -> dict[str, str]:
    return {name: unquote(value) for name, value in parameters.items()}
