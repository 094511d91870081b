"""Words of content: what is found by them, and how much each weighs in it; pure rules.

A word is a run of letters and digits, after NFKC and case folding. There are no stop words and no
stems: what is looked for is what was written, or how it begins.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.catalog.portal.fields import folded
from tablewright.catalog.portal.search import LONGEST_WORD, MOST_WORDS

# Fields in which words are found, and what a word in each counts.
FIELDS = {"title": 400, "tags": 300, "summary": 100}
_RANKS = 1000
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    r"""The words of a text, without what case and compatible forms of characters set apart.

    >>> words("Straße: \uff21BC, v2.1")
    ['strasse', 'abc', 'v2', '1']
    """
    return _WORD.findall(folded(text))


def matches(asked: list[str], content: Mapping[str, Any]) -> bool:
    """Whether each word is the beginning of a word in the title, the summary or the tags."""
    found = {word for name in FIELDS for text in _texts(content, name) for word in words(text)}
    return all(any(word.startswith(beginning) for word in found) for beginning in asked)


def weights(content: Mapping[str, Any]) -> dict[str, int]:
    """The words of a content, and how much each weighs: 50 to 799.

    A field counts half where it has the word once, two thirds where twice, and never wholly.

    >>> weights({"title": "Data", "summary": "Data, and data."})
    {'data': 266, 'and': 50}
    """
    found: dict[str, int] = {}
    for name, counts in FIELDS.items():
        times = Counter(_indexed(content, name))
        for word, number in times.items():
            found[word] = found.get(word, 0) + counts * number // (number + 1)
    return dict(list(found.items())[:MOST_WORDS])


def rank_of(weight: int) -> str:
    """The weight as it stands in a posting's key, where the heaviest come first."""
    return f"{_RANKS - weight:03}"


def weight_of(rank: str) -> int:
    return _RANKS - int(rank)


def _indexed(content: Mapping[str, Any], name: str) -> Iterator[str]:
    return (word[:LONGEST_WORD] for text in _texts(content, name) for word in words(text))


def _texts(content: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = content.get(name) or ()
    return (value,) if isinstance(value, str) else tuple(value)
