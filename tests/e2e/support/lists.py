"""Lists of the deployed APIs, read to their end: others write to them too."""

from collections.abc import Iterator
from typing import Any

from local.clients.api import Api

# The systems name it as their documents do.
_CURSORS = ("nextCursor", "next_cursor")


def listed(api: Api, address: str, **query: Any) -> Iterator[dict[str, Any]]:
    """Every item of a list, page by page."""
    query = {"limit": 100, **query}
    while True:
        page = api("GET", address, **query)
        assert page.status == 200, page.text
        assert len(page.json["items"]) <= query["limit"]
        yield from page.json["items"]
        (cursor,) = (page.json[name] for name in _CURSORS if name in page.json)
        if cursor is None:
            return
        query["cursor"] = cursor
