"""Forms of keys from the values that they were seen with: words, and what changes between them.

A part of a key between two delimiters is a word of the form where it is one in every item, or else
a field: one of the item's own attributes where that always has the same text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tablewright.designs.inference.kinds import text_kind
from tablewright.model.errors import KeyMismatch
from tablewright.model.key_template import PARTITION_KEY_BYTES, Template

_DELIMITERS = "#|:/~"
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*")
_NAMED = re.compile(r"[{<\[](?:\$)?(\w+)[}>\]]")


class Piece(NamedTuple):
    """A part of a form: a word, or a field with its texts.

    `label` is what a field is to be called, if anything says so. A word that stands where values do
    has its texts, too: an attribute that has them is the better guess.
    """

    word: str | None
    label: str = ""
    texts: tuple[str, ...] = ()


def delimiter_of(values: Iterable[str]) -> str:
    """The character that sets the parts of these keys apart."""
    begins: Counter[str] = Counter()
    for value in values:
        found = re.match(rf"{_WORD.pattern}([{re.escape(_DELIMITERS)}])", value)
        if found:
            begins[found[1]] += 1
    return begins.most_common(1)[0][0] if begins else "#"


def signature(value: str, delimiter: str) -> tuple[str, ...]:
    """What is the same in the keys of one kind of item: the words that stand before its ids.

    >>> signature("ORDER#17#ITEM#3", "#"), signature("2026-01-31#17", "#")
    (('ORDER', '*', 'ITEM', '*'), ('*', '*'))
    """
    parts = [value] if _is_time([value]) else value.split(delimiter)
    if len(parts) == 1:
        return (value if value.isupper() and _WORD.fullmatch(value) else "*",)
    first = _first(parts)
    return tuple(
        part if _labels(parts, at, first) or not part else "*" for at, part in enumerate(parts)
    )


def _labels(parts: Sequence[str], at: int, first: int) -> bool:
    """Whether a part is a word before an id: every second one, in capitals but for the first."""
    if (at - first) % 2 or not _WORD.fullmatch(parts[at]):
        return False
    return at == first or parts[at].isupper()


def pieces(values: Sequence[str], delimiter: str, alias: str = "") -> list[Piece] | None:
    """The parts of the form that these keys have, None where they are of several.

    An alias that tells parts by name, such as ``ITEM#ItemId``, gives fields theirs.
    """
    if _is_time(values):
        return [Piece(None, name_of(alias), tuple(values))]
    split = [value.split(delimiter) for value in values]
    lengths = {len(parts) for parts in split}
    if len(lengths) != 1 or any("{" in value or "}" in value for value in values):
        return None
    (length,) = lengths
    named = _aliases(alias, delimiter, length)
    found: list[Piece] = []
    for at, texts in enumerate(zip(*split, strict=True)):
        same = len(set(texts)) == 1
        before = found[-1].word if found else None
        label = named[at] or (before or "")
        if same and (not texts[0] or _is_word(split, at, named[at])):
            labels = length > 1 and _labels(split[0], at, _first(split[0]))
            certain = labels or not texts[0] or (length == 1 and texts[0].isupper())
            found.append(Piece(texts[0], texts=() if certain else tuple(texts)))
        elif not all(texts):
            return None
        else:
            found.append(Piece(None, label, tuple(texts)))
    return _delimited(found, delimiter)


def _delimited(found: Sequence[Piece], delimiter: str) -> list[Piece]:
    """Parts of a form with what stands between them."""
    between = [piece for one in found for piece in (Piece(delimiter), one)]
    return between[1:]


def template_pieces(values: Sequence[str], delimiter: str, alias: str) -> list[Piece] | None:
    """The parts of a form that is told as one, ``ITEM#{item_id}``, and that these keys have."""
    template = Template(alias, limit=PARTITION_KEY_BYTES, delimiter=delimiter)
    if not template.fields or len(set(template.fields)) < len(template.fields):
        return None
    try:
        parsed = [template.parse(value) for value in values]
    except KeyMismatch:
        return None
    found = [Piece(template.literals[0])]
    for field, literal in zip(template.fields, template.literals[1:], strict=True):
        found.append(Piece(None, field, tuple(one[field] for one in parsed)))
        found.append(Piece(literal))
    return [one for one in found if one.word != ""]


def _is_word(split: Sequence[Sequence[str]], at: int, named: str) -> bool:
    parts = split[0]
    word = parts[at]
    if named and not named.isupper():
        return named == word
    if not _WORD.fullmatch(word):
        return False
    several = len(split) > 1
    if len(parts) == 1:
        return several or word.isupper()
    # Words and ids take turns, unless there is one part too many: ORDER#ITEM#17.
    second = several and word.isupper() and len(parts) % 2 == 1
    return second or _labels(parts, at, _first(parts))


def _first(parts: Sequence[str]) -> int:
    """Where the first word would stand: some begin with a delimiter."""
    return 1 if len(parts) > 1 and not parts[0] else 0


def _is_time(values: Sequence[str]) -> bool:
    return text_kind(values)["kind"] in ("Date", "Timestamp", "TimeId")


def common_word(values: Sequence[str], delimiter: str) -> str | None:
    """The word that keys of several forms begin with."""
    words = {value.partition(delimiter)[0] for value in values}
    (word,) = words if len(words) == 1 else ("",)
    rest = all(value.partition(delimiter)[2] for value in values)
    return word if rest and _WORD.fullmatch(word) else None


def unused_delimiter(values: Iterable[str]) -> str | None:
    """A delimiter that none of these keys has."""
    used = set("".join(values))
    return next((one for one in f"{_DELIMITERS}^;" if one not in used), None)


def _aliases(alias: str, delimiter: str, length: int) -> list[str]:
    parts = alias.split(delimiter)
    if len(parts) != length or not alias:
        return [""] * length
    return [name_of(part) for part in parts]


def name_of(alias: str) -> str:
    """The name within what stands for a field: ``{id}``, ``<id>``, ``[id]``."""
    found = _NAMED.fullmatch(alias)
    return found[1] if found else alias


def told_form(alias: str, delimiter: str) -> list[Piece]:
    """The parts of a form that is told by its alias alone: words are in capitals."""
    parts = alias.split(delimiter)
    found: list[Piece] = []
    for at, part in enumerate(parts):
        named = _NAMED.fullmatch(part)
        word = not named and (part.isupper() or not part or _labels(parts, at, 0))
        found.append(Piece(part) if word and len(parts) > 1 else Piece(None, name_of(part)))
    return _delimited(found, delimiter)


def tells_form(alias: str, attribute: str, delimiter: str) -> bool:
    """Whether an alias says more than the name of the attribute."""
    return alias != attribute and (delimiter in alias or bool(_NAMED.search(alias)))
