"""Forms of sampled keys: each part a word, a field, a field the other way round, or a shard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from tablewright.designs.inference.kinds import is_time
from tablewright.designs.inference.sampled.columns import Columns, Match, Texts
from tablewright.designs.inference.sampled.parts import (
    SURE,
    delimiters,
    misses_allowed,
    parted,
)
from tablewright.designs.inference.sampled.shards import could_be_shard, explained_shard

Json = dict[str, Any]


class Part(NamedTuple):
    """A part of a form, with its texts: a word, or a field that follows one.

    Where it is neither, nothing is known of it.
    """

    texts: Texts
    word: str = ""
    match: Match | None = None
    shards: Json | None = None

    @property
    def is_known(self) -> bool:
        return bool(self.word or self.match or self.shards)


class SampledKey:
    """A key attribute over many items, in the parts between a delimiter."""

    def __init__(self, texts: Texts, delimiter: str | None) -> None:
        self.texts = texts
        self.delimiter = delimiter
        known = [text for text in texts if text is not None]
        split = iter(parted(known, delimiter))
        self._parted = [None if text is None else next(split) for text in texts]
        lengths = Counter(len(parts) for parts in self._parted if parts)
        self.length, usual = lengths.most_common(1)[0] if lengths else (1, 0)
        # Of several forms, it is no form.
        if len(known) - usual > misses_allowed(len(known)):
            self.length = 1
            self._parted = [None if text is None else (text,) for text in texts]

    @property
    def columns(self) -> list[Texts]:
        """The texts of each part."""
        return [
            [parts[at] if parts and len(parts) == self.length else None for parts in self._parted]
            for at in range(self.length)
        ]

    def constant(self, texts: Texts) -> str | None:
        """What nearly all items have, None where they have several."""
        counted = Counter(text for text in texts if text is not None)
        if counted.total() < SURE:
            return None
        word, times = counted.most_common(1)[0]
        rare = counted.total() - times > misses_allowed(counted.total())
        # A number or a time that was always the same is none that belongs to the form.
        value = word.isdigit() or is_time([word])
        unfit = not word or value or "{" in word or "}" in word
        return None if rare or unfit else word

    def parts(self, columns: Columns, shard_ids: Mapping[str, Texts] | None = None) -> list[Part]:
        """The parts of its form; `shard_ids` are the fields that shards may be computed from."""
        found = [self._part(texts, columns) for texts in self.columns]
        if shard_ids and sum(could_be_shard(one.texts) for one in _unknown(found)) == 1:
            (at,) = (
                n for n, one in enumerate(found) if not one.is_known and could_be_shard(one.texts)
            )
            found[at] = found[at]._replace(shards=explained_shard(found[at].texts, shard_ids))
        return found

    def _part(self, texts: Texts, columns: Columns) -> Part:
        match = columns.match(texts)
        word = self.constant(texts)
        if word and (match is None or word.isupper()):
            return Part(texts, word)
        return Part(texts, match=match) if match else _prefixed(texts, columns)


def sampled_keys(texts: Texts) -> list[SampledKey]:
    """A key attribute in parts, by each delimiter that it may have, and as one part at last."""
    known = [text for text in texts if text is not None]
    found = [SampledKey(texts, one) for one in delimiters(known)]
    return [*(one for one in found if one.length > 1), SampledKey(texts, None)]


def _prefixed(texts: Texts, columns: Columns) -> Part:
    """A part that begins with the same letters in all items, before a field."""
    known = [text for text in texts if text is not None]
    prefix = _common(known).rstrip("0123456789")
    if prefix and all(len(text) > len(prefix) for text in known):
        rest = [text[len(prefix) :] if text is not None else None for text in texts]
        match = columns.match(rest)
        if match:
            return Part(texts, prefix, match)
    return Part(texts)


def _common(texts: Sequence[str]) -> str:
    """What all these texts begin with."""
    first, last = min(texts, default=""), max(texts, default="")
    same = takewhile(lambda two: two[0] == two[1], zip(first, last, strict=False))
    return "".join(one for one, _ in same)


def _unknown(found: Sequence[Part]) -> Iterator[Part]:
    return (one for one in found if not one.is_known)
