"""Items that the tests hand in to the deployed API."""

import itertools
import secrets
from typing import Any

_run = secrets.token_hex(4)
_numbers = itertools.count()


def new_item(text: str = "A great success for the economy.", **changes: Any) -> dict[str, Any]:
    """An item that no other test has."""
    return {
        "source_id": f"reddit#post-{_run}-{next(_numbers)}",
        "source_type": "reddit",
        "text": text,
        "source_url": "https://example.com/post",
        **changes,
    }
