"""Watch tags: the words and phrases that people follow, and which of them a text is about."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

MAX_TAGS = 50
MAX_LENGTH = 50
MAX_MATCHES = 5

# Scripts that put no spaces between words, or join particles to them: Thai to Khmer, kana, Han,
# Hangul. Beside and between their characters a word can begin anywhere.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_BREAK = "\0"
# Control characters, separators of lines and halves of surrogate pairs.
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class InvalidTag(ValueError):
    """A watch tag cannot be used; the message says which, why, and what is accepted."""


class Watch:
    """The tags to look for in texts, as whole words or phrases, in either case.

    "AI" is found in "AI-based" and in "AI技術", and not in "said". A tag between words of
    a script without spaces is found wherever it stands.

    Example::

        Watch(["AI", "C++", "climate change"]).match("Climate change and AI")
        # ["AI", "climate change"]
    """

    def __init__(self, tags: Iterable[str]) -> None:
        self.tags = tuple(tags)
        if len(self.tags) > MAX_TAGS:
            raise InvalidTag(f"{len(self.tags)} tags are too many: watch at most {MAX_TAGS}")
        self._by_text: dict[str, str] = {}
        for tag in self.tags:
            text = _folded(_checked(tag))
            if text in self._by_text:
                raise InvalidTag(f"{tag!r} is the same tag as {self._by_text[text]!r}")
            self._by_text[text] = tag
        self._shorter = {text: self._beginnings(text) for text in self._by_text}
        # A lookahead consumes nothing, so tags that overlap are all found. Of those that begin
        # at one place it captures the longest; the others are beginnings of it, known already.
        longest_first = sorted(self._by_text, key=len, reverse=True)
        alternatives = "|".join(map(_whole, longest_first))
        self._pattern = re.compile(f"(?=({alternatives or '(?!)'}))")

    def match(self, text: str) -> list[str]:
        """The tags in a text, at most five: the most frequent first, then in watch order."""
        found: Counter[str] = Counter()
        for match in self._pattern.finditer(_folded(text)):
            found[self._by_text[match[1]]] += 1
            found.update(self._shorter[match[1]])
        # The sort is stable, so equal counts stay in watch order.
        present = [tag for tag in self.tags if tag in found]
        return sorted(present, key=lambda tag: -found[tag])[:MAX_MATCHES]

    def _beginnings(self, text: str) -> list[str]:
        """The other tags that stand wherever a tag stands, at its beginning."""
        return [
            tag
            for other, tag in self._by_text.items()
            if other != text and text.startswith(other) and _ends_at(len(other), text)
        ]


def _checked(tag: str) -> str:
    if not isinstance(tag, str):
        raise InvalidTag(f"{tag!r} is no tag: a tag is text")
    if not 1 <= len(tag) <= MAX_LENGTH:
        raise InvalidTag(f"{tag!r} must have 1 to {MAX_LENGTH} characters")
    if "|" in tag or _UNFIT.search(tag):
        raise InvalidTag(f"{tag!r} must not contain '|' or control characters")
    if tag != tag.strip():
        raise InvalidTag(f"{tag!r} must not begin or end with a space")
    return tag


def _folded(text: str) -> str:
    """What texts are compared by: case, width, spacing and the encoding of accents made alike,
    and a break on both sides of every character that needs no space there."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _UNSPACED.sub(rf"{_BREAK}\g<0>{_BREAK}", " ".join(folded.split()))


def _whole(text: str) -> str:
    before = r"(?<!\w)" if _keeps_apart(text[0]) else ""
    after = r"(?!\w)" if _keeps_apart(text[-1]) else ""
    return f"{before}{re.escape(text)}{after}"


def _ends_at(position: int, text: str) -> bool:
    """Whether a word that is written before a position ends there."""
    return not (_keeps_apart(text[position - 1]) and re.match(r"\w", text[position:]))


def _keeps_apart(edge: str) -> bool:
    """Whether a word beside this character would make it part of another word.

    Letters, digits and ASCII signs ("@acme" is not in "me@acme"), but no emoji.
    """
    return edge != _BREAK and (edge.isascii() or edge.isalnum())
