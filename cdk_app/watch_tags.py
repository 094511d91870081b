"""Watch tags that a setting names, in as many spellings as texts may have them."""

import re
import unicodedata

from cdk_app.parsers import listed, matching
from cdk_app.setting import Parser

WATCH_TAGS = ("AI", "climate", "economy", "elections", "health", "security", "space", "sports")
_TAG = re.compile(r"[^|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,50}")


def watch_tags() -> Parser[tuple[str, ...]]:
    """Tags, each once."""
    return listed(matching(_TAG, "a tag of at most 50 characters without '|'")).then(_distinct)


def _distinct(tags: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for tag in tags:
        # Texts are searched without regard to case, width and spacing.
        same = " ".join(unicodedata.normalize("NFKC", tag).casefold().split())
        if same in seen:
            raise ValueError(f"'{tag}' is the same tag as '{seen[same]}'")
        seen[same] = tag
    return tags
