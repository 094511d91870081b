"""Searches for tags, in the language that all the sources understand."""

from collections.abc import Iterable
from urllib.parse import quote_plus

# NewsAPI's bound, and the smallest: Twitter and Reddit take 512. Whether it counts characters
# before or after encoding is not said, so the longer form is held to it.
LONGEST_QUERY = 500

_OR = " OR "


def queries(tags: Iterable[str]) -> list[str]:
    """Searches that together find whatever names one of the tags; as few as their length allows.

    Example::

        queries(["AI", "climate change"])   # ['"AI" OR "climate change"']
    """
    made: list[str] = []
    for tag in tags:
        phrase = '"' + tag.replace('"', " ") + '"'
        longer = f"{made[-1]}{_OR}{phrase}" if made else phrase
        if made and len(quote_plus(longer)) <= LONGEST_QUERY:
            made[-1] = longer
        else:
            made.append(phrase)
    return made
