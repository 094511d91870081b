"""Watch tags that a setting names, in as many spellings as texts may have them."""

import re
import unicodedata

from cdk_app.asking import SettingError, listed

WATCH_TAGS = ("AI", "climate", "economy", "elections", "health", "security", "space", "sports")
_TAG = re.compile(r"[^|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,50}")


def watch_tags_of(text: str | None) -> tuple[str, ...]:
    """The tags in a setting, each once."""
    if text is None:
        return WATCH_TAGS
    tags = listed("WATCH_TAGS", text, _TAG, "AI,climate change")
    seen: dict[str, str] = {}
    for tag in tags:
        # Texts are searched without regard to case, width and spacing.
        same = " ".join(unicodedata.normalize("NFKC", tag).casefold().split())
        if same in seen:
            raise SettingError(
                f"TABLEWRIGHT_WATCH_TAGS has '{tag}', the same tag as '{seen[same]}': leave one out"
            )
        seen[same] = tag
    return tags
